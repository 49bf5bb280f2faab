package gelab

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

// How the models of the variants write.
var (
	Write           = writer("<THINK> {thought} </THINK>\n", "")
	WritePlain      = writer("", "")
	WriteAdv        = writer("<THINK> {thought} </THINK>\nverify:it worked\tnote:{note}\t", "")
	WriteKeyProcess = writer("<THINK> {thought} </THINK>\n", "\tkey_process:1. all\tnote:{note}")
)

// writer is a variant's: they differ in what stands in front of the fields of the action, and
// behind them.
func writer(front, behind string) dialect.Writer {
	return func(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
		fill := strings.NewReplacer("{thought}", d.Thought, "{note}", cmp.Or(d.Note, "none"))
		action, can := writtenFields(d, s)
		return actions.Reply{Text: fill.Replace(front) + action + fill.Replace(behind) +
			"\tsummary:" + d.Summary}, can
	}
}

// writtenFields is explain, action and its fields. Values have no line breaks, and no blanks at
// their ends.
func writtenFields(d actions.Decision, s dialect.Scale) (text string, can bool) {
	form, args := forms.Write(d.Action)
	if form == nil {
		return "", false
	}
	text = "explain:" + d.Explain + "\taction:" + form.Name
	for _, a := range args {
		value := fmt.Sprint(a.Value)
		switch v := a.Value.(type) {
		case screen.Point:
			x, y := s.Numbers(v)
			value = x + "," + y
		case []string:
			value = strings.Join(v, "|")
		}
		if strings.TrimSpace(value) != value || strings.ContainsAny(value, "\t\n\\<") {
			return "", false
		}
		text += "\t" + a.Name + ":" + value
	}
	return text, true
}
