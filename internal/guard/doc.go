// Package guard decides whether an action may be carried out, must be put to a person, or must not
// be carried out at all.
//
// A [Subject] is the name of an action, its arguments, and the facts about the place where it
// happens. A [Policy] applies the first rule that matches it, and returns a [Decision]. A [Rule] is
// configuration. Its condition is an expression in a small language that always terminates (see
// docs/design/guard-language.md). A [Grant] is a person's leave to go on for a while without
// asking.
//
// The package knows no phones, no network, no store and no log. All of it may be used by any number
// of goroutines.
package guard
