// Package render writes decisions as the models of each family do: for what was decided by a model
// of another one, and for tests.
package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

// Func writes a decision as a family's models write it, with places on that scale. It reports
// whether the family has a form for the action.
type Func func(d actions.Decision, s dialect.Scale) (actions.Reply, bool)

// Known are those of every family, by its name; each of the files beside this one adds its own.
// Not to be changed.
var Known = map[string]Func{
	"gelab":             gelab("<THINK> {thought} </THINK>\n", ""),
	"gelab-plain":       gelab("", ""),
	"gelab-adv":         gelab("<THINK> {thought} </THINK>\nverify:it worked\tnote:{note}\t", ""),
	"gelab-key-process": gelab("<THINK> {thought} </THINK>\n", "\tkey_process:1. all\tnote:{note}"),
}

// inQuotes is a text as it stands in a call or in JSON.
func inQuotes(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// lasting is a call's argument for how long something takes, when that is said.
func lasting(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf(`, duration="%v seconds"`,
		strconv.FormatFloat(d.Seconds(), 'f', -1, 64))
}

// numbers are those of a place, with all of their decimals.
func numbers(p screen.Point, s dialect.Scale) (first, second string) {
	a, b := s.Coordinates.Numbers(p, s.Picture)
	write := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	return write(a), write(b)
}

// gelab's variants differ in what stands in front of the fields of the action, and behind them.
func gelab(front, behind string) Func {
	return func(d actions.Decision, s dialect.Scale) (actions.Reply, bool) {
		fill := strings.NewReplacer("{thought}", d.Thought, "{note}", cmp.Or(d.Note, "none"))
		action, can := gelabAction(d, s)
		return actions.Reply{Text: fill.Replace(front) + action + fill.Replace(behind) +
			"\tsummary:" + d.Summary}, can
	}
}

// gelabAction is explain, action and its fields. Values have no line breaks, and no blanks at their
// ends.
func gelabAction(d actions.Decision, s dialect.Scale) (text string, can bool) {
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
			x, y := numbers(places[0], s)
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
