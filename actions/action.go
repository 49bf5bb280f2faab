package actions

import (
	"context"
	"reflect"

	"github.com/taploop/taploop/screen"
)

// Action is one member of the closed vocabulary. Members are struct values; pointers to them are
// not members.
type Action interface {
	// Verb is the action's name as models and logs write it, for example CLICK.
	Verb() string
	// Validate reports what is wrong in words that a model can act on (which field, its value, what
	// is allowed), or nil.
	Validate() error
	// describe is the action in words. Being unexported, it closes the vocabulary.
	describe() string
	// arguments is the action's fields for agent_action, when the model did not write fields.
	arguments() []Field
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
	if a == nil {
		return "nothing"
	}
	return a.describe()
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
