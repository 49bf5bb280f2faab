package actions

import (
	"reflect"
	"strings"

	"github.com/taploop/taploop/internal/text"
)

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

// members are the types of the vocabulary by their verbs.
var members = func() map[string]reflect.Type {
	m := map[string]reflect.Type{}
	for _, a := range Vocabulary() {
		m[a.Verb()] = reflect.TypeOf(a)
	}
	return m
}()

// TraitsOf returns the traits of the action of that verb as far as they do not depend on its
// arguments. The second result is false when no action has the verb.
func TraitsOf(verb string) (Traits, bool) {
	t, ok := members[verb]
	if !ok {
		return Traits{}, false
	}
	return reflect.Zero(t).Interface().(Action).Traits(), true
}

// Acted words the action for people as a thing that was done, in the language that fits best, for
// example: opened Shop. It quotes neither questions nor reports.
func Acted(a Action, lang string) string {
	with := a.with(lang)
	switch a := a.(type) {
	case Info, Complete, Abort:
		with = ""
	case OpenApp:
		with = text.Cut(text.Line(a.name(lang)), maxDescribed)
	}
	return strings.TrimSpace((*wordings(lang))[a.Verb()].Done + " " + with)
}
