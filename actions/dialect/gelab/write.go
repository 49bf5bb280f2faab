package gelab

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
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
	b, err := d.AgentAction()
	var fields map[string]any
	if err != nil || json.Unmarshal(b, &fields) != nil {
		return "", false
	}
	text = "explain:" + d.Explain + "\taction:" + d.Action.Verb()
	places := actions.Points(d.Action)
	if a, is := d.Action.(actions.Scroll); is {
		places = []screen.Point{a.At}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value := fmt.Sprint(fields[key])
		if _, is := fields[key].([]any); is {
			x, y := s.Numbers(places[0])
			value, places = x+","+y, places[1:]
		}
		switch {
		case slices.Contains([]string{"cot", "explain", "action", "action_type", "summary"}, key):
			continue
		case strings.TrimSpace(value) != value, strings.ContainsAny(value, "\t\n\\<"):
			return "", false
		}
		text += "\t" + key + ":" + value
	}
	return text, true
}
