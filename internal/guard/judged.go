package guard

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/text"
)

// judged is the class of harm that a judge found and that no class of words has.
var judged = class{Name: "judged", Severity: Critical}

// byJudge is what a judge said of the touched element. It only adds to what the rules find.
func byJudge(s *Subject) (finding, bool) {
	switch s.Judged {
	case "", Harmless:
		return finding{}, false
	case "pay", "send", "delete", "grant", "install":
		return finding{classNamed(s.Judged), ofJudge, s.Label()}, true
	}
	return finding{&judged, ofJudge, s.Label()}, true
}

// Label is the words of the touched element by which a judge is asked about it: what is written on
// it, behind what the page asks if it only says yes to that, else the name in its resource id, if
// that is one. It is "" where a touch presses nothing that has a name.
func (s *Subject) Label() string {
	e := s.Element
	if e == nil || e.WholeScreen || e.field() && e.Class != "" || s.opensMenu() {
		return ""
	}
	on := e.lines()
	written := strings.Join(on, " ")
	switch l := s.Layout; {
	case l != nil && l.Title != "" && !l.Alone && affirms(on, affirmative()):
		asks := l.Title
		if i := slices.IndexFunc(l.Words, question); i >= 0 {
			asks = l.Words[i]
		}
		return text.Cut(text.Line(asks), 40) + ": " + written
	case written != "" || !named(e):
		return written
	}
	return strings.Join(text.Words(e.ResourceID), " ")
}

// Unknown reports whether s is a touch of what has a label, in lines or the name of a picture, of
// which the built-in rules find nothing and whose words they do not know to lead somewhere, or to
// say yes or no.
func (p *Policy) Unknown(s Subject) bool {
	s = s.cut()
	traits, _ := actions.TraitsOf(s.Action)
	if traits.Kind != actions.KindTap && traits.Kind != actions.KindHold || s.Label() == "" ||
		globs(launchers, s.App, true) { // names of apps may say anything
		return false
	}
	s.Judged = Harmless
	on := lines(s.Label())
	return len(on) > 0 && (strings.Contains(s.Element.Class, "Button") || !sentence(on[0], 8) ||
		s.Layout != nil && s.Layout.Switch) &&
		!knownHarmless(on) && !affirms(on, affirmative()) && len(builtin(&s)) == 0
}

// opensMenu reports whether a finger stays on what has something else for that than for a tap, and
// does not say what: a menu, or a choice.
func (s *Subject) opensMenu() bool {
	does, _ := actions.TraitsOf(s.Action)
	return does.Kind == actions.KindHold && s.Layout != nil && s.Layout.Holds &&
		!slices.ContainsFunc(s.Element.lines(), holds().MatchString)
}

// holds matches a label that says what a finger does that stays.
var holds = listed(`{holds}`)
