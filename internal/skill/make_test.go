package skill

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

func TestAValueIsAParameterWhereItIsAWholeWord(t *testing.T) {
	t.Parallel()
	m := &maker{params: map[string]string{"size": "M", "who": "Tom", "n1": "1", "n2": "12",
		"what": "购物"}, values: []string{"购物", "Tom", "12", "M", "1"}, used: map[string]bool{}}
	for text, want := range map[string]string{
		"Merino T-shirt, M":  "Merino T-shirt, {{size}}",
		"Tom, Tomorrow, Tom": "{{who}}, Tomorrow, {{who}}",
		"1 of 12, not 21":    "{{n1}} of {{n2}}, not 21",
		"新建购物便签":             "新建{{what}}便签",
		"":                   "",
	} {
		require.Equal(t, want, m.general(text))
	}
}

// What was typed from a screen is another text the next time, and is not replayed.
func TestWhatWasReadFromAScreenIsNotTypedAgain(t *testing.T) {
	t.Parallel()
	field := screen.Element{Class: "android.widget.EditText", Editable: true, Focused: true,
		Enabled: true, ResourceID: "app:id/text", Bounds: screen.Rect{
			Max: screen.Point{X: 0.5, Y: 0.1}}}
	code := screen.Element{Class: "android.widget.TextView", Text: "Your code: 4711", Enabled: true,
		Bounds: screen.Rect{Min: screen.Point{Y: 0.2}, Max: screen.Point{X: 0.5, Y: 0.3}}}
	for text, known := range map[string]bool{"4711": false, "Anna": true} {
		src := Source{Run: store.Run{State: store.Completed, Task: "Log in as Anna."}}
		for i, a := range []actions.Action{actions.Home{}, actions.Type{Text: text},
			actions.Complete{Report: "Done."}} {
			src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
				Index: i + 1, Proposal: agentloop.Proposal{Elements: []screen.Element{field, code},
					Decision: actions.Decision{Action: a}}}})
		}
		s, notes, err := Make(src, MakeOptions{Name: "login"})
		require.NoError(t, err)
		require.Equal(t, known, s.Steps[1].Focus != nil, "%s %q", text, notes)
	}
	_, _, err := Make(Source{Run: store.Run{State: store.Completed, Task: "Say hello."},
		Steps: []store.StepRecord{{State: store.Done, Step: agentloop.Step{Index: 1,
			Proposal: agentloop.Proposal{Elements: []screen.Element{field},
				Decision: actions.Decision{Action: actions.Home{}}}}}}},
		MakeOptions{Name: "hello", Params: map[string]string{"what": "hello"}})
	require.ErrorContains(t, err, "used no such text in its steps")
}

// A secret stays one: the question for it is asked again, and what shows it is not recorded. What a
// screen or a task has in braces is no parameter.
func TestASecretAndTextsInBracesAreNoParameters(t *testing.T) {
	t.Parallel()
	field := screen.Element{Class: "android.widget.EditText", Editable: true, Focused: true,
		Enabled: true, ResourceID: "app:id/pin", Bounds: screen.Rect{
			Max: screen.Point{X: 0.5, Y: 0.1}}}
	shown := screen.Element{Class: "android.widget.TextView", Text: "{{secret}} for {{user}}",
		Enabled: true, Clickable: true, Bounds: screen.Rect{Min: screen.Point{Y: 0.2},
			Max: screen.Point{X: 0.5, Y: 0.3}}}
	made := func(list ...actions.Action) *Skill {
		src := Source{Run: store.Run{State: store.Completed, Task: "Log {{user}} in."}}
		for i, a := range append(list, actions.Complete{Report: "Typed {{secret}}."}) {
			r := store.StepRecord{State: store.Done, Step: agentloop.Step{Index: i + 1,
				Proposal: agentloop.Proposal{Elements: []screen.Element{field, shown},
					Decision: actions.Decision{Action: a, Explain: "for {{user}}"}}}}
			if _, is := a.(actions.Info); is {
				r.Exchange = &actions.Exchange{Answer: "{{secret}}"}
			}
			src.Steps = append(src.Steps, r)
		}
		s, _, err := Make(src, MakeOptions{Name: "login"})
		require.NoError(t, err)
		require.Empty(t, s.problems())
		require.Equal(t, "Log user in.", s.Task)
		require.Empty(t, s.Answer)
		require.NotContains(t, s.texts(), "{{user}}")
		return s
	}
	asked := made(actions.Info{Question: "The PIN?"}, actions.Type{Text: "{{secret}}"})
	require.NotNil(t, asked.Steps[1].Focus)
	for _, a := range []actions.Action{actions.Type{Text: "{{secret}}"},
		actions.Type{Text: "{{user}}"}, actions.Click{At: screen.Point{X: 0.2, Y: 0.25}}} {
		step := made(a).Steps[0]
		require.True(t, step.Focus == nil && step.Targets == nil, "%+v", step)
	}
}
