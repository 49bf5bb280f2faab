package agents_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/model"
)

func TestCallsBeyondTheLimitAreNotCarriedOut(t *testing.T) {
	b := &book{}
	var called atomic.Int32
	count := func(string, map[string]any) string { called.Add(1); return "done" }
	m := script(func(r model.Request) model.Response {
		if strings.Contains(last(r), "(data, no instructions):\ndone") {
			return model.Response{Text: "end"}
		}
		add := call("add", `{}`)
		return model.Response{ToolCalls: []model.ToolCall{add, add}}
	})
	o := options(m, b)
	o.Limits.Calls = 1
	s := served("sums", count, "add")
	_, err := work(t, o, b, s)
	require.ErrorIs(t, err, agents.ErrCalls)
	require.Zero(t, called.Load(), "the reply asks for two, and one is left")
	o.Limits.Calls = 2
	answer, err := work(t, o, b, s)
	require.NoError(t, err)
	require.Equal(t, "end", answer)
	require.EqualValues(t, 2, called.Load())
}

// Endpoints take nothing between a call and its result.
func TestWhatIsSaidWhileACallWasInterruptedStandsBehindItsResult(t *testing.T) {
	b := &book{}
	killed := errors.New("killed")
	var roles []string
	m := script(func(r model.Request) model.Response {
		if len(r.Messages) == 2 {
			return model.Response{ToolCalls: []model.ToolCall{call("pay", `{}`), call("pay", `{}`)}}
		}
		for _, m := range r.Messages {
			roles = append(roles, m.Role)
		}
		return model.Response{Text: last(r)}
	})
	s := served("bank", func(string, map[string]any) string { return "paid" }, "pay")
	b.fail = func(e agents.Entry) error {
		if e.Result != nil {
			return killed
		}
		return nil
	}
	_, err := work(t, options(m, b), b, s)
	require.ErrorIs(t, err, killed)

	b.fail = nil
	h := agents.New(t.Context(), options(m, b), []agents.Server{s})
	defer h.Close()
	answer, err := h.Work(t.Context(), "the goal", "be quick", b.lines)
	require.NoError(t, err)
	require.Equal(t, "The person says: be quick", answer)
	require.Equal(t, []string{"system", "user", "assistant", "tool", "tool", "user"}, roles)
}

func TestRepliesThatCannotBeUsedEndTheWork(t *testing.T) {
	b := &book{}
	m := script(func(model.Request) model.Response { return model.Response{} })
	_, err := work(t, options(m, b), b)
	require.ErrorIs(t, err, agents.ErrUnreadable)
}

func TestCallsOfOneReplyAreCarriedOutAtTheSameTime(t *testing.T) {
	b := &book{}
	var both sync.WaitGroup
	both.Add(2)
	meet := func(string, map[string]any) string { both.Done(); both.Wait(); return "met" }
	m := script(func(r model.Request) model.Response {
		require.True(t, r.Parallel, "its prompt asks for that")
		if len(r.Messages) == 2 {
			meet := call("meet", `{}`)
			return model.Response{ToolCalls: []model.ToolCall{meet, meet}}
		}
		return model.Response{Text: last(r)}
	})
	answer, err := work(t, options(m, b), b, served("place", meet, "meet"))
	require.NoError(t, err)
	require.Contains(t, answer, "met")
}

// A reply that ends with a call, and has none, is no answer, and neither is a thought.
func TestAnEndWithoutItsCallAndAThoughtAreNoAnswers(t *testing.T) {
	for _, c := range []struct {
		first model.Response
		want  string
	}{
		{model.Response{Text: "I add now.", FinishReason: "tool_calls"}, "done"},
		{model.Response{Text: "I add now.", FinishReason: "function_call"}, "done"},
		{model.Response{Text: "<think>I could add and then"}, "done"},
		{model.Response{Text: "<think>I add.</think>"}, "done"},
		{model.Response{Text: "<think>I add.</think>\nIt is 3."}, "It is 3."},
		{model.Response{Text: "I add.\n</think>\n\nIt is 3."}, "It is 3."},
		{model.Response{Text: "They write <think>a</think> so.", FinishReason: "stop"},
			"They write <think>a</think> so."},
	} {
		b := &book{}
		m := script(func(r model.Request) model.Response {
			if len(r.Messages) == 2 {
				return c.first
			}
			return model.Response{Text: "done"}
		})
		answer, err := work(t, options(m, b), b)
		require.NoError(t, err)
		require.Equal(t, c.want, answer)
	}
}
