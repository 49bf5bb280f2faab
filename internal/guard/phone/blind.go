package phone

import (
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/screen"
)

// picture is the share of the screen from which on an element is large enough to be a picture.
const picture = 0.1

// tabbed matches an Enter right behind a tab. In some fields, such as those of web pages, a tab
// moves the focus to the next element, which Enter presses.
var tabbed = regexp.MustCompile(`\t[\r\n]`)

// blind says why the action would continue on an unseen screen, or "" if it would not. Its first
// touch may open another page, or it presses the element behind a tab.
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
			opens = opens || e.Clickable && e.Bounds.Area() < picture
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
