//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/inquiry"
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

// seatScript has a person asked where to sit, and then pays for the seat.
var seatScript = `- {when: 'paid for', reply: "Booked."}
` + toolCallRule("the person answers: aisle", `{"tool": "pay_seat", "arguments": {"seat": "7C"}}`) +
	toolCallRule("Book a seat", `{"tool": "ask_person", "arguments": `+
		`{"question": "Where?\u001b[2J", "choices": ["window", "aisle"]}}`)

// awaitCall waits until a call of mark_seat has begun.
func (x *hostEnv) awaitCall(p *process) {
	x.t.Helper()
	select {
	case <-x.begun:
	case <-time.After(patience):
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

func TestSilencePausesAHostWithoutATerminal(t *testing.T) {
	t.Parallel()
	x := newHostEnv(t, `- {when: 'no answer in time', reply: "Not paid."}
`+toolCallRule("Pay seat 7C", `{"tool": "pay_seat", "arguments": {"seat": "7C"}}`)+seatScript,
		"TAPLOOP_QUESTIONS_ATTENTION=1s")
	out, errs, code := x.run("host", "--mcp", x.file, "Book a seat")
	require.Equal(t, exitWaiting, code, "%s%s", out, errs)
	require.Contains(t, errs, "\npaused: ")
	id := x.newest()
	require.Contains(t, errs, "taploop host --resume "+id)

	var open []struct {
		ID string `json:"question_id"`
	}
	out, errs, code = x.run("inquiries", "--json")
	require.Zero(t, code, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &open))
	require.Len(t, open, 1)
	_, errs, code = x.run("reply", open[0].ID, "aisle")
	require.Zero(t, code, errs)
	_, errs, code = x.run("host", "--resume", id)
	require.Equal(t, exitWaiting, code, "the payment is held: %s", errs)
	require.Contains(t, errs, "\npaused: ")
	require.Zero(t, x.paid.Load())
	out, errs, code = x.run("sessions", "show", id)
	require.Zero(t, code, errs)
	require.Contains(t, out, "  1-1  asked a person: Where?")
	require.Regexp(t, `    answered: aisle \(.*\n    = the person answers: aisle\n`, out)
	require.Regexp(t, `  1-2  travel: pay seat 7C\n    asked: travel wants to pay seat 7C .*\n    pending: `, out)
	require.NotContains(t, out, "{", "what was called is in words")

	x.env = append(x.env, "TAPLOOP_QUESTIONS_ON_UNDECIDED=reject")
	out, errs, code = x.run("host", "--mcp", x.file, "Pay seat 7C")
	require.Zero(t, code, errs)
	require.Equal(t, "Not paid.\n", out)
	require.Zero(t, x.paid.Load())
}

// The goal that docs/host.md gives as an example is reached on one phone, a task after the other.
func TestTheGoalOfThePageOfTheHostIsReached(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/host.md")
	require.NoError(t, err)
	found := regexp.MustCompile(`taploop host "([^"]+)"`).FindStringSubmatch(string(page))
	require.NotNil(t, found)
	var calls []string
	for _, id := range []string{"alarm-0730", "like-message"} {
		task, _ := newPhone().Task(id)
		calls = append(calls, `{"tool": "use_phone", "arguments": {"task": "`+task.Goal+`"}}`)
	}
	b := newTestEnv(t, "alarm-0730", "- {when: 'Result of the call', reply: \"Both are done.\"}\n"+
		toolCallRule(regexp.QuoteMeta(found[1]), calls...), "TAPLOOP_HOST_TEXTUAL=true")
	liked, _ := b.sim.Phone.Task("like-message")
	liked.Setup(b.sim.Phone)
	out, errs, code := b.run("host", found[1])
	require.Zero(t, code, errs)
	require.Equal(t, "Both are done.\n", out)
	require.NoError(t, b.task.Check(b.sim.Phone), errs)
	require.NoError(t, liked.Check(b.sim.Phone), errs)
	id := regexp.MustCompile(`session (\w+)`).FindStringSubmatch(errs)[1]
	shown, errs, code := b.run("sessions", "show", id)
	require.Zero(t, code, errs)
	require.Contains(t, shown, "\n  model: 2 calls, ")
	require.NotContains(t, shown, "0s of work")
}

// What waits, and what a slip of the pen leaves out, is told.
func TestAHostTellsOfAPhoneThatIsHeldAndOfARoleThatNamesNoTool(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, toolCallRule("Get shoes",
		`{"tool": "use_phone", "arguments": {"task": "Look"}}`), "TAPLOOP_HOST_TEXTUAL=true")
	_, errs, code := b.run("run", b.task.Goal)
	require.Equal(t, exitWaiting, code, errs)
	file := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, writeFile(file, "host: {roles: {main: {tools: [use_phone, \"gone/*\"]}}}"))

	p := b.spawn("host", "--config", file, "Get shoes")
	p.stderr.await(t, `(host.roles.main: gone/\* names no tool)`)
	p.stderr.await(t, "(waits for the phone "+simulation.DefaultSerial+
		", which another session has)")
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, exitInterrupted, p.ends(), "%s", p.stderr)
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
	going := s.call("ask_agent_continue", map[string]any{"session_id": begun.SessionID,
		"wait_seconds": 0})
	require.EqualValues(t, "STILL_RUNNING", going.Reason, "it is waited for")
	s.refused("RUN_IN_PROGRESS", "ask_agent_continue",
		map[string]any{"session_id": begun.SessionID, "task": "and hurry"})
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
	require.Contains(t, done.words, "done, after the work of its agents")
	require.EqualValues(t, 1, x.marked.Load())
	s.refused("RUN_ENDED", "ask_agent_continue", session)
	_, said, code := x.run("host", "--resume", begun.SessionID)
	require.Equal(t, exitUsage, code, said)
}

