package tools

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/tools/result"
)

func TestAResultKnowsItsCodeWhereItIsBrief(t *testing.T) {
	c := &call{options: new(connectionOptions)}
	body := &result.Result{SessionID: "s", Device: &result.Device{ID: "a"}}
	got, err := c.sent(&toolResult{body: body, code: "device_busy"})
	require.NoError(t, err)
	of := got.StructuredContent.(Structured)
	require.Equal(t, Structured{of.RawMessage, "device_busy"}, of)

	wire, err := json.Marshal(got.StructuredContent)
	require.NoError(t, err)
	want, err := json.Marshal(body.Brief())
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(wire))
}
