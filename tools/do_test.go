package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools"
	"github.com/taploop/taploop/tools/result"
)

// do calls a tool from elsewhere than over MCP.
func (w *fixture) do(tool string, arguments in) answer {
	w.t.Helper()
	return w.doAs(tools.Caller{}, tool, arguments)
}

func (w *fixture) doAs(who tools.Caller, tool string, arguments in) answer {
	w.t.Helper()
	got, err := tools.New(&w.topts).Do(w.t.Context(), who, tool, encode(w.t, arguments))
	require.NoError(w.t, err)
	as := "ask_agent_wait" // what comes back is the same
	return w.read(as, &mcp.CallToolResult{StructuredContent: got.Body, IsError: got.Code != "",
		Content: []mcp.Content{mcp.NewTextContent(got.Text)}})
}

// What a result names can be called by whoever reads it.
func TestACallerNamesItsOwnCalls(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		who := tools.Caller{Names: func(tool string, arguments map[string]any) (
			string, map[string]any) {
			require.NotNil(t, arguments["session_id"], tool)
			return "POST " + tool[len("ask_agent_"):], in{"with": len(arguments)}
		}}
		start := func() (body result.Result) {
			got, err := tools.New(&w.topts).Do(t.Context(), who, "ask_agent_start_new_task",
				encode(t, in{"task": "ask"}))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(got.Body, &body))
			return body
		}
		next := start().Next
		require.Equal(t, "POST continue", next.Tool)
		require.Equal(t, in{"with": 2.0}, next.Arguments)
		busy := start()
		require.EqualValues(t, "DEVICE_BUSY", busy.Error.Code)
		require.Equal(t, next, busy.Next)
		require.Contains(t, busy.Error.Hint, `call POST continue with {"with":2}: `)
		require.Contains(t, busy.Error.Hint, `call POST stop with {"with":1}`)
		require.NotContains(t, busy.Error.Hint, "ask_agent")
	})
}

func TestAToolIsCalledFromElsewhereAsOverMCP(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		var heard []tools.Progress
		who := tools.Caller{Client: "ann",
			By: runs.Actor{Channel: inquiry.ChannelHTTP, Authority: inquiry.AuthorityClientModel,
				Name: "ann"},
			Progress: func(_ context.Context, p tools.Progress) error {
				heard = append(heard, p)
				return nil
			}}
		a := w.doAs(who, "ask_agent_start_new_task", in{"task": "tap ask tap"})
		require.Equal(t, "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", a.code())
		require.Equal(t, 2, heard[len(heard)-1].Step)
		var steps int
		for _, p := range heard {
			if p.Meta != nil {
				require.Equal(t, a.Question.ID, p.Meta["inquiryId"])
				steps += 10
			}
			if strings.HasPrefix(p.Message, "step ") {
				steps++
			}
		}
		require.Equal(t, 12, steps, "two steps and a question")

		said := w.doAs(who, "ask_agent_message",
			in{"session_id": a.SessionID, "text": "the red one", "mode": "instruction"})
		require.Equal(t, "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", said.code())
		b := w.doAs(tools.Caller{Client: "ben"}, "ask_agent_message",
			in{"session_id": a.SessionID, "text": "x"})
		require.Equal(t, "SESSION_NOT_FOUND", b.code(), "it is ann's")

		a = w.doAs(who, "ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "blue", "idempotency_key": "k"})
		require.Equal(t, store.Completed, a.State)
		require.Equal(t, "done blue the red one", *a.Answer)
		again := w.doAs(who, "ask_agent_continue",
			in{"session_id": a.SessionID, "reply_from_client": "blue", "idempotency_key": "k"})
		require.True(t, again.Replayed)
		q, err := w.store.Questions.List(t.Context(), inquiry.Filter{})
		require.NoError(t, err)
		require.Equal(t, inquiry.ChannelHTTP, q[0].Resolution.Channel)
		require.Equal(t, "ann", q[0].Resolution.By)
		_, err = tools.New(&w.topts).Do(t.Context(), who, "rm", nil)
		require.ErrorContains(t, err, `no tool "rm"`)
	})
}
