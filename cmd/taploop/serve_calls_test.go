//go:build unix

package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/store"
)

// A minute of the server is 600 ms here: it is configured to wait a hundredth of the usual 45 s.
const (
	minute   = 600 * time.Millisecond
	callWait = minute * 45 / 60
)

// steps10 is a task of ten steps, and what the model is asked about before each of them.
func steps10() (script string, about []string) {
	var b strings.Builder
	for i := 10; i >= 0; i-- {
		action, when := fmt.Sprintf("WAIT\\tvalue:0.01\\tsummary:[long %d]", i+1),
			fmt.Sprintf("[long %d]", i)
		switch i {
		case 10:
			action = "COMPLETE\\treturn:ten minutes are over\\tsummary:done"
		case 0:
			when = "take your time"
		}
		fmt.Fprintf(&b, "- reply: \"<THINK> x </THINK>\\nexplain:x\\taction:%s\"\n  when: '%s'\n",
			action, regexp.QuoteMeta(when))
		about = append(about, when)
	}
	slices.Reverse(about)
	return b.String(), about[:10]
}

// A client that gives every call up after a minute gets through a task of ten with one start. The
// model thinks about each of the ten steps until the client has waited for one more minute, so that
// a slow machine changes nothing: a call that does not keep to its budget waits for a model that
// waits for the client, and the client gives it up.
func TestATaskOutlivesItsCalls(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		script, about := steps10()
		b := newTestEnv(t, demoTask, script, "TAPLOOP_CALLS_WAIT="+callWait.String())
		var thinking []*thinkingPause
		for _, words := range about {
			thinking = append(thinking, b.holdOn(words))
		}
		s := b.open(w)
		calls, waited := 0, time.Duration(0)
		call := func(tool string, args map[string]any) toolResult {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			got, err := s.try(ctx, tool, args)
			calls++
			require.NoError(t, err, "call %d", calls)
			require.False(t, got.raw.IsError, "%s", got.words)
			require.EqualValues(t, callWait.Milliseconds(), got.Timing.Budget)
			return got
		}
		st := call("ask_agent_start_new_task", map[string]any{"task": "take your time"})
		begun := st
		for st.Reason == "STILL_RUNNING" {
			require.GreaterOrEqual(t, st.Timing.Waited, st.Timing.Budget, "the budget is used")
			waited += callWait
			for len(thinking) > 0 && waited >= minute*time.Duration(11-len(thinking)) {
				thinking[0].await(t)
				thinking[0].open()
				thinking = thinking[1:]
			}
			require.Equal(t, "ask_agent_wait", st.Next.Tool)
			st = call(st.Next.Tool, st.Next.Arguments)
			require.Equal(t, begun.RunID, st.RunID)
		}
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", st.Reason, "%s", st.words)
		require.Equal(t, "ten minutes are over", *st.Answer)
		require.Equal(t, 11, st.Global)
		require.GreaterOrEqual(t, waited, 10*minute)
		require.Empty(t, thinking)
	})
}

func TestAWaitOfZeroReturnsAtOnceAndAnyNumberMayWait(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		require.EqualValues(t, "STILL_RUNNING", begun.Reason)
		g.await(t)
		watch := s.stopwatch()
		st := s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID,
			"wait_seconds": 0})
		watch.within(2 * time.Second)
		require.EqualValues(t, "STILL_RUNNING", st.Reason)
		require.Zero(t, st.Timing.Budget)

		results := make(chan toolResult, 5)
		for range cap(results) {
			go func() {
				got, _ := s.try(t.Context(), "ask_agent_wait",
					map[string]any{"session_id": begun.SessionID})
				results <- got
			}()
		}
		g.open()
		for range cap(results) {
			require.Equal(t, store.WaitingReply, s.follow(<-results).State)
		}
	})
}

func TestProgressTellsEachStepAndEndsBeforeTheResult(t *testing.T) {
	eachRoute(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "", "TAPLOOP_CALLS_MAX_WAIT=10m")
		s := b.open(w)
		got, err := s.ask(t.Context(), "ask_agent_start_new_task",
			map[string]any{"task": b.task.Goal, "wait_seconds": 600}, "tok")
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, got.State, "%s", got.words)
		s.mu.Lock()
		heard := s.progress
		s.progress = nil
		s.mu.Unlock()
		last := -1.0
		var words strings.Builder
		for _, n := range heard {
			f := n.Params.AdditionalFields
			require.Equal(t, "tok", f["progressToken"])
			require.Greater(t, f["progress"], last)
			last = f["progress"].(float64)
			fmt.Fprintln(&words, f["message"])
		}
		require.GreaterOrEqual(t, len(heard), 4, "%s", &words)
		require.Contains(t, words.String(), "step 1 of 20: opened Shop",
			"actions are told in words: %s", &words)

		s.call("list_connected_devices", map[string]any{})
		s.mu.Lock()
		defer s.mu.Unlock()
		require.Empty(t, s.progress, "nothing comes after the result")
	})
}

func TestACancelledCallLeavesItsRunAlone(t *testing.T) {
	eachRoute(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w, "-v")
		begun := s.start(b.task.Goal)
		g.await(t)
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := s.ask(ctx, "ask_agent_wait",
				map[string]any{"session_id": begun.SessionID, "wait_seconds": 50}, "tok")
			failed <- err
		}()
		s.attached()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		// The older era over HTTP has no word for it in this client: there the server gives a lost
		// connection ten seconds to come back.
		s.stderr.await(t,
			`msg=call .*tool=ask_agent_wait .*left=.*(?:cancelled|connection is lost)`)
		require.Equal(t, "RUNNING", s.look(begun.SessionID).State)
		g.open()
		asked := s.follow(s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID}))
		require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
		require.Equal(t, begun.RunID, asked.RunID)
	})
}

