package phone

import (
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/guard"
	"github.com/taploop/taploop/screen"
)

// picture is the share of the screen from which on what is tapped may well be a picture.
const picture = 0.1

// blind says why the action would go on on a screen that nobody has seen, "" when it does not: its
// first touch is on something that may open another page.
func blind(look screen.Observation, a actions.Action) string {
	at := places(look, a)
	switch a.(type) {
	case actions.DoubleClick, actions.Type:
	default:
		return ""
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
	_, types := a.(actions.Type)
	switch {
	case !opens:
		return ""
	case types:
		return "it is no text field, and what it opens has not been seen: tap it, look, and type then"
	}
	return "the second tap would be on what the first one opens, which has not been seen: tap it " +
		"once, and look"
}

// ruled reports whether a rule of the configuration has decided.
func ruled(d guard.Decision) bool {
	return d.Rule != "" && !strings.HasPrefix(d.Rule, "built-in")
}
