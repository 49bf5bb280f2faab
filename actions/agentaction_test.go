package actions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
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

	got, err = actions.Decision{Action: actions.Click{At: screen.Point{X: 0.5, Y: 0.3}},
		Fields: []actions.Field{{Key: "action", Value: "点击"}, {Key: "point", Value: "（500，300）"}},
	}.AgentAction()
	require.NoError(t, err)
	require.Equal(t, `{"action":"CLICK","action_type":"CLICK","point":[500,300]}`, string(got),
		"the action knows its own point")

	got, err = actions.Decision{}.AgentAction()
	require.NoError(t, err)
	require.Equal(t, "null", string(got))
}
