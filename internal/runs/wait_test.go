package runs_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestWaitingIsBoundedAndEndsWithTheRun(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap tap tap").Session.ID // one second each, and one for the report

		began := time.Now()
		st, err := w.manager.Wait(w.ctx(),
			runs.WaitRequest{SessionID: id, Budget: 2500 * time.Millisecond})
		require.NoError(t, err)
		require.Equal(t, agentloop.StillRunning, st.Reason)
		require.Equal(t, 2500*time.Millisecond, time.Since(began))
		require.Equal(t, 2500*time.Millisecond, st.Waited)
		require.Equal(t, 2500*time.Millisecond, st.Budget)
		require.Len(t, st.Steps, 2)

		st, err = w.manager.Wait(w.ctx(), runs.WaitRequest{SessionID: id})
		require.NoError(t, err)
		require.Equal(t, agentloop.StillRunning, st.Reason)
		require.Equal(t, 2500*time.Millisecond, time.Since(began), "no budget, no waiting")

		st, err = w.manager.Wait(w.ctx(),
			runs.WaitRequest{SessionID: id, Budget: time.Hour, SinceStep: 3})
		require.NoError(t, err)
		require.Equal(t, store.Completed, st.Run.State)
		require.Equal(t, 5*time.Second, time.Since(began))
		require.Len(t, st.Steps, 2)
		require.Equal(t, 4, st.Steps[0].Index)
		require.Equal(t, 5, st.Local)

		st, err = w.manager.Wait(w.ctx(),
			runs.WaitRequest{SessionID: id, Budget: time.Hour, SinceStep: 5})
		require.NoError(t, err)
		require.Empty(t, st.Steps)
		require.Equal(t, 5, st.Last.Index)
		require.Equal(t, 5, st.Local)
	})
}

func TestAnyNumberMayWait(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap").Session.ID
		got := make(chan store.State, 50)
		for range 50 {
			go func() { got <- w.wait(id).Run.State }()
		}
		for range 50 {
			require.Equal(t, store.Completed, <-got)
		}
	})
}

func TestAWaitersEndIsNotTheRuns(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap").Session.ID
		gone := errors.New("the client hung up")
		ctx, cancel := context.WithCancelCause(w.ctx())
		time.AfterFunc(time.Second/2, func() { cancel(gone) })

		_, err := w.manager.Wait(ctx, runs.WaitRequest{SessionID: id, Budget: time.Hour})

		require.ErrorIs(t, err, gone)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}

func TestWaitingForAnAnswerThatComesThroughAnotherChannel(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask tap").Session.ID)
		time.AfterFunc(time.Minute, func() {
			_, err := w.manager.Broker().
				Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "blue", Channel: "http"})
			require.NoError(t, err)
		})
		began := time.Now()

		got, err := w.manager.Wait(
			w.ctx(),
			runs.WaitRequest{
				SessionID:  st.Session.ID,
				QuestionID: st.Question.ID,
				Budget:     time.Hour,
			},
		)

		require.NoError(t, err)
		require.Equal(t, "done blue", got.Run.Answer)
		require.Equal(t, time.Minute+2*time.Second, time.Since(began))

		got, err = w.manager.Wait(
			w.ctx(),
			runs.WaitRequest{
				SessionID:  st.Session.ID,
				QuestionID: "of another time",
				Budget:     time.Hour,
			},
		)
		require.NoError(t, err)
		require.Equal(t, store.Completed, got.Run.State)
	})
}

func TestWatchersGetTheEventsInOrderAndHoldNobodyUp(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "forever", MaxSteps: 30, KeepEnvironment: true})
		require.NoError(t, err)
		id := st.Session.ID
		lazy := w.manager.Watch(id)
		keen := w.manager.Watch(id)
		other := w.manager.Watch("of somebody else")
		steps := make(chan []int)
		go func() {
			var seen []int
			for e := range keen.C {
				if e.Kind == agentloop.Stepped {
					seen = append(seen, e.Step.Index)
				}
			}
			steps <- seen
		}()
		w.wait(id)
		synctest.Wait()
		for _, x := range []*runs.Watch{lazy, keen, other, lazy} {
			x.Close()
		}

		seen := <-steps
		require.Len(t, seen, 30)
		require.IsIncreasing(t, seen)
		var last runs.Event
		n := 0
		for last = range lazy.C {
			n++
		}
		require.Equal(t, 64, n, "the newest are kept")
		require.Equal(t, runs.StateChanged, last.Kind)
		require.Equal(t, store.Paused, last.State)
		require.Empty(t, other.C)
	})
}

func TestTheObserverSeesTheWholeRun(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.wait(w.start("tap").Session.ID)

		var kinds []string
		for _, e := range w.events {
			kinds = append(kinds, string(e.Kind)+" "+string(e.State))
		}
		require.Equal(t, []string{"state QUEUED", "state RUNNING", "started RUNNING",
			"looking RUNNING", "looked RUNNING", "decided RUNNING", "acting RUNNING",
			"acted RUNNING", "step RUNNING",
			"looking RUNNING", "settled RUNNING", "decided RUNNING", "step RUNNING",
			"ended RUNNING",
			"state COMPLETED"}, kinds)
	})
}

func TestAnAnswerThatIsBeingAppliedIsWaitedFor(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for range 20 {
			st := w.wait(w.start("ask tap").Session.ID)
			_, err := w.manager.Broker().
				Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "red", Channel: "page"})
			require.NoError(t, err)

			st = w.wait(
				st.Session.ID,
			) // in the moment in which it is settled and not applied yet, more often than not

			require.Equal(t, store.Completed, st.Run.State)
		}
	})
}

func TestWaitingIsNotOverInTheMomentOfTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for range 30 {
			st := w.wait(w.start("ask tap").Session.ID)
			answered, question := make(chan error, 1), st.Question.ID
			go func() {
				_, err := w.manager.Broker().Resolve(w.ctx(), question,
					inquiry.Reply{Response: "red", Channel: "page"})
				answered <- err
			}()
			for st.Run.State != store.Completed { // until the answer comes it is over at once
				st = w.wait(st.Session.ID)
				require.NotEqual(t, agentloop.StillRunning, st.Reason, "after %v", st.Waited)
			}
			require.NoError(t, <-answered)
		}
	})
}
