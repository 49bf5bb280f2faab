package uitars

import (
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

var quotes = strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\t", `\t`)

// Write writes as the models of the family do, which submit a text by a line break at its end.
func Write(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
	action := d.Action
	if a, is := action.(actions.Type); is {
		if a.Text == "" || strings.HasSuffix(a.Text, "\n") {
			return actions.Reply{}, false
		}
		if a.Submit {
			a.Text, a.Submit = a.Text+"\n", false
		}
		action = a
	}
	form, list := forms.Write(action)
	if form == nil {
		return actions.Reply{}, false
	}
	var args []string
	for _, a := range list {
		value := fmt.Sprint(a.Value)
		if p, is := a.Value.(screen.Point); is {
			x, y := s.Numbers(p)
			value = "(" + x + "," + y + ")"
		}
		args = append(args, a.Name+"='"+quotes.Replace(value)+"'")
	}
	return actions.Reply{Text: "Thought: " + d.Thought + "\nAction: " + form.Name + "(" +
		strings.Join(args, ", ") + ")"}, true
}