func TestARunThatNobodyWaitsForIsPausedAfterAWhile(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "", "TAPLOOP_CALLS_DETACH_GRACE=2s")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal) // and no call waits
		paused := s.await(begun.SessionID,
			func(l listedSession) bool { return l.State == "PAUSED" })
		require.Equal(t, "CLIENT_DETACHED", paused.Reason)
		g.open()
		// On a slow machine it is paused again while no call waits.
		insist := func(st toolResult) toolResult {
			for st = s.follow(st); st.Reason == "CLIENT_DETACHED"; {
				st = s.follow(s.call("ask_agent_continue",
					map[string]any{"session_id": begun.SessionID}))
			}
			return st
		}
		asked := insist(s.call("ask_agent_continue", map[string]any{"session_id": begun.SessionID}))
		require.Equal(t, store.WaitingReply, asked.State, "%s", asked.words)
		done := insist(s.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason, "%s", done.words)
		b.done(tripTouches)
	})
}

func TestAStoppedRunLeavesThePhoneAlone(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		g.await(t)
		watch := s.stopwatch()
		stopped := s.call("ask_agent_stop", map[string]any{"session_id": begun.SessionID})
		watch.within(2 * time.Second)
		require.Equal(t, store.Cancelled, stopped.State)
		g.deserted(t)
		g.open() // the model's reply comes too late
		require.Equal(t, "CANCELLED", s.look(begun.SessionID).State)
		require.Empty(t, b.wire.touches())
		next := s.follow(s.start(b.task.Goal)) // the phone is free
		require.Equal(t, store.WaitingReply, next.State)
		require.Len(t, b.wire.touches(), askTouches, "those of the second task")
		require.Equal(t, "CANCELLED", s.look(begun.SessionID).State)
	})
}

// The action that is under way is finished, and no other one follows.
func TestAStopInTheMiddleOfAnActionWaitsForIt(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		s := b.open(w)
		begun := s.start(b.task.Goal)
		g.await(t)
		const action = 700 * time.Millisecond
		require.NoError(t, b.sim.ADB.SetLatency(simulation.DefaultSerial, action))
		g.open()
		b.wire.sent.await(t, `(input tap)`) // it is on its way
		watch := s.stopwatch()
		stopped := s.call("ask_agent_stop", map[string]any{"session_id": begun.SessionID})
		watch.within(action + 2*time.Second)
		require.Equal(t, store.Cancelled, stopped.State, "%s", stopped.words)
		require.Len(t, b.wire.touches(), 1)
		require.NoError(t, b.sim.ADB.SetLatency(simulation.DefaultSerial, 0))

		next := s.follow(s.start(b.task.Goal)) // the phone is free
		require.Equal(t, store.WaitingReply, next.State)
		require.Len(t, b.wire.touches(), 1+askTouches, "those of the second task")
	})
}

func TestOnePhoneIsForOneSessionAtATime(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		g := b.holdAt("1/8")
		first := b.open(w)
		second := b.open(w).mcpClient // a server of its own, on the same data folder
		begun := first.start(b.task.Goal)
		g.await(t)

		busy := second.refused("DEVICE_BUSY", "ask_agent_start_new_task",
			map[string]any{"task": "something else"})
		require.Contains(t, busy.Error.Message, begun.SessionID)
		queued := second.call("ask_agent_start_new_task",
			map[string]any{"task": b.task.Goal, "queue": true, "wait_seconds": 0})
		require.Equal(t, store.Queued, queued.State, "%s", queued.words)

		g.open()
		asked := first.follow(first.call("ask_agent_wait",
			map[string]any{"session_id": begun.SessionID}))
		require.Equal(t, store.WaitingReply, asked.State)
		require.Equal(t, "QUEUED", second.look(queued.SessionID).State,
			"a session that waits for its user keeps the phone")
		done := first.follow(first.answer(asked, "42"))
		require.EqualValues(t, "TASK_COMPLETED_SUCCESSFULLY", done.Reason)
		b.task.Setup(b.sim.Phone)
		asked = second.follow(second.call("ask_agent_wait",
			map[string]any{"session_id": queued.SessionID}))
		require.Equal(t, store.WaitingReply, asked.State, "its turn has come: %s", asked.words)
	})
}

func TestAStartThatIsSentTwiceStartsOnce(t *testing.T) {
	eachTransport(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "")
		s := b.open(w)
		args := map[string]any{"task": b.task.Goal, "wait_seconds": 0, "idempotency_key": "k1"}
		one, two := s.call("ask_agent_start_new_task", args),
			s.call("ask_agent_start_new_task", args)
		require.Equal(t, one.RunID, two.RunID)
		require.Equal(t, store.WaitingReply, s.follow(two).State)
	})
}

func TestWaitsAreThoseOfTheClientAndTheLogNamesIt(t *testing.T) {
	eachRoute(t, func(t *testing.T, w route) {
		b := newTestEnv(t, demoTask, "", "TAPLOOP_CONFIG=bench.yaml")
		require.NoError(t,
			writeFile(b.dir+"/bench.yaml",
				"calls:\n  clients:\n    bench: {wait: 300ms, max_wait: 600ms}\n"))
		g := b.holdAt("1/8")
		s := b.open(w, "-v")
		begun := s.start(b.task.Goal)
		g.await(t)
		st := s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID})
		require.EqualValues(t, 300, st.Timing.Budget)
		st = s.call("ask_agent_wait", map[string]any{"session_id": begun.SessionID,
			"wait_seconds": 50})
		require.EqualValues(t, 600, st.Timing.Budget)
		require.Contains(t, s.stderr.String(), "tool=ask_agent_wait client=bench")
	})
}
