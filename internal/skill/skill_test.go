package skill

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/keys"
)

const onePress = `name: buy
description: Buys it
task: Buy {{what}}
params:
  type: object
  properties: {what: {type: string}}
steps:
- say: open it
  action: {verb: CLICK, at: {x: 0.5, y: 0.25}}
  targets:
  - {label: Shop, locators: [{text: Shop}], x: 0.5, y: 0.5}
- say: find {{what}}
  action: {verb: TYPE, text: "{{what}}"}
ends: {}
`

func TestWhatIsWrongInAFileIsToldWhereItStands(t *testing.T) {
	s, err := Parse("buy.yaml", []byte(onePress))
	require.NoError(t, err)
	require.Len(t, s.Steps, 2)
	for _, c := range []struct{ old, new, want string }{
		{"x: 0.5, y: 0.25", "x: 7, y: 0.25", "buy.yaml:9:11: step 1: CLICK: the point (7.000,0.250) is off the screen"},
		{"x: 0.5, y: 0.25", "x: 0.5, y: -0.1", "buy.yaml:9:11: step 1: CLICK: the point (0.500,-0.100) is off"},
		{"verb: CLICK", "verb: KLICK", "buy.yaml:9:11: step 1: "},
		{"TYPE, text", "TYPE, words", "buy.yaml:13:11: step 2: "},
		{"[{text: Shop}]", "[]", "buy.yaml:8:3: step 1: a target has no locators"},
		{"type: object", `$ref: "#"`, "buy.yaml:5:3: params: the schema refers to itself"},
		{"type: object", "type: objekt", "buy.yaml:5:3: params: "},
		{"find {{what}}", "find {{thing}}", "buy.yaml:12:1: {{thing}}: params have no such"},
		{"{what: {", "{b-c: {", `buy.yaml:5:3: params: "b-c" is no name of a parameter`},
		{"{what: {", "{secret: {", `buy.yaml:5:3: params: "secret" is no name of a parameter`},
		{"{what: {", "{what: null, b: {", "buy.yaml:5:3: params: "},
		{"type: object", "type: object\n  x: &x [1]\n  y: [*x, *x]", "buy.yaml:5:3: params: want all of it written out"},
		{"name: buy", "name: ../buy", "buy.yaml:1:7: name: "},
		{"ends: {}", "", "buy.yaml:1:1: ends: it is missing: write down what the last screen"},
		{"find {{what}}", "find {{answer 1}}", "buy.yaml:12:1: {{answer 1}}: its steps ask 0 questions"},
		{`text: "{{what}}"`, `text: "{{answer 1}}"`, "buy.yaml:13:1: {{answer 1}}: its steps ask 0"},
		{"- say: open it", "- action: {verb: INFO, question: '{{answer 2}}'}\n- say: open it",
			"buy.yaml:8:1: {{answer 2}}: its steps ask 1 question: name one of them, or a parameter"},
		{"Buy {{what}}", "Buy {{answer 0}}", "buy.yaml:3:1: {{answer 0}}: its"},
	} {
		_, err := Parse("buy.yaml", []byte(strings.Replace(onePress, c.old, c.new, 1)))
		require.ErrorContains(t, err, c.want, c.new)
	}
}

// A file with more steps than a run may have is refused before they are read, which takes seconds.
func TestAFileOfTooManyStepsIsRefusedAtOnce(t *testing.T) {
	file := "name: x\ndescription: x\ntask: x\nends: {}\nsteps:\n"
	step := "- action: {verb: HOME}\n"
	_, err := Parse("x.yaml", []byte(file+strings.Repeat(step, mostSteps)))
	require.NoError(t, err)
	_, err = Parse("x.yaml", []byte(file+strings.Repeat(step, 60_000)+"}{")) // which is not read
	require.EqualError(t, err, "x.yaml: 60000 steps are too many (at most 1000)")
}