// A question is the client's to answer, what the guard holds is not, and neither is lost when the
// server ends: the next one continues the goal, or leaves that to the client.
func TestADelegatedGoalAsksAndIsHeld(t *testing.T) {
	for _, resume := range []string{"detached", "none"} {
		t.Run(resume, func(t *testing.T) {
			t.Parallel()
			x, s, id := restartWhileAGoalIsHeld(t, resume)
			look := map[string]any{"session_id": id, "wait_seconds": 0}
			at := s.call("ask_agent_wait", look)
			if resume == "none" {
				require.EqualValues(t, "SERVER_RESTARTED", at.Reason)
				at = s.call("ask_agent_continue", map[string]any{"session_id": id})
			}
			// One that the server continues may be about to.
			for end := time.Now().Add(patience); at.Reason == "SERVER_RESTARTED"; {
				require.True(t, time.Now().Before(end), "it was not continued")
				at = s.call("ask_agent_wait", look)
			}
			done := s.follow(at)
			require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
			require.Equal(t, "Booked.", *done.Answer)
			require.EqualValues(t, 1, x.paid.Load())
		})
	}
}

// restartWhileAGoalIsHeld delegates a goal, answers what it asks, and approves its held payment
// while no server is up. It returns the session with a client of the next server.
func restartWhileAGoalIsHeld(t *testing.T, resume string) (*hostEnv, *clientProcess, string) {
	x := newHostEnv(t, seatScript, "TAPLOOP_HOST_ENABLED=true", "TAPLOOP_RUNS_RESUME="+resume)
	x.env = append(x.env, "TAPLOOP_HOST_MCP="+x.file)
	s, token := x.openAs("mine", modern)
	id := s.call("delegate_goal",
		map[string]any{"goal": "Book a seat", "wait_seconds": 0}).SessionID
	look := map[string]any{"session_id": id, "wait_seconds": 0}
	asked := func(text string) (q inquiry.Question) {
		for range 1000 {
			list := x.questions()
			if len(list) == 1 && strings.Contains(list[0].Text, text) {
				st := s.call("ask_agent_wait", look)
				require.EqualValues(t, "STILL_RUNNING", st.Reason)
				require.Contains(t, st.words, "list_pending_questions")
				return list[0]
			}
		}
		require.Fail(t, "nothing is asked", text)
		return q
	}
	s.call("answer_question", map[string]any{"question_id": asked("Where?").ID,
		"response": "aisle"})
	held := asked("travel wants to pay seat")
	decide := map[string]any{"question_id": held.ID, "decisions": []any{map[string]any{
		"type": "approve"}}}
	refused, err := s.try(t.Context(), "answer_question", decide)
	require.NoError(t, err)
	require.True(t, refused.raw.IsError, "%s", refused.words)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, s.ends(), "%s", s.stderr)
	_, errs, code := x.run("reply", held.ID, "--approve")
	require.Zero(t, code, errs)
	require.Zero(t, x.paid.Load())

	p, url := x.serve()
	return x, &clientProcess{p, connect(t, modern, over(t, url, bearer(token))), url}, id
}
