package gelab

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
)

// However a model spells an action and its fields, agent_action has the action's own name, and its
// points are two numbers.
func TestEverySpellingOfAnActionGetsItsOwnName(t *testing.T) {
	d := New(dialect.Options{Lang: "en"})
	spellings := []func(string) string{strings.ToUpper, strings.ToLower,
		func(s string) string { return s[:1] + strings.ToLower(s[1:]) },
		func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", " ") },
		func(s string) string { return strings.ReplaceAll(s, "_", "-") },
	}
	points := []*strings.Replacer{strings.NewReplacer(), strings.NewReplacer(",", "，", ":", "："),
		strings.NewReplacer("point:", "Point: ", ",", " ")}
	examples := examples(t)
	for _, f := range forms {
		own, err := d.Parse(actions.Reply{Text: "action:" + f.Name + examples[f.Name]},
			dialect.Situation{})
		require.NoError(t, err, f.Name)
		for _, name := range append([]string{f.Name}, strings.Fields(f.Also)...) {
			for _, spell := range spellings {
				for _, p := range points {
					example := examples[f.Name]
					if strings.Contains(example, "point") {
						example = p.Replace(example)
					}
					text := "action:" + spell(name) + example
					got, err := d.Parse(actions.Reply{Text: text}, dialect.Situation{})
					require.NoError(t, err, text)
					b, err := got.AgentAction()
					require.NoError(t, err)
					var fields map[string]any
					require.NoError(t, json.Unmarshal(b, &fields))
					require.Equal(t, own.Action.Verb(), fields["action"], text)
					require.Equal(t, own.Action.Verb(), fields["action_type"], text)
					for key, v := range fields {
						if strings.HasPrefix(key, "point") {
							require.Len(t, v, 2, "%s: %s", text, b)
						}
					}
				}
			}
		}
	}
}

// examples are the fields behind action:NAME in the vocabulary's examples.
func examples(t *testing.T) map[string]string {
	all := map[string]string{}
	for _, f := range forms {
		_, example := actions.Explained(f.Name, "en")
		fields, is := strings.CutPrefix(example, "action:"+f.Name)
		require.True(t, is, example)
		all[f.Name] = fields
	}
	return all
}
