package runs_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestStoppingLeavesThePhoneAloneWithinOneAction(t *testing.T) {
	for _, mode := range []runs.StopMode{runs.Cancel, runs.Pause} {
		for name, after := range map[string]time.Duration{
			"while the model thinks": 500 * time.Millisecond,
			"during a gesture":       1500 * time.Millisecond,
			"during a later gesture": 8500 * time.Millisecond,
		} {
			t.Run(string(mode)+" "+name, func(t *testing.T) {
				bubble(t, func(t *testing.T, w *fixture) {
					h := w.phones.phones["A"]
					h.took = time.Second
					id := w.start("forever").Session.ID
					time.Sleep(after)
					began := time.Now()

					st, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: mode})

					require.NoError(t, err)
					require.LessOrEqual(t, time.Since(began), time.Second)
					require.Zero(t, h.open)
					touched := len(h.done())
					require.Len(t, st.Steps, touched, "what was done is journaled")
					time.Sleep(time.Minute)
					require.Len(t, h.done(), touched)
					want := map[runs.StopMode]store.State{runs.Cancel: store.Cancelled,
						runs.Pause: store.Paused}[mode]
					require.Equal(t, want, w.wait(id).Run.State)
				})
			})
		}
	}
}

func TestAPausedRunGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
		require.NoError(t, err)
		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)

		require.Equal(t, store.Completed, w.wait(id).Run.State)
		require.Len(t, w.phones.phones["A"].done(), 3)
	})
}

func TestAStopBeatsALaterAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask").Session.ID)
		events := w.manager.Broker().Subscribe()
		defer events.Close()
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: st.Session.ID})
		require.NoError(t, err)

		began := time.Now()
		e, err := events.Next(w.ctx())
		require.NoError(t, err)
		require.Zero(t, time.Since(began))
		require.Equal(t, inquiry.Withdrew, e.Type, "those who show the question are told")
		_, err = w.manager.Broker().
			Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "red", Channel: "http"})
		require.ErrorIs(t, err, inquiry.ErrGone)
		_, err = w.manager.Continue(
			w.ctx(),
			runs.ContinueRequest{
				SessionID: st.Session.ID,
				Reply:     &inquiry.Reply{Response: "red"}, QuestionID: st.Question.ID,
			},
		)
		require.Equal(t, runs.QuestionAlreadyResolved, runs.CodeOf(err))
		require.ErrorContains(t, err, "the run has ended")
		require.Equal(t, store.Cancelled, w.wait(st.Session.ID).Run.State)
	})
}

func TestAnAnswerToAPausedRunIsKeptUntilItGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("ask").Session.ID)
		_, err := w.manager.Stop(w.ctx(),
			runs.StopRequest{SessionID: st.Session.ID, Mode: runs.Pause})
		require.NoError(t, err)
		_, err = w.manager.Broker().
			Resolve(w.ctx(), st.Question.ID, inquiry.Reply{Response: "blue", Channel: "http"})
		require.NoError(t, err)
		synctest.Wait()
		require.Equal(t, store.Paused, w.wait(st.Session.ID).Run.State, "a pause is a pause")

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID})
		require.NoError(t, err)
		require.Equal(t, "done blue", w.wait(st.Session.ID).Run.Answer)
	})
}

func TestClosingPausesAndTheNextManagerGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		running := w.start("tap tap tap").Session.ID
		time.Sleep(1500 * time.Millisecond)
		st, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "tap", Queue: true, KeepEnvironment: true})
		require.NoError(t, err)
		queued := st.Session.ID
		waited := make(chan runs.Status)
		go func() { waited <- w.wait(running) }()
		synctest.Wait()

		require.NoError(t, w.manager.Close())
		require.Equal(t, agentloop.ServerRestarted, (<-waited).Reason)
		_, err = w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})
		require.Equal(t, runs.ServerClosing, runs.CodeOf(err))
		w.close()
		w.begin()

		for _, id := range []string{running, queued} {
			st, err := w.manager.Status(w.ctx(), id)
			require.NoError(t, err)
			require.Equal(t, store.Paused, st.Run.State)
			require.Equal(t, agentloop.ServerRestarted, st.Reason)
			_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
			require.NoError(t, err)
			require.Equal(t, store.Completed, w.wait(id).Run.State)
		}
		require.Len(t, w.phones.phones["A"].done(), 4)
	})
}

func TestSwitchingTheDisplayOffStopsTheRun(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.phones["A"].pickedUp = 2 // once it was decided what to touch
		st := w.wait(w.start("tap").Session.ID)
		require.Equal(t, store.Cancelled, st.Run.State)
		require.Equal(t, agentloop.ManualStop, st.Reason)
		require.Empty(t, w.phones.phones["A"].done())
	})
}

func TestAnUnknownModeOfStoppingIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").Session.ID
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: "kill"})
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}

func TestACallerWhoGivesUpWaitingForAStopStillStops(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.phones.phones["A"].took = 10 * time.Second
		id := w.start("forever").Session.ID
		time.Sleep(2 * time.Second)
		gone := errors.New("the client is gone")
		ctx, cancel := context.WithTimeoutCause(w.ctx(), time.Second, gone)
		defer cancel()

		_, err := w.manager.Stop(ctx, runs.StopRequest{SessionID: id})

		require.ErrorIs(t, err, gone)
		require.Equal(t, store.Cancelled, w.wait(id).Run.State)
	})
}

