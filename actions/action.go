package actions

import (
	"context"
	"reflect"
	"strings"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// Action is one member of the closed vocabulary. Members are struct values; pointers to them are
// not members. The tag arg of a field names it in agent_action, the first for writing.
type Action interface {
	// Verb is the action's name as models and logs write it, for example CLICK.
	Verb() string
	// Validate reports what is wrong in words that a model can act on (which field, its value, what
	// is allowed), or nil.
	Validate() error
	// brief is the action in a few words. Being unexported, it closes the vocabulary.
	brief() phrase
}

// Gesture is an action that is carried out on the phone.
type Gesture interface {
	Action
	// Do carries the action out; it takes for granted that Validate is nil. A refusal by the phone
	// comes back as an error whose text can be shown to the model, and it says how far a gesture of
	// several touches came. The end of ctx is returned as its cause.
	Do(ctx context.Context, s Surface) error
}

// Passive reports whether a is a gesture that only lets time pass: it can be cut short, needs no
// fresh look, and repeating it is patience. An action says so by having a method Passive.
func Passive(a Action) bool {
	_, ok := a.(interface{ Passive() })
	return ok
}

// Points is where the action touches the screen: one point for a tap, the way of a finger for a
// swipe, none for what touches no point.
func Points(a Action) []screen.Point {
	if s, ok := a.(Scroll); ok {
		return s.way()
	}
	var points []screen.Point
	for i, v := 0, reflect.ValueOf(a); i < v.NumField(); i++ {
		switch p := v.Field(i).Interface().(type) {
		case screen.Point:
			points = append(points, p)
		case *screen.Point:
			if p != nil {
				points = append(points, *p)
			}
		}
	}
	return points
}

// Texts returns the action with f applied to every free text in it, for example to mask a secret. A
// field of a named type, such as a [Key], is one of a closed set and no text.
func Texts(a Action, f func(string) string) Action {
	v := reflect.New(reflect.TypeOf(a)).Elem()
	v.Set(reflect.ValueOf(a))
	for i := range v.NumField() {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = f(*field)
		case *[]string:
			*field = mapped(*field, f)
		}
	}
	return v.Interface().(Action)
}

// Describe is the action in words for people, on one line, for example: tap (0.512,0.334). Long
// texts are shortened.
func Describe(a Action) string {
	switch a := a.(type) {
	case nil:
		return "nothing"
	case interface{ describe() string }: // where and how, besides what
		return a.describe()
	}
	return a.brief().in("en")
}

// Brief is the action in a few words for people, without the places it touches, in Chinese for the
// language zh and in English for any other.
func Brief(a Action, lang string) string { return a.brief().in(lang) }

// phrase is what an action does, in two languages, and the text or the value that it does it with.
type phrase struct{ en, zh, with string }

// quoting is the phrase with a text in quotes, when there is one.
func (p phrase) quoting(s string) phrase {
	if s != "" {
		p.with = text.Quote(s, maxDescribed)
	}
	return p
}

func (p phrase) in(lang string) string {
	what := p.en
	if lang == "zh" {
		what = p.zh
	}
	return strings.TrimSpace(what + " " + p.with)
}

// Vocabulary returns the zero value of every member, in the order in which they are explained to
// models. Tests walk it, so that a member cannot be forgotten.
func Vocabulary() []Action {
	return []Action{
		Click{},
		DoubleClick{},
		LongPress{},
		Type{},
		Slide{},
		Scroll{},
		Drag{},
		OpenApp{},
		Back{},
		Home{},
		Recents{},
		HotKey{},
		Wait{},
		Info{},
		Note{},
		Complete{},
		Abort{},
	}
}
