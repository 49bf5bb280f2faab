package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// gelab is a context of calls of a client that was written for gelab-zero's server.
func (w *fixture) gelab() context.Context { return w.at("compat=gelab") }

// names are those of the tools that are listed to the connection.
func (w *fixture) names(ctx context.Context) (names []string) {
	w.t.Helper()
	got, err := w.client.ListTools(ctx, mcp.ListToolsRequest{})
	require.NoError(w.t, err)
	for _, tool := range got.Tools {
		names = append(names, tool.Name)
	}
	return names
}

var namesOfGelab = []string{"list_connected_devices", "ask_agent", "ask_agent_start_new_task",
	"ask_agent_continue", "ask_agent_wait", "ask_agent_stop"}

func TestAClientOfGelabsServerFindsItsTools(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		require.ElementsMatch(t, namesOfGelab, w.names(w.gelab()))
		own := w.names(t.Context())
		require.NotContains(t, own, "ask_agent", "the older tool is listed there only")
		require.Contains(t, own, "get_screenshot")
		require.Equal(t, own, w.names(w.at("compat=off")))
		require.Equal(t, done, w.call("ask_agent", in{"task": "tap"}).code(),
			"what is not listed can be called")
		a, err := w.try(w.gelab(), "get_screenshot", in{}, nil)
		require.NoError(t, err)
		require.False(t, a.raw.IsError, a.text)

		w.end()
		w.topts.Compat = tools.CompatGelab
		w.begin()
		require.ElementsMatch(t, namesOfGelab, w.names(t.Context()), "a setting for all")
		require.ElementsMatch(t, namesOfGelab, w.names(w.at("lang=zh")))
		require.Equal(t, own, w.names(w.at("compat=off")), "a connection may differ")
	})
}

func TestAClientOfGelabsServerGetsAListOfSerials(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.add("B\"\n🙂")
		req := mcp.CallToolRequest{}
		req.Params.Name = "list_connected_devices"
		got, err := w.client.CallTool(w.gelab(), req)
		require.NoError(t, err)
		require.False(t, got.IsError)
		require.Len(t, got.Content, 1)
		var serials []string
		text := got.Content[0].(mcp.TextContent).Text
		require.NoError(t, json.Unmarshal([]byte(text), &serials), text)
		require.Equal(t, []string{"A", "B\"\n🙂"}, serials, "those that can be used")
		require.JSONEq(t, `{"result": `+text+`}`, string(encode(t, got.StructuredContent)))

		srv := server.NewMCPServer("taploop", "test", server.WithToolCapabilities(false))
		tools.New(&w.topts).Register(srv)
		wire := string(encode(t, srv.HandleMessage(w.gelab(),
			[]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))))
		require.Contains(t, wire, `"x-fastmcp-wrap-result":true`,
			"what gelab-zero's framework says, so that its clients take the list out")

		w.phones.broken = errors.New("no server")
		got, err = w.client.CallTool(w.gelab(), req)
		require.NoError(t, err)
		require.True(t, got.IsError)
	})
}

func TestAClientOfGelabsServerIsBlockedWithinItsTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about, query string
		clients      map[string]usecase.Waits
		arguments    in
		token        any
		want         time.Duration
	}{
		{about: "as the client says", query: "compat=gelab", token: "p",
			arguments: in{"wait_seconds": 7}, want: 7 * time.Second},
		{about: "as the address says", query: "compat=gelab&wait_seconds=20", token: "p",
			want: 20 * time.Second},
		{about: "as the server says of the client", query: "compat=gelab",
			clients: map[string]usecase.Waits{"TESTER": {Default: 100 * time.Second,
				Max: 100 * time.Second}}, want: 100 * time.Second},
	} {
		for _, tool := range []string{"ask_agent", "ask_agent_start_new_task"} {
			t.Run(c.about+" "+tool, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					w.end()
					w.topts.ClientWaits = c.clients
					w.begin()
					began := time.Now()
					a, err := w.try(w.at(c.query), tool, with(in{"task": "forever",
						"device_id": "A", "max_steps": 1000}, c.arguments), c.token)
					require.NoError(t, err)
					require.Equal(t, "RUNNING STILL_RUNNING", a.code(), a.text)
					require.Equal(t, c.want, time.Since(began).Round(time.Second))
					require.Equal(t, "ask_agent_wait", a.Next.Tool)
				})
			})
		}
	}
}

// A call of such a client lasts until it leaves, with progress or without, whatever the server says
// of other calls.
func TestAClientOfGelabsServerIsBlockedUntilItLeaves(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.end()
		w.topts.Waits = usecase.Waits{Max: 2 * time.Minute}
		w.begin()
		for _, token := range []any{nil, "p"} {
			ctx, leave := context.WithTimeout(w.gelab(), 20*time.Minute)
			began := time.Now()
			_, err := w.try(ctx, "ask_agent", in{"task": "forever", "device_id": "A",
				"max_steps": 1000}, token)
			leave()
			require.ErrorContains(t, err, "deadline exceeded")
			require.Equal(t, 20*time.Minute, time.Since(began))
		}
	})
}

