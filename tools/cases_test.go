package tools_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
	"github.com/taploop/taploop/tools/result"
)

// elsewhere is a call that does not come over MCP.
func elsewhere(client string) *usecase.Call {
	return &usecase.Call{Client: client, Usual: time.Minute, Most: time.Minute,
		By: runs.Actor{Channel: inquiry.ChannelHTTP, Authority: inquiry.AuthorityClientModel,
			Name: client}}
}

func starts(task string) usecase.Start {
	return usecase.Start{Task: task, Reset: true, Running: usecase.Running{MaxSteps: 20}}
}

// says says something to a run from elsewhere than over MCP, with a result that names tools.
func (w *fixture) says(id string) answer {
	w.t.Helper()
	own, c := tools.New(&w.topts), elsewhere("")
	name := func(n *usecase.Next) *result.Next {
		if n == nil {
			return nil
		}
		return result.Call(n, "ask_agent_"+string(n.Verb), result.Arguments(n))
	}
	var body result.Result
	out, err := own.Cases().Message(w.t.Context(), c, usecase.Message{SessionID: id, Text: "hey",
		Mode: agentloop.AsNote})
	text := "It was said."
	if err != nil {
		body = own.Refuse(err, own.Cases().After(w.t.Context(), c, err, false, false), name)
		text = body.Error.Message + " (" + body.Error.Code + ")\nTry: " + body.Error.Hint
	} else {
		body, err = own.Show(out, name)
		require.NoError(w.t, err)
	}
	return w.read("ask_agent_wait", &mcp.CallToolResult{StructuredContent: body,
		IsError: body.Error != nil, Content: []mcp.Content{mcp.NewTextContent(text)}})
}

// What a result names can be called by whoever reads it.
func TestACallerNamesItsOwnCalls(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		name := func(n *usecase.Next) *result.Next {
			require.NotEmpty(t, n.SessionID, n.Verb)
			return &result.Next{Tool: "POST " + string(n.Verb),
				Arguments: in{"with": float64(len(result.Arguments(n)))}, Why: n.Why}
		}
		own := tools.New(&w.topts)
		out, err := own.Cases().Start(t.Context(), elsewhere(""), starts("ask"))
		require.NoError(t, err)
		body, err := own.Show(out, name)
		require.NoError(t, err)
		next := body.Next
		require.Equal(t, "POST continue", next.Tool)
		require.Equal(t, in{"with": 2.0}, next.Arguments)
		c := elsewhere("")
		_, err = own.Cases().Start(t.Context(), c, starts("ask"))
		busy := own.Refuse(err, own.Cases().After(t.Context(), c, err, true, true), name)
		require.EqualValues(t, "DEVICE_BUSY", busy.Error.Code)
		require.Equal(t, next, busy.Next)
		require.Contains(t, busy.Error.Hint, `call POST continue with {"with":2}: `)
		require.Contains(t, busy.Error.Hint, `call POST stop with {"with":1}`)
		require.NotContains(t, busy.Error.Hint, "ask_agent")
	})
}

func TestAUseCaseIsCalledFromElsewhereAsOverMCP(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		var heard []usecase.Progress
		ann := func() *usecase.Call {
			c := elsewhere("ann")
			c.Report = &usecase.Reporter{Heartbeat: time.Minute,
				Send: func(_ context.Context, p usecase.Progress) { heard = append(heard, p) }}
			return c
		}
		cases := tools.New(&w.topts).Cases()
		a, err := cases.Start(t.Context(), ann(), starts("tap ask tap"))
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, a.Status.Run.State)
		require.Equal(t, agentloop.InfoNeedsReply, a.Status.Reason)
		require.Equal(t, 2, heard[len(heard)-1].Step)
		var steps int
		for _, p := range heard {
			if p.Question != nil {
				require.Equal(t, a.Status.Question.ID, p.Question.ID)
				steps += 10
			}
			if strings.HasPrefix(p.Message, "step ") {
				steps++
			}
		}
		require.Equal(t, 12, steps, "two steps and a question")

		id := a.Status.Session.ID
		said, err := cases.Message(t.Context(), ann(), usecase.Message{SessionID: id,
			Text: "the red one", Mode: agentloop.AsInstruction})
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, said.Status.Run.State)
		require.Equal(t, agentloop.InfoNeedsReply, said.Status.Reason)
		_, err = cases.Message(t.Context(), elsewhere("ben"),
			usecase.Message{SessionID: id, Text: "x"})
		require.Equal(t, runs.SessionNotFound, runs.CodeOf(err), "it is ann's")

		blue := usecase.Continue{SessionID: id, Key: "k", Running: starts("").Running,
			Reply: usecase.Reply{Words: "blue"}}
		a, err = cases.Continue(t.Context(), ann(), blue)
		require.NoError(t, err)
		require.Equal(t, store.Completed, a.Status.Run.State)
		require.Equal(t, "done blue the red one", a.Status.Run.Answer)
		again, err := cases.Continue(t.Context(), ann(), blue)
		require.NoError(t, err)
		require.True(t, again.Status.Replayed)
		q, err := w.store.Questions.List(t.Context(), inquiry.Filter{})
		require.NoError(t, err)
		require.Equal(t, inquiry.ChannelHTTP, q[0].Resolution.Channel)
		require.Equal(t, "ann", q[0].Resolution.By)
	})
}
