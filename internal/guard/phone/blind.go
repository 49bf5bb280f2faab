package phone

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/screen"
)

// picture is the share of the screen from which on what is tapped may well be a picture.
const picture = 0.1

// tabbed is text in which the enter key comes right behind a tab: in some fields, such as those of
// web pages, a tab that comes alone goes on to what is next, and the enter key presses that.
var tabbed = regexp.MustCompile(`\t[\r\n]`)

// blind says why the action would go on on a screen that nobody has seen, "" when it does not: its
// first touch is on something that may open another page, or it presses what a tab leads to.
func blind(look screen.Observation, a actions.Action) string {
	at := places(look, a)
	t := a.Traits()
	types := t.Kind == actions.KindText
	if !t.Twice && !types {
		return ""
	}
	if typed := t.Text + "\n"; t.Submit && tabbed.MatchString(typed) || tabbed.MatchString(t.Text) {
		return "what the tab leads to has not been seen, and enter presses it: type the tab, " +
			"look, and press enter then"
	}
	opens := false
	for _, p := range at {
		for _, i := range candidates(look.Elements, p) {
			e := look.Elements[i]
			if e.Editable {
				return ""
			}
			opens = opens || e.Clickable && area(e.Bounds) < picture
		}
	}
	switch {
	case !opens:
		return ""
	case types:
		return "it is no text field, and what it opens has not been seen: " +
			"tap it, look, and type then"
	}
	return "the second tap would be on what the first one opens, which has not been seen: tap it " +
		"once, and look"
}

// ruled reports whether a rule of the configuration has decided.
func ruled(d guard.Decision) bool {
	return d.Rule != "" && !strings.HasPrefix(d.Rule, "built-in")
}
