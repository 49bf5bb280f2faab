//go:build unix

package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/session"
)

// A minute of a client's patience is a second and a half here, and so is everything else forty times as fast.
const minute = 1500 * time.Millisecond

// long is a task of ten steps, before each of which the model thinks for so long that all take ten minutes.
func long() string {
	var b strings.Builder
	for i := 10; i >= 0; i-- {
		action, when := fmt.Sprintf("WAIT\\tvalue:0.01\\tsummary:[long %d]", i+1), fmt.Sprintf("  when: '\\[long %d\\]'\n", i)
		switch i {
		case 10:
			action = "COMPLETE\\treturn:ten minutes are over\\tsummary:done"
		case 0:
			when = "  when: 'take your time'\n"
		}
		fmt.Fprintf(&b, "- reply: \"<THINK> x </THINK>\\nexplain:x\\taction:%s\"\n%s  delay: %s\n", action, when, minute*10/11)
	}
	return b.String()
}

// A client that gives every call up after a minute gets through a task of ten with one start.
func TestATaskOutlivesItsCalls(t *testing.T) {
	eachTransport(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, long(), "TAPLOOP_CALLS_WAIT="+(minute*3/4).String(), "TAPLOOP_CALLS_MAX_WAIT="+(minute*3/2).String())
		s := b.open(w)
		var calls []time.Duration
		call := func(tool string, args map[string]any) said {
			ctx, cancel := context.WithTimeout(t.Context(), minute)
			defer cancel()
			began := time.Now()
			got, err := s.try(ctx, tool, args)
			require.NoError(t, err, "call %d", len(calls)+1)
			require.False(t, got.raw.IsError, "%s", got.words)
			require.LessOrEqual(t, got.Timing.Waited, got.Timing.Budget+500)
			calls = append(calls, time.Since(began))
			return got
		}
		began := time.Now()
		st := call("ask_agent_start_new_task", map[string]any{"task": "take your time"})
		for st.Reason == "STILL_RUNNING" {
			require.Equal(t, "ask_agent_wait", st.Next.Tool)
			st = call(st.Next.Tool, st.Next.Arguments)
		}
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", st.Reason, "%s", st.words)
		require.Equal(t, "ten minutes are over", *st.Answer)
		require.GreaterOrEqual(t, time.Since(began), 10*minute)
		require.Greater(t, len(calls), 10, "no call is longer than its budget: %v", calls)
	})
}

func TestAWaitOfZeroReturnsAtOnceAndAnyNumberMayWait(t *testing.T) {
	eachTransport(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		require.EqualValues(t, "STILL_RUNNING", begun.Reason)
		g.await(t)
		began := time.Now()
		st := s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID, "wait_seconds": 0})
		require.EqualValues(t, "STILL_RUNNING", st.Reason)
		require.Less(t, time.Since(began), 2*time.Second)

		results := make(chan said, 5)
		for range cap(results) {
			go func() {
				got, _ := s.try(t.Context(), "ask_agent_wait", map[string]any{"session_id": begun.SessionID})
				results <- got
			}()
		}
		g.open()
		for range cap(results) {
			require.Equal(t, session.WaitingReply, s.follow(<-results).State)
		}
	})
}

func TestProgressTellsEachStepAndEndsBeforeTheResult(t *testing.T) {
	eachWay(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "")
		s := b.open(w)
		got, err := s.ask(t.Context(), "ask_agent_start_new_task", map[string]any{"task": b.task.Goal, "wait_seconds": 60}, "tok")
		require.NoError(t, err)
		require.Equal(t, session.WaitingReply, got.State, "%s", got.words)
		s.mu.Lock()
		heard := s.progress
		s.progress = nil
		s.mu.Unlock()
		last := -1.0
		var words strings.Builder
		for _, n := range heard {
			require.Equal(t, "notifications/progress", n.Method)
			f := n.Params.AdditionalFields
			require.Equal(t, "tok", f["progressToken"])
			require.Greater(t, f["progress"], last)
			last = f["progress"].(float64)
			fmt.Fprintln(&words, f["message"])
		}
		require.GreaterOrEqual(t, len(heard), 4, "%s", &words)
		require.Contains(t, words.String(), "step 1 of 20: AWAKE (open Shop)", "actions are told in words: %s", &words)

		s.call("list_connected_devices", map[string]any{})
		s.mu.Lock()
		defer s.mu.Unlock()
		require.Empty(t, s.progress, "nothing comes after the result")
	})
}

