package tools

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
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

// Whatever was seen of an end is told. Only where nothing looks at it there is nothing.
func TestABriefResultHasItsVerdictUnlessItIsOff(t *testing.T) {
	for _, v := range []agentloop.Verified{agentloop.IsVerified, agentloop.Unverified, agentloop.Contradicted} {
		of := &result.Verification{Verdict: v, Evidence: "-"}
		require.Equal(t, of, (&result.Result{Verified: of}).Brief().Verified)
	}
	require.Nil(t, (&result.Result{}).Brief().Verified)
}

// Why there is no answer in JSON is a field for programs and for models.
func TestWhyAnAnswerDoesNotFitIsAField(t *testing.T) {
	st := runs.Status{Run: store.Run{State: store.Completed, Progress: agentloop.Progress{
		Verification: &agentloop.Verification{Misfit: "the answer is no JSON"}}}}
	r, err := result.New(st)
	require.NoError(t, err)
	for _, of := range []any{r, r.Brief()} {
		b, err := json.Marshal(of)
		require.NoError(t, err)
		require.Contains(t, string(b), `"answer_misfit":"the answer is no JSON"`)
	}
}
