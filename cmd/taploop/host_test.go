//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
)

// hostEnv is a testEnv with an MCP server whose tool mark_seat waits until it is let go.
type hostEnv struct {
	*testEnv
	file   string        // that names the server
	begun  chan struct{} // gets a value for each call
	letGo  chan struct{} // closed: calls end
	marked atomic.Int64
	paid   atomic.Int64 // calls of pay_seat, which the built-in rules hold
}

func toolCallRule(when string, calls ...string) string {
	var blocks strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&blocks, "```json\n%s\n```\n", c)
	}
	reply, _ := json.Marshal(blocks.String())
	return fmt.Sprintf("- when: '%s'\n  reply: %s\n", when, reply)
}

func newHostEnv(t *testing.T, script string, env ...string) *hostEnv {
	x := &hostEnv{begun: make(chan struct{}, 9), letGo: make(chan struct{})}
	x.testEnv = newTestEnv(t, demoTask, script, append(env, "TAPLOOP_HOST_TEXTUAL=true")...)
	s := server.NewMCPServer("travel", "1")
	seat := mcp.NewTool("mark_seat")
	seat.Annotations.DestructiveHint = new(bool)
	s.AddTool(seat, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		x.marked.Add(1)
		x.begun <- struct{}{}
		select {
		case <-x.letGo:
		case <-ctx.Done():
		}
		return mcp.NewToolResultText("seat 7A"), nil
	})
	s.AddTool(mcp.NewTool("pay_seat", mcp.WithString("seat")), func(_ context.Context,
		r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		x.paid.Add(1)
		return mcp.NewToolResultText("paid for " + r.GetString("seat", "none")), nil
	})
	over := httptest.NewServer(server.NewStreamableHTTPServer(s))
	t.Cleanup(over.Close)
	x.file = filepath.Join(t.TempDir(), "mcp.json")
	require.NoError(t, writeFile(x.file,
		fmt.Sprintf(`{"mcpServers": {"travel": {"type": "http", "url": %q}}}`, over.URL)))
	return x
}

// awaitCall waits until a call of mark_seat has begun.
func (x *hostEnv) awaitCall(p *process) {
	x.t.Helper()
	select {
	case <-x.begun:
	case <-time.After(30 * time.Second):
		require.Fail(x.t, "nothing was marked", "%s", p.stderr)
	}
}

// newest is the id of the session that changed last.
func (x *hostEnv) newest() string {
	out, errs, code := x.run("sessions", "list", "--json")
	require.Zero(x.t, code, errs)
	var list []summary
	require.NoError(x.t, json.Unmarshal([]byte(out), &list))
	return list[0].ID
}

func TestAHostThatWasKilledRepeatsNoCallOfUnknownOutcome(t *testing.T) {
	script := `- {when: 'outcome is unknown', reply: "It may be marked."}
` + toolCallRule("Mark a seat", `{"tool": "mark_seat", "arguments": {}}`)
	for _, again := range [][]string{{"host", "--resume"}, {"continue"}} {
		t.Run(again[0], func(t *testing.T) {
			t.Parallel()
			x := newHostEnv(t, script, "TAPLOOP_GUARD_ENABLED=false")
			p := x.spawn("host", "--mcp", x.file, "Mark a seat")
			x.awaitCall(p)
			p.kill()
			close(x.letGo)

			id := x.newest()
			out, errs, code := x.run(append(again, id)...)

			require.Zero(t, code, errs)
			require.Equal(t, "It may be marked.\n", out)
			require.EqualValues(t, 1, x.marked.Load())
			require.Equal(t, 1, strings.Count(errs, "the guard is off"), errs)
			out, _, _ = x.run("sessions", "list")
			require.Regexp(t, id[:4]+`.* host +0 +COMPLETED +Mark a seat`, out)
		})
	}
}

func TestAGoalIsDelegatedOverMCP(t *testing.T) {
	t.Parallel()
	x := newHostEnv(t, `- {when: 'outcome is unknown', reply: "It may be marked."}
`+toolCallRule("Mark a seat", `{"tool": "mark_seat", "arguments": {}}`),
		"TAPLOOP_GUARD_ENABLED=false", "TAPLOOP_HOST_ENABLED=true")
	x.env = append(x.env, "TAPLOOP_HOST_MCP="+x.file)
	s, _ := x.openAs("mine", modern)
	goal := map[string]any{"goal": "Mark a seat", "wait_seconds": 0, "idempotency_key": "k"}

	begun := s.call("delegate_goal", goal)
	require.EqualValues(t, "STILL_RUNNING", begun.Reason, "%s", begun.words)
	require.Equal(t, "ask_agent_wait", begun.Next.Tool)
	require.Equal(t, begun.SessionID, s.call("delegate_goal", goal).SessionID)
	s.refused("INVALID_ARGUMENT", "delegate_goal",
		map[string]any{"goal": "Another", "idempotency_key": "k"})
	s.refused("INVALID_ARGUMENT", "delegate_goal", map[string]any{"goal": " "})
	x.awaitCall(s.process)
	session := map[string]any{"session_id": begun.SessionID}
	other := connect(t, legacy, over(t, s.url, bearer(x.token("other"))))
	for _, tool := range []string{"ask_agent_wait", "ask_agent_stop", "ask_agent_continue"} {
		other.refused("SESSION_NOT_FOUND", tool, session)
	}
	s.refused("RUN_IN_PROGRESS", "ask_agent_continue", session)
	s.refused("NOTHING_TO_TAKE_OVER", "ask_agent_stop",
		map[string]any{"session_id": begun.SessionID, "mode": "takeover"})

	paused := s.call("ask_agent_stop",
		map[string]any{"session_id": begun.SessionID, "mode": "pause"})
	require.EqualValues(t, "USER_PAUSED", paused.Reason, "%s", paused.words)
	close(x.letGo)
	s.refused("INVALID_ARGUMENT", "ask_agent_continue",
		map[string]any{"session_id": begun.SessionID,
			"reply_from_client": "yes"})
	done := s.follow(s.call("ask_agent_continue", session))
	require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
	require.Equal(t, "It may be marked.", *done.Answer)
	require.EqualValues(t, 1, x.marked.Load())
}

func TestTheStepsOfAHostsPhonesAreShownWithThePhone(t *testing.T) {
	var out strings.Builder
	l := &hostLines{out: &out}
	l.phone("s1", "emu-1", "Look\x1b")
	l.step(runs.Event{SessionID: "s1", Event: agentloop.Event{Kind: runs.StateChanged}})
	l.step(runs.Event{SessionID: "s1", Event: agentloop.Event{Kind: agentloop.Stepped,
		Step: agentloop.Step{Index: 3, Proposal: agentloop.Proposal{Decision: actions.Decision{
			Action: actions.Home{}, Explain: "Search\x1b[2J it"}}}}})
	require.Regexp(t, `^    emu-1: Look.* \(session s1\)\n    emu-1 3: HOME \(Search.*it\)\n$`, out.String())
	require.NotContains(t, out.String(), "\x1b")
}
