package actions_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
)

func TestAgentActionHasTheModelsFieldsAndTheActionsOwnName(t *testing.T) {
	got, err := actions.Decision{Action: actions.LongPress{}, Fields: []actions.Field{
		{Key: "summary", Value: "<b>"},
		{Key: "action_type", Value: "mine"},
		{Key: "action", Value: "long_press"},
		{Key: "point", Value: "[12.5, 30]"},
		{Key: "point2", Value: "1 2 3 4"},
		{Key: "point3", Value: "here"},
		{Key: "value", Value: "1,2"},
	}}.AgentAction()
	require.NoError(t, err)
	require.Equal(t, `{"summary":"<b>","action":"LONGPRESS","action_type":"LONGPRESS",`+
		`"point":[12,30],"point2":[1,2],"point3":"here","value":"1,2"}`, string(got))

	got, err = actions.Decision{}.AgentAction()
	require.NoError(t, err)
	require.Equal(t, "null", string(got))
}

func TestAnActionWithoutFieldsWritesItsOwn(t *testing.T) {
	own := map[string]actions.Action{
		`"point":[500,500],`: actions.LongPress{At: middle},
		`"point":[500,500],"duration":"2.5",`: actions.LongPress{
			At:   middle,
			Hold: 2500 * time.Millisecond,
		},
		`"value":"a","clear":"true",`:           actions.Type{Text: "a", Clear: true},
		`"point1":[500,500],"point2":[1000,0],`: actions.Slide{From: middle, To: top},
		`"value":"q","options":"a|b",`: actions.Info{
			Question: "q",
			Options:  []string{"a", "b"},
		},
		`"return":"",`: actions.Complete{},
		``:             actions.Back{},
	}
	for want, a := range own {
		d := actions.Decision{Action: a, Thought: "t", Explain: "e", Summary: "s"}
		got, err := d.AgentAction()
		require.NoError(t, err)
		require.Equal(
			t,
			`{"cot":"t","explain":"e","action":"`+a.Verb()+`","action_type":"`+a.Verb()+`",`+
				want+`"summary":"s"}`,
			string(got),
		)
	}
}