func TestWhoStopsARunIsInTheAudit(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		kim := runs.Actor{Channel: "mcp", Authority: "client_model", Name: "kim"}
		st := w.start("forever")
		time.Sleep(5 * time.Second)
		for _, r := range []runs.StopRequest{{Mode: runs.Pause, By: kim}, {Mode: runs.Pause,
			By: kim}, {By: kim}, {By: kim}} {
			r.SessionID = st.Session.ID
			_, err := w.manager.Stop(w.ctx(), r)
			require.NoError(t, err)
		}
		other := w.start("forever")
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: other.Session.ID})
		require.NoError(t, err)

		entries, err := w.store.Audit.List(w.ctx(), store.AuditFilter{})
		require.NoError(t, err)
		var story []string
		for _, e := range entries {
			story = append(
				story,
				fmt.Sprint(e.Event, " ", e.SessionID == st.Session.ID, " ", e.Channel, " ",
					e.Authority, " ", e.By),
			)
		}
		require.Equal(t,
			[]string{"paused true mcp client_model kim", "stopped true mcp client_model kim"},
			story, "once each, and by people only")
	})
}

func TestARunThatIsStartedWhileTheManagerClosesIsPaused(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) {
			o.NewPolicy = func(s runs.Settings) (agentloop.Policy, error) {
				require.NoError(t, w.manager.Close())
				return w.policy.make(s)
			}
		})

		_, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap"})

		require.Equal(t, runs.ServerClosing, runs.CodeOf(err))
		all, err := w.store.Sessions(w.ctx(), store.Filter{})
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, "PAUSED SERVER_RESTARTED", w.now(all[0].ID))
		require.Zero(t, w.phones.phones["A"].open)
		require.Empty(t, w.phones.phones["A"].done())
	})
}

func TestAStopInTheFirstMomentIsNoError(t *testing.T) {
	type ended struct {
		state  store.State
		reason agentloop.StopReason
	}
	for mode, want := range map[runs.StopMode]ended{
		runs.Pause:  {store.Paused, agentloop.UserPaused},
		runs.Cancel: {store.Cancelled, agentloop.Cancelled},
	} {
		for _, moment := range []store.State{store.Queued, store.Running} {
			bubble(t, func(t *testing.T, w *fixture) {
				stopped := make(chan error, 1)
				stop := sync.OnceFunc(func() { // on the run's goroutine, which reads on after it
					sessions, err := w.store.Sessions(w.ctx(), store.Filter{})
					require.NoError(t, err)
					go func() {
						_, err := w.manager.Stop(w.ctx(), runs.StopRequest{
							SessionID: sessions[0].ID, Mode: mode})
						stopped <- err
					}()
					synctest.Wait() // until the stop has been heard, and waits for the run
				})
				w.again(func(o *runs.Options) {
					o.Observe = func(e runs.Event) {
						if e.State == moment {
							stop()
						}
					}
				})

				st := w.wait(w.start("tap").Session.ID)

				require.NoError(t, <-stopped)
				require.Equal(t, want, ended{st.Run.State, st.Reason}, "%s", st.Message)
				require.Empty(t, w.phones.phones["A"].done())
			})
		}
	}
}

// Of agents that are stopped nothing is left in the inbox, and no phone is held.
func TestStoppingAgentsStopsTheirPhonesAndTakesQuestionsBack(t *testing.T) {
	for _, mode := range []runs.StopMode{runs.Pause, runs.Cancel} {
		bubble(t, func(t *testing.T, w *fixture) {
			host, _, err := w.store.Begin(w.ctx(), store.Session{}, store.Run{Task: "compare"})
			require.NoError(t, err)
			q, err := w.manager.Broker().Open(w.ctx(), inquiry.Question{Kind: inquiry.KindInquiry,
				SessionID: host.ID, Text: "Which?"})
			require.NoError(t, err)
			below, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "ask tap", Serial: "A",
				Parent: host.ID})
			require.NoError(t, err)
			asked := w.wait(below.Session.ID)
			require.Equal(t, store.WaitingReply, asked.Run.State)

			st, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: host.ID, Mode: mode})

			require.NoError(t, err)
			q, err = w.manager.Broker().Get(w.ctx(), q.ID)
			require.NoError(t, err)
			phone, err := w.manager.Status(w.ctx(), below.Session.ID)
			require.NoError(t, err)
			if mode == runs.Pause {
				require.Equal(t, store.Paused, st.Run.State)
				require.True(t, q.Open())
				require.True(t, asked.Question.Open())
				return
			}
			require.Equal(t, store.Cancelled, st.Run.State)
			require.Equal(t, inquiry.Withdrawn, q.Status)
			require.Equal(t, store.Cancelled, phone.Run.State)
			asking, err := w.manager.Broker().Get(w.ctx(), asked.Question.ID)
			require.NoError(t, err)
			require.Equal(t, inquiry.Withdrawn, asking.Status)
		})
	}
}
