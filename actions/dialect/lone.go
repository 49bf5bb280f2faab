package dialect

import (
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect/loose"
)

// reader is a family's words: every dialect has them from its [Base].
type reader interface {
	known(name string) bool
	decode(o loose.Object, thought string, s *Situation) (d actions.Decision, known bool, err error)
}

func (b *Base) known(name string) bool { return b.forms.Has(name) }

// decode makes the decision of an object that names an action. known says that the action is one.
func (b *Base) decode(o loose.Object, thought string, s *Situation) (
	d actions.Decision, known bool, err error) {
	named, ok := ActionIn(o, b.known)
	if !ok {
		named, ok = ByVerb(o, b.known)
	}
	n := ReadNamed(named, b.known)
	form := b.forms.Find(n.Name)
	if !ok || form == nil {
		return d, false, Refuse("it names no action", b.own.form)
	}
	a := b.Args(n.Arguments, Reasoned(thought, n.Thought), s)
	act, err := form.Decode(a, b.own.form)
	switch {
	case err != nil:
	case n.Twice != "", Ends(act) && again.MatchString(written(o)):
		err = Several(b.own.form)
	case len(o) == 1 && !b.whole(form, n.Name):
		err = Refuse("the call may have been cut off", b.own.form)
	}
	return actions.Decision{Action: act, Thought: a.Thought, Explain: a.Text("explain"),
		Summary: a.Text("summary")}, true, err
}

// whole reports whether a name alone is a call: it needs no arguments, no longer name begins with
// it, and an end is in capitals, as no sentence has it.
func (b *Base) whole(form *Form, name string) bool {
	if Ends(form.Action) {
		return name == strings.ToUpper(name)
	}
	return form.Action.Validate() == nil && !slices.ContainsFunc(b.forms.Everywhere(),
		func(longer string) bool {
			rest, begun := strings.CutPrefix(joined.Replace(strings.ToLower(longer)),
				joined.Replace(strings.ToLower(name)))
			return begun && rest != ""
		})
}

// again is what makes another action of a text within one.
var again = regexp.MustCompile(`(?i)\baction["']?\s*[:：=]|[(（]\s*["']|</?think`)