func TestACancelledCallLeavesItsRunAlone(t *testing.T) {
	eachWay(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		g.await(t)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := s.try(ctx, "ask_agent_wait", map[string]any{"session_id": begun.SessionID, "wait_seconds": 50})
			failed <- err
		}()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		g.open()
		asked := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID}))
		require.Equal(t, session.WaitingReply, asked.State, "%s", asked.words)
		require.Equal(t, begun.RunID, asked.RunID)
	})
}

func TestARunThatNobodyWaitsForIsPausedAfterAWhile(t *testing.T) {
	eachTransport(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "", "TAPLOOP_CALLS_DETACH_GRACE=500ms")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal) // and nobody waits
		paused := s.await(begun.SessionID, func(l listedSession) bool { return l.State == "PAUSED" })
		require.Equal(t, "CLIENT_DETACHED", paused.Reason)
		g.open()
		asked := s.follow(s.call("ask_agent_continue", map[string]any{"session_id": begun.SessionID, "wait_seconds": 50}))
		require.Equal(t, session.WaitingReply, asked.State, "%s", asked.words)
		done := s.follow(s.call("ask_agent_continue", map[string]any{"session_id": begun.SessionID, "reply_from_client": "42", "wait_seconds": 50}))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		b.done(tripTouches)
	})
}

func TestAStoppedRunLeavesThePhoneAlone(t *testing.T) {
	eachTransport(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		g.await(t)
		began := time.Now()
		stopped := s.call("ask_agent_stop", map[string]any{"session_id": begun.SessionID})
		require.Equal(t, session.Cancelled, stopped.State)
		require.Less(t, time.Since(began), 2*time.Second)
		g.open() // the model's reply comes too late
		require.Empty(t, b.wire.touches())
		next := s.start(b.task.Goal) // the phone is free
		require.Equal(t, session.WaitingReply, s.follow(next).State)
	})
}

func TestOnePhoneIsForOneSessionAtATime(t *testing.T) {
	eachTransport(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "")
		g := b.holdAt("1/8")
		first := b.open(w)
		second := b.open(w).agent // a server of its own, on the same data folder
		begun := first.start(b.task.Goal)
		g.await(t)

		busy := second.refused("DEVICE_BUSY", "ask_agent_start_new_task", map[string]any{"task": "something else"})
		require.Contains(t, busy.Error.Message, begun.SessionID)
		queued := second.call("ask_agent_start_new_task", map[string]any{"task": b.task.Goal, "queue": true, "wait_seconds": 0})
		require.Equal(t, session.Queued, queued.State, "%s", queued.words)

		g.open()
		asked := first.follow(first.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID}))
		require.Equal(t, session.WaitingReply, asked.State)
		require.Equal(t, "QUEUED", second.look(queued.SessionID).State, "a session that waits for its user keeps the phone")
		done := first.follow(first.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason)
		b.task.Setup(b.sim.phone)
		asked = second.follow(second.call("ask_agent_wait", map[string]any{"session_id": queued.SessionID}))
		require.Equal(t, session.WaitingReply, asked.State, "its turn has come: %s", asked.words)
	})
}

func TestAStartThatIsSentTwiceStartsOnce(t *testing.T) {
	eachTransport(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "")
		s := b.open(w)
		args := map[string]any{"task": b.task.Goal, "wait_seconds": 0, "idempotency_key": "k1"}
		one, two := s.call("ask_agent_start_new_task", args), s.call("ask_agent_start_new_task", args)
		require.Equal(t, one.RunID, two.RunID)
		require.Equal(t, session.WaitingReply, s.follow(two).State)
	})
}

func TestWaitsAreThoseOfTheClientAndTheLogNamesIt(t *testing.T) {
	eachWay(t, func(t *testing.T, w way) {
		b := newBench(t, demoTask, "", "TAPLOOP_CONFIG=bench.yaml")
		require.NoError(t, writeFile(b.dir+"/bench.yaml", "calls:\n  clients:\n    bench: {wait: 300ms, max_wait: 600ms}\n"))
		g := b.holdAt("1/8")
		s := b.open(w, "-v")
		begun := s.start(b.task.Goal)
		g.await(t)
		st := s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID})
		require.EqualValues(t, 300, st.Timing.Budget)
		st = s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID, "wait_seconds": 50})
		require.EqualValues(t, 600, st.Timing.Budget)
		require.Contains(t, s.stderr.String(), "tool=ask_agent_wait client=bench")
	})
}
