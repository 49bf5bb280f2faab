package actions

import (
	"context"
	"reflect"
	"strings"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Action is one member of the closed vocabulary. Members are struct values, not pointers. The tag
// arg of a field names it in agent_action. Of several names the first is written.
type Action interface {
	// Verb is the action's name as models and logs write it, for example CLICK.
	Verb() string
	// Validate returns nil for a valid action. Its error names the field, its value and the allowed
	// values, in words that a model can act on.
	Validate() error
	// Traits says what the action does to the phone. It may be called on an action that is not
	// valid.
	Traits() Traits
	// with returns the text or the value that the action acts with, quoted and shortened for
	// [Brief], or "". Being unexported, it closes the vocabulary.
	with(lang string) string
}

// Gesture is an action that is carried out on the phone.
type Gesture interface {
	Action
	// Do carries the action out. The action must be valid. A refusal by the phone is returned as an
	// error whose text can be shown to the model and says how far a gesture of several touches
	// came. If ctx ends, its cause is returned.
	Do(ctx context.Context, s Surface) error
}

// Texts returns the action with f applied to every free text in it, for example to mask a secret. A
// field of a named type, such as a [Key], is one of a closed set and not a free text.
func Texts(a Action, f func(string) string) Action {
	v := reflect.New(reflect.TypeOf(a)).Elem()
	v.Set(reflect.ValueOf(a))
	for i := range v.NumField() {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *string:
			*field = f(*field)
		case *[]string:
			*field = text.Each(*field, f)
		}
	}
	return v.Interface().(Action)
}

// Describe words the action for people, on one line, for example: tap (0.512,0.334). Long texts are
// shortened.
func Describe(a Action) string {
	switch a := a.(type) {
	case nil:
		return "nothing"
	case interface{ describe() string }: // also says where and how
		return a.describe()
	}
	return Brief(a, words.Default)
}

// wording is an action in a language.
type wording struct {
	Do, Done      string // for people, without what the action acts with
	Does, Example string // for models: a sentence, and the action as agent_action with tabs
}

var wordings = words.Of[map[string]wording]("actions")

// Explained says for models, in the language that fits best, what the action of the verb does, and
// gives an example in the form of agent_action.
func Explained(verb, lang string) (does, example string) {
	w := (*wordings(lang))[verb]
	return w.Does, w.Example
}

// Brief words the action for people in a few words, without the places it touches, in the language
// that fits best.
func Brief(a Action, lang string) string {
	return strings.TrimSpace((*wordings(lang))[a.Verb()].Do + " " + a.with(lang))
}

// quoted returns a text in quotes, shortened, or "" for the empty one.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	return text.Quote(s, maxDescribed)
}

// Moved returns the action with f applied to every point in it, in the order of [Traits].Points for
// actions that name their points.
func Moved(a Action, f func(screen.Point) screen.Point) Action {
	v := reflect.New(reflect.TypeOf(a)).Elem()
	v.Set(reflect.ValueOf(a))
	for i := range v.NumField() {
		switch field := v.Field(i).Addr().Interface().(type) {
		case *screen.Point:
			*field = f(*field)
		case **screen.Point:
			if *field != nil {
				*field = new(f(**field))
			}
		}
	}
	return v.Interface().(Action)
}