func TestAClientOfGelabsServerGetsTheResultWhenTheTaskEnds(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		a, err := w.try(w.gelab(), "ask_agent", in{"device_id": "A", "task": "tap ask"}, nil)
		require.NoError(t, err)
		require.Equal(t, asks, a.code())
		require.Contains(t, a.structured, "intermediate_logs")
		require.Len(t, a.Logs, 1)
		b, err := w.try(w.gelab(), "ask_agent", in{"device_id": "A", "session_id": a.SessionID,
			"reply_from_client": "red"}, nil)
		require.NoError(t, err)
		require.Equal(t, done, b.code())
		require.Equal(t, "red", b.Reply)
	})
}

func TestAClientOfGelabsServerGoesOnAsItKnows(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		resume := func(arguments in) answer {
			t.Helper()
			a, err := w.try(w.gelab(), "ask_agent_continue",
				with(in{"device_id": "A"}, arguments), nil)
			require.NoError(t, err)
			require.False(t, a.raw.IsError, a.text)
			return a
		}
		w.phones.phone("A").Set(frontIs("com.android.notes"))
		first := resume(in{"task": "ask tap"})
		require.Equal(t, asks, first.code(), "without a session it begins one")
		require.Equal(t, "com.android.notes", w.policy.last().Screen.State.App,
			"and leaves the phone as it is")
		second := resume(in{"session_id": first.SessionID, "task": "ask tap, and my answer is red",
			"reply_from_client": "red"})
		require.Equal(t, done, second.code(), "the answer counts, not the task beside it")
		require.Equal(t, first.SessionID, second.SessionID)
		require.Equal(t, done, resume(in{"task": "tap tap"}).code(), "a related task")
		a, err := w.try(w.gelab(), "ask_agent_continue", in{"device_id": "Z", "task": "tap",
			"reply_from_client": "red"}, nil)
		require.NoError(t, err)
		require.Equal(t, "SESSION_NOT_FOUND", a.code(), "an answer is for a session")
	})
}

// Approvals are questions in words to gelab-zero's clients, and say what they are. A new task takes the
// place of the client's own.
func TestAClientOfGelabsServerGetsApprovalsAsQuestions(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.gate = asking{"critical"}
		first, err := w.try(w.gelab(), "ask_agent", in{"device_id": "A", "task": "tap"}, nil)
		require.NoError(t, err)
		require.Equal(t, asks, first.code(), first.text)
		require.Contains(t, first.Question.Text, "This is an approval of an action")
		final := first.structured["final_action"].(map[string]any)["agent_action"].(map[string]any)
		require.Equal(t, []any{"INFO", "INFO", first.Question.Text},
			[]any{final["action"], final["action_type"], final["value"]})
		require.NotRegexp(t, `taploop \w+ |--\w+`, first.text, "no command line decides")
		require.Equal(t, "DECISION_FORBIDDEN", func() string {
			a, err := w.try(w.gelab(), "ask_agent", in{"device_id": "A",
				"session_id": first.SessionID, "reply_from_client": "yes"}, nil)
			require.NoError(t, err)
			return a.code()
		}())

		w.gate = asking{"none"}
		for tool, task := range map[string]string{"ask_agent": "tap ask",
			"ask_agent_start_new_task": "tap tap ask"} {
			next, err := w.try(w.gelab(), tool, in{"device_id": "A", "task": task}, nil)
			require.NoError(t, err)
			require.Equal(t, asks, next.code(), "it takes the place of the first: %s", next.text)
			require.NotEqual(t, first.SessionID, next.SessionID)
			gone, err := w.try(w.gelab(), "ask_agent_wait", in{"session_id": first.SessionID}, nil)
			require.NoError(t, err)
			require.Contains(t, gone.code(), "CANCELLED")
			first = next
		}
		related := func(task string) answer {
			a, err := w.try(w.at("compat=gelab&wait_seconds=0"), "ask_agent_continue",
				in{"device_id": "A", "task": task}, nil)
			require.NoError(t, err)
			return a
		}
		require.Equal(t, "DEVICE_BUSY", related("tap").code(), "it waits for a person")
		waits, err := w.try(w.gelab(), "ask_agent_wait", in{"session_id": first.SessionID}, nil)
		require.NoError(t, err)
		require.Equal(t, asks, waits.code(), "its question is open still")
		_, err = w.try(w.at("wait_seconds=0"), "ask_agent_start_new_task",
			in{"device_id": "A", "task": "tap", "queue": true}, nil)
		require.NoError(t, err)
		require.Equal(t, "DEVICE_BUSY", related("tap tap").code(), "behind it, another one queues")
		waits, err = w.try(w.gelab(), "ask_agent_wait", in{"session_id": first.SessionID}, nil)
		require.NoError(t, err)
		require.Equal(t, asks, waits.code(), "its question is open still")
		_, err = w.try(w.gelab(), "ask_agent_stop", in{"session_id": first.SessionID}, nil)
		require.NoError(t, err)
		first = related("tap tap")
		require.NotEqual(t, first.SessionID, related("tap tap tap").SessionID, "it only runs")
	})
}