// A value stands in the texts as it was given. One that would be typed as something else, or that
// no step could be carried out with, is refused before the phone is touched.
func TestAValueIsTypedAsItWasGiven(t *testing.T) {
	for _, c := range []struct {
		kind       string
		value      any
		typed, why string
	}{
		{"number", 1000000.0, "1000000", ""},
		{"number", "1234567.50", "1234567.50", ""},
		{"integer", "12345678901234567890", "12345678901234567890", ""},
		{"integer", 12345678901234567890.0, "", "cannot stand in a text"},
		{"integer", "-1", "-1", ""},
		{"integer", "0012", "", `0012 has type "string"`},
		{"boolean", "true", "true", ""},
		{"object", map[string]any{"a": 1.0}, "", "cannot stand in a text"},
		{"string", "a\nb \"q\" 😀 {{what}}", "a\nb \"q\" 😀 {{what}}", ""},
		{"string", "{{secret}}", "", "cannot be in a value"},
		{"string", "x {{answer 1}}", "", "cannot be in a value"},
		{"string", "", "", "the text is empty"},
		{"string", "\x00", "", "control character"},
		{"string", strings.Repeat("x", 1<<20), "", "at most 4000"},
		{"string", nil, "", "what has no value"},
		{"integer", strings.Repeat("x", 1<<20), "", "xx…"},
	} {
		s, err := Parse("buy.yaml", []byte(strings.Replace(onePress, "string", c.kind, 1)))
		require.NoError(t, err)
		s, err = s.Fill(map[string]any{"what": c.value})
		if c.why != "" {
			require.ErrorContains(t, err, c.why, "%s %.40q", c.kind, c.value)
			require.Less(t, len(err.Error()), 500)
			continue
		}
		require.NoError(t, err, "%s %.40q", c.kind, c.value)
		require.Equal(t, "Buy "+c.typed, s.Task)
		a, err := s.Steps[1].action()
		require.NoError(t, err)
		require.Equal(t, c.typed, a.Traits().Text)
	}
}

// A word with verb in it is no step.
func TestOnlyStepsAreCounted(t *testing.T) {
	begins := "name: x\ndescription: x\nends: {}\ntask: " + strings.Repeat("proverb verbs ", 600) + "\nsteps:\n"
	_, err := Parse("x", []byte(begins+"- action: {verb: HOME}\n"))
	require.NoError(t, err)
	_, err = Parse("x", []byte(begins+strings.Repeat("- action: {\"verb\": HOME}\n", mostSteps+1)))
	require.ErrorContains(t, err, "too many")
}

// However many placeholders nothing stands for, a few of them are told.
func TestSomeOfManyUnknownPlaceholdersAreTold(t *testing.T) {
	var task strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&task, "{{a%d}}", n)
	}
	_, err := Parse("x", []byte("name: x\ndescription: x\ntask: '"+task.String()+"'\nsteps:\n"+
		"- action: {verb: HOME}\n"))
	var all keys.Problems
	require.ErrorAs(t, err, &all)
	require.Len(t, all, 20)
	require.ErrorContains(t, err, "{{a0}}: params have no such")
}

// A question that a model put in other words, as in a heal, has no answer that is known to be its
// own, and the answers after it keep their numbers.
func TestAnAnswerKeepsItsNumberBehindAQuestionThatWasHealed(t *testing.T) {
	s, err := Parse("x", []byte("name: x\ndescription: x\ntask: x\nends: {}\nsteps:\n"+
		"- action: {verb: INFO, question: Who?}\n- action: {verb: INFO, question: Which size?}\n"+
		"- action: {verb: INFO, question: Who?}\n"))
	require.NoError(t, err)
	s.Answer = "{{answer 1}}, {{answer 2}}, {{answer 3}}"
	x := &moment{Policy: New(Plan{s, HealAsk}, nil, "en", "en"), at: &Place{}}
	say := func(question, answer string) {
		x.now.Exchanges = append(x.now.Exchanges, actions.Exchange{Question: question,
			Answer: answer, Outcome: actions.Answered})
	}
	say("May the model do this step?", "Yes")
	say("For whom is it?", "Tom")
	say("Which size?", "42")
	say("Who?", "Ann")
	require.NoError(t, x.fill())
	require.Equal(t, "{{answer 1}}, 42, Ann", x.plan.Skill.Answer)
}

// A question may have an earlier answer in it.
func TestAQuestionMayNameAnAnswer(t *testing.T) {
	s, err := Parse("x", []byte("name: x\ndescription: x\ntask: x\nends: {}\nsteps:\n"+
		"- action: {verb: INFO, question: Who?}\n"+
		"- action: {verb: INFO, question: 'Which number of {{answer 1}}?'}\n"))
	require.NoError(t, err)
	x := &moment{Policy: New(Plan{s, HealAuto}, nil, "en", "en"), at: &Place{}}
	x.now.Exchanges = []actions.Exchange{
		{Question: "Who?", Answer: "Tom", Outcome: actions.Answered},
		{Question: "Which number of {{answer 1}}?", Answer: "none of ours",
			Outcome: actions.Answered},
		{Question: "Which number of Tom?", Answer: "12", Outcome: actions.DefaultAnswer}}
	s.Answer = "{{answer 1}} {{answer 2}} {{answer 3}} {{1}} {{a 1}}"
	require.NoError(t, x.fill())
	require.Equal(t, "Tom 12 {{answer 3}} {{1}} {{a 1}}", x.plan.Skill.Answer, "the rest is a value's")
}
