// Package guard decides whether an action may be carried out, must be put to a person, or must not
// be carried out at all.
//
// Its subject is general: the name of an action, its arguments, and what is known of the place
// where it happens ([Subject]). A [Policy] holds it against rules, the first that matches wins, and
// returns a [Decision]. A [Rule] is configuration; its condition is a small language that ends by
// itself (see docs/design/guard-language.md). A [Grant] is a person's leave to go on for a while
// without asking.
//
// The package knows no phones, no network, no store and no log. All of it may be used by any number
// of goroutines.
package guard
