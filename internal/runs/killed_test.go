package runs_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// TestKilled kills a process with SIGKILL at a telling moment, and goes on in this one.
func TestKilled(t *testing.T) {
	for _, c := range []struct {
		at     string // what the child says in that moment
		task   string
		state  store.State
		reason agentloop.StopReason
		asks   bool // the question is open
		done   int  // touches of the child
		more   int  // touches of this process
		steps  int
		note   agentloop.NoteKind
	}{
		{at: "touch 1", task: "tap tap", state: store.Paused, reason: agentloop.ServerRestarted,
			more: 1, steps: 3, note: agentloop.NoteOutcomeUnknown},
		{at: "touch 2", task: "tap tap", state: store.Paused, reason: agentloop.ServerRestarted,
			done: 1, steps: 3, note: agentloop.NoteOutcomeUnknown},
		{at: "think 2", task: "tap tap", state: store.Paused, reason: agentloop.ServerRestarted,
			done: 1, more: 1, steps: 3, note: agentloop.NoteResumed},
		{at: "WAITING_REPLY", task: "tap ask tap", state: store.WaitingReply,
			reason: agentloop.InfoNeedsReply, asks: true, done: 1, more: 1, steps: 4},
		{at: "asking", task: "tap ask tap", state: store.WaitingReply,
			reason: agentloop.InfoNeedsReply, asks: true, done: 1, more: 1, steps: 4},
		{at: "QUEUED", task: "tap", state: store.Paused, reason: agentloop.ServerRestarted,
			more: 1, steps: 2, note: agentloop.NoteResumed},
	} {
		t.Run(c.at, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			dir := t.TempDir()
			did := killChild(t, dir, c.task, c.at)
			w := newFixture(t, dir)
			w.policy.think = 0
			defer w.close()
			sessions, err := w.store.Sessions(w.ctx(), store.Filter{})
			require.NoError(t, err)
			id := sessions[0].ID
			require.NoError(t, w.manager.Recover(w.ctx()))

			st, err := w.manager.Status(w.ctx(), id)
			require.NoError(t, err)
			require.Equal(t, c.state, st.Run.State)
			require.Equal(t, c.reason, st.Reason)
			require.Equal(t, c.asks, st.Question != nil)
			require.Equal(t, c.done, did, "touches that the child has completed")

			req := runs.ContinueRequest{SessionID: id}
			if c.asks {
				req.Reply = &inquiry.Reply{Response: "red"}
				req.QuestionID = st.Question.ID
			}
			_, err = w.manager.Continue(w.ctx(), req)
			require.NoError(t, err)
			st = w.wait(id)

			require.Equal(t, store.Completed, st.Run.State, "%s %s", st.Reason, st.Message)
			require.Len(t, w.phones.phones["A"].done(), c.more, "no action is repeated")
			require.Equal(t, c.steps, st.Session.Steps)
			if c.asks {
				require.Equal(
					t,
					[]actions.Exchange{
						{Question: "question 1?", Answer: "red", Outcome: actions.Answered},
					},
					st.Run.Progress.Exchanges,
				)
				require.Len(t, w.questions(id), 1)
			} else {
				require.Equal(t, c.note, w.policy.seen[0].Notes[0].Kind)
			}
		})
	}
}

func TestContinueAloneRecoversARunThatWasKilled(t *testing.T) {
	dir := t.TempDir()
	killChild(t, dir, "tap tap", "touch 1")
	w := newFixture(t, dir)
	w.policy.think = 0
	defer w.close()
	sessions, err := w.store.Sessions(w.ctx(), store.Filter{})
	require.NoError(t, err)

	_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: sessions[0].ID})
	require.NoError(t, err)

	require.Equal(t, store.Completed, w.wait(sessions[0].ID).Run.State)
	require.Equal(t, agentloop.NoteOutcomeUnknown, w.policy.seen[0].Notes[0].Kind)
	require.Len(t, w.phones.phones["A"].done(), 1)
}

func TestWaitNoticesThatARunWasKilled(t *testing.T) {
	dir := t.TempDir()
	killChild(t, dir, "tap tap", "touch 1")
	w := newFixture(t, dir)
	defer w.close()
	sessions, err := w.store.Sessions(w.ctx(), store.Filter{})
	require.NoError(t, err)

	require.Equal(t, agentloop.ServerRestarted, w.wait(sessions[0].ID).Reason)
}

// killChild runs a task in a process of its own until it says what is waited for, kills it, and
// returns how many touches it completed.
func killChild(t *testing.T, dir, task, at string, env ...string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TAPLOOP_TEST_CHILD="+dir, "TAPLOOP_TEST_TASK="+task,
		"TAPLOOP_TEST_AT="+at)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	done := 0
	said := false
	lines := bufio.NewScanner(out)
	for !said && lines.Scan() {
		if lines.Text() == "touched" {
			done++
		}
		said = lines.Text() == at
	}
	require.NoError(t, cmd.Process.Kill())
	require.ErrorContains(t, cmd.Wait(), "killed")
	require.True(t, said, "the child never said %q", at)
	return done
}

func TestMain(m *testing.M) {
	if dir := os.Getenv("TAPLOOP_TEST_CHILD"); dir != "" {
		child(dir, os.Getenv("TAPLOOP_TEST_TASK"), os.Getenv("TAPLOOP_TEST_AT"))
	}
	if dir := os.Getenv("TAPLOOP_TEST_APPROVED"); dir != "" {
		carryOutApproved(dir)
	}
	os.Exit(m.Run())
}

// child runs the task and says what happens, one word or two a line. In the moment that is asked
// for it stops and waits to be killed.
func child(dir, task, at string) {
	ctx := context.Background()
	say := func(form string, args ...any) {
		line := fmt.Sprintf(form, args...)
		fmt.Println(line)
		if line == at {
			select {}
		}
	}
	db, err := store.Open(ctx, dir, nil)
	check(err)
	phones, touches := newFakePhones("A"), 0
	phones.phones["A"].onTouch = func(context.Context) error {
		if touches > 0 {
			fmt.Println("touched")
		}
		touches++
		say("touch %d", touches)
		return nil
	}
	m := &scriptedPolicy{}
	f := runs.New(&runs.Options{Store: db, Phones: phones, Limits: agentloop.Limits{Settle: -1},
		NewGate:   gateOf(task),
		NewPolicy: func(s runs.Settings) (agentloop.Policy, error) { return m.make(s) },
		Observe: func(e runs.Event) {
			switch e.Kind {
			case runs.StateChanged:
				say("%s", e.State)
			case agentloop.Looked, agentloop.Settled:
				if touches > 0 && strings.HasPrefix(at, "think") {
					fmt.Println("touched")
					say("think %d", e.Step.Index)
				}
			case agentloop.Ended:
				if e.Ending.Question != nil {
					fmt.Println("touched")
					say("asking")
				}
			}
		}})
	if id := os.Getenv("TAPLOOP_TEST_SESSION"); id != "" {
		check(f.Recover(ctx))
		_, err = f.Continue(ctx,
			runs.ContinueRequest{SessionID: id, Reply: by(yes)})
	} else {
		_, err = f.Start(ctx, runs.StartRequest{Task: task, KeepEnvironment: true})
	}
	check(err)
	select {}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
}
