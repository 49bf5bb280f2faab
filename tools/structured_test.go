package tools

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/tools/result"
)

// The log says of each call which session and phone it was about, also where models are spared them.
func TestAResultKnowsItsSessionAndPhoneWhereItIsBrief(t *testing.T) {
	c := &call{options: new(connectionOptions)}
	body := &result.Result{SessionID: "s", Device: &result.Device{ID: "a"}}
	got, err := c.sent(&toolResult{body: body, code: "device_busy"})
	require.NoError(t, err)
	of := got.StructuredContent.(Structured)
	require.Equal(t, Structured{of.RawMessage, "s", "a", "device_busy"}, of)

	wire, err := json.Marshal(got.StructuredContent)
	require.NoError(t, err)
	want, err := json.Marshal(body.Brief())
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(wire))

	got, err = c.sent(&toolResult{body: &result.Inquiry{SessionID: "i"}})
	require.NoError(t, err)
	require.Equal(t, "i", got.StructuredContent.(Structured).Session)
}
