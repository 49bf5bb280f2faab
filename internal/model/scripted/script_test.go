package scripted_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model/scripted"
)

func TestMistakesInAScriptAreNamedWithTheirLine(t *testing.T) {
	for _, tc := range []struct{ name, yaml, want string }{
		{"nothing", "", "exactly one YAML document"},
		{"only a comment", "# later\n", "exactly one YAML document"},
		{
			"two documents", "rules: [{reply: a}]\n---\nrules: [{reply: b}]\n",
			"exactly one YAML document",
		},
		{"a list", "- reply: a\n", "line 1: sequence was used where mapping is expected"},
		{"a text", "hello", "line 1: string was used where mapping is expected"},
		{"no rules", "rules: []\n", "no rules"},
		{"rules that are a number", "rules: 5", "line 1: int was used where sequence is expected"},
		{
			"an unknown key on top", "rules: [{reply: a}]\nmodel: x\n",
			`line 2: unknown field "model"`,
		},
		{
			"an unknown key in a rule", "rules:\n  - reply: a\n  - when: x\n    replay: a\n",
			`line 4: unknown field "replay"`,
		},
		{
			"the same key twice", "rules:\n  - reply: a\n    reply: b\n",
			`line 3: mapping key "reply" already defined`,
		},
		{"many brackets", "rules: " + strings.Repeat("[", 200_000), "nested too deeply"},
		{"many dashes", strings.Repeat("- ", 100_000), "nested too deeply"},
		{"broken YAML", "rules:\n  - reply: [\n", "line 2: "},
		{"an empty rule", "rules:\n  - reply: a\n  -\n", "rule 2: it is empty"},
		{
			"a rule that says nothing", "rules:\n  - reply: a\n\n  - when: x\n    times: 2\n",
			"rule 2: a rule needs one of reply, reasoning, tool_calls, status",
		},
		{
			"a broken expression", "rules:\n  - when: '(a'\n    reply: a\n",
			"rule 1: when: error parsing regexp: missing closing )",
		},
		{
			"an unknown group", "rules:\n  - when: '(?P<size>a)'\n    reply: ${sise}\n",
			"rule 1: ${sise} is no named group of when (it has: size)",
		},
		{"a group without when", "rules:\n  - reasoning: ${x}\n", "${x} is no named group"},
		{
			"an unknown group in a tool call",
			"rules:\n  - tool_calls: [{name: tap, arguments: {x: '${y}'}}]\n",
			"${y} is no named group",
		},
		{
			"a tool call without a name", "rules:\n  - tool_calls: [{arguments: {}}]\n",
			"a call without a name",
		},
		{"times below zero", "rules:\n  - {reply: a, times: -1}\n", "times: -1"},
		{"times that is a text", "rules:\n  - {reply: a, times: often}\n", "line 2: "},
		{"delay below zero", "rules:\n  - {reply: a, delay: -1s}\n", "delay: -1s"},
		{
			"delay without a unit", "rules:\n  - {reply: a, delay: soon}\n",
			`rule 1: delay: "soon" is no duration`,
		},
		{"a status that is no error", "rules:\n  - {reply: a, status: 200}\n", "status: 200"},
		{
			"a status with reasoning", "rules:\n  - {reasoning: a, status: 500}\n",
			"an error has no reasoning",
		},
		{"too much", "rules: # " + strings.Repeat("x", 256<<10), "too much for a script"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := scripted.Parse([]byte(tc.yaml))
			require.ErrorContains(t, err, tc.want)
			require.ErrorContains(t, err, "script: ")
			require.NotContains(t, err.Error(), "\n")
			require.Contains(t, hint.Of(err), "rules:")
			require.Nil(t, s)
		})
	}
}

// The law: a script or an error of one line, never a panic; and what was read serves requests.
func FuzzParse(f *testing.F) {
	f.Add(
		[]byte(
			"rules:\n  - when: '(?P<a>x+)|(?P<a>y)'\n    times: 2\n    delay: 10ms\n    reply: "+
				"|\n      got ${a} $${b}\n    finish_reason: length\n",
		),
		"xx",
	)
	f.Add(
		[]byte(
			"rules:\n- {status: 429, reply: slow}\n- tool_calls: "+
				"[{name: tap, arguments: {x: '1', y: [1, {z: null}]}}]\n",
		),
		"",
	)
	f.Add([]byte("rules: [&a {reply: x}, *a, {<<: *a, when: y}]"), "y")
	f.Add([]byte("rules: [null]"), "y")
	f.Add([]byte("a: [\n"), "")
	f.Fuzz(func(t *testing.T, yaml []byte, text string) {
		s, err := scripted.Parse(yaml)
		if err != nil {
			require.Nil(t, s)
			require.NotEmpty(t, err.Error())
			return
		}
		require.NotNil(t, scripted.NewHandler(s))
	})
}
