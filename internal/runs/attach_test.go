package runs_test

import (
	"encoding/json"
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

// graced is a bubble whose Manager pauses runs that nobody has been attached to for two minutes.
func graced(t *testing.T, test func(t *testing.T, w *fixture)) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.close()
		w.opts.DetachGrace = 2 * time.Minute
		w.opts.Limits.Steps, w.policy.think = 1000, 3*time.Second
		w.begin()
		test(t, w)
	})
}

func (w *fixture) now(id string) string {
	st, err := w.manager.Status(w.ctx(), id)
	require.NoError(w.t, err)
	return string(st.Run.State) + " " + string(st.Reason)
}

func TestARunThatNobodyIsAttachedToIsPausedAfterItsGrace(t *testing.T) {
	graced(t, func(t *testing.T, w *fixture) {
		id := w.start("forever").Session.ID
		detach := w.manager.Attach(id)
		time.Sleep(time.Hour / 4)
		require.Equal(t, "RUNNING STILL_RUNNING", w.now(id), "somebody is attached")

		detach()
		time.Sleep(119 * time.Second)
		require.Equal(t, "RUNNING STILL_RUNNING", w.now(id))
		time.Sleep(4 * time.Second)
		synctest.Wait()

		require.Equal(t, "PAUSED CLIENT_DETACHED", w.now(id))
		st := w.wait(id)
		require.NotEmpty(t, st.Steps)
		require.Equal(t, store.Done, st.Last.State, "it ended with a whole step")
		w.phones.phones["A"].idle(t)

		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		require.Equal(t, "RUNNING STILL_RUNNING", w.now(id), "it can be gone on with")
	})
}

func TestOnlyARunThatNobodyWasAttachedToIsPickedUp(t *testing.T) {
	graced(t, func(t *testing.T, w *fixture) {
		id := w.start("forever").Session.ID
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
		require.NoError(t, err)
		_, err = w.manager.PickUp(w.ctx(), id)
		require.NoError(t, err)
		require.Equal(t, "PAUSED USER_PAUSED", w.now(id))

		_, err = w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: id})
		require.NoError(t, err)
		time.Sleep(3 * time.Minute)
		require.Equal(t, "PAUSED CLIENT_DETACHED", w.now(id))
		defer w.manager.Attach(id)()
		_, err = w.manager.PickUp(w.ctx(), id)
		require.NoError(t, err)
		time.Sleep(10 * time.Minute)
		require.Equal(t, "RUNNING STILL_RUNNING", w.now(id))
	})
}

func TestWhoAttachesAgainInTimeKeepsTheRunGoing(t *testing.T) {
	graced(t, func(t *testing.T, w *fixture) {
		id := w.start("forever").Session.ID
		for range 3 {
			time.Sleep(100 * time.Second)
			first, second := w.manager.Attach(id), w.manager.Attach(id)
			first()
			first() // counts once
			time.Sleep(150 * time.Second)
			require.Equal(t, "RUNNING STILL_RUNNING", w.now(id), "the second is still there")
			second()
		}
		time.Sleep(125 * time.Second)
		require.Equal(t, "PAUSED CLIENT_DETACHED", w.now(id))
	})
}

func TestARunThatMayGoOnAloneDoes(t *testing.T) {
	graced(t, func(t *testing.T, w *fixture) {
		st, err := w.manager.Start(w.ctx(),
			runs.StartRequest{Task: "forever", Settings: runs.Settings{DetachedOK: true}})
		require.NoError(t, err)
		w.manager.Attach(st.Session.ID)()
		time.Sleep(10 * time.Minute)
		require.Equal(t, "RUNNING STILL_RUNNING", w.now(st.Session.ID))
	})
}

func TestAQuestionWaitsHoweverLongNobodyIsAttached(t *testing.T) {
	graced(t, func(t *testing.T, w *fixture) {
		id := w.start("ask tap").Session.ID
		detach := w.manager.Attach(id)
		w.wait(id)
		detach()
		time.Sleep(time.Hour)
		require.Equal(t, "WAITING_REPLY INFO_ACTION_NEEDS_REPLY", w.now(id))

		w.reply(id, "red")

		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}

func TestNobodyInTheLineGivesItsPlaceUpAfterItsGrace(t *testing.T) {
	graced(t, func(t *testing.T, w *fixture) {
		first := w.start("forever").Session.ID
		defer w.manager.Attach(first)()
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Queue: true})
		require.NoError(t, err)
		time.Sleep(125 * time.Second)
		require.Equal(t, "PAUSED CLIENT_DETACHED", w.now(st.Session.ID))
	})
}

func TestTheSameKeyIsTheSameSession(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		start := func(client, key, task string) (runs.Status, error) {
			return w.manager.Start(w.ctx(),
				runs.StartRequest{Task: task, Client: client, Key: key, KeepEnvironment: true})
		}
		st, err := start("ann", "k", "tap tap")
		require.NoError(t, err)
		id := st.Session.ID
		again, err := start("ann", "k", " tap  tap")
		require.NoError(t, err)
		require.Equal(t, id, again.Session.ID)
		_, err = start("bob", "k", "tap tap")
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err), "another client's key is another key")
		_, err = start("ann", "k", "another task")
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
		w.wait(id)

		w.close()
		w.begin()

		again, err = start("ann", "k", "tap tap")
		require.NoError(t, err)
		require.Equal(t, id, again.Session.ID, "across a restart, and although it has ended")
		require.Equal(t, agentloop.TaskCompleted, again.Reason)
		require.Equal(t, []string{"tap", "tap"}, w.phones.phones["A"].done())
	})
}

// A skill's task may not say what its parameters are.
func TestAKeyIsNotForTheSameTaskWithAnotherSkill(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		start := func(plan string) (runs.Status, error) {
			return w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Key: "k",
				Settings: runs.Settings{Skill: json.RawMessage(plan)}})
		}
		st, err := start(`{"to": "Bob <b>"}`)
		require.NoError(t, err)
		again, err := start(`{"to": "Bob <b>"}`)
		require.NoError(t, err)
		require.Equal(t, st.Session.ID, again.Session.ID)
		_, err = start(`{"to": "Anna"}`)
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
	})
}

func TestOfManyStartsUnderOneKeyOneBegins(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		got := make([]runs.Status, 20)
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() {
				var err error
				got[i], err = w.manager.Start(
					w.ctx(),
					runs.StartRequest{
						Task:            "tap",
						Key:             "k",
						KeepEnvironment: true,
						Queue:           i%2 == 0,
					},
				)
				require.NoError(t, err)
			})
		}
		wg.Wait()
		for _, st := range got {
			require.Equal(t, got[0].Session.ID, st.Session.ID)
		}
		all, err := w.store.Sessions(w.ctx(), store.Filter{})
		require.NoError(t, err)
		require.Len(t, all, 1, "nothing is left of the others")
		w.wait(got[0].Session.ID)
	})
}

func TestAKeyIsFreeWhenItsStartWasRefused(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		other := w.start("forever").Session.ID
		_, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Key: "k"})
		require.Equal(t, runs.DeviceBusy, runs.CodeOf(err))
		_, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: other})
		require.NoError(t, err)

		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Key: "k"})

		require.NoError(t, err)
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
	})
}

func TestASessionIsThereForItsClientOnly(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap", Client: "ann"})
		require.NoError(t, err)
		id := st.Session.ID
		sess, err := w.manager.Session(w.ctx(), id, store.Owners{"ann"})
		require.NoError(t, err)
		require.Equal(t, id, sess.ID)

		_, foreign := w.manager.Session(w.ctx(), id, store.Owners{"bob"})
		_, unknown := w.manager.Session(w.ctx(), "nosuch", store.Owners{"bob"})

		require.Equal(t, runs.SessionNotFound, runs.CodeOf(foreign))
		require.EqualError(t, foreign, `there is no session "`+id+`"`)
		require.EqualError(t, unknown, `there is no session "nosuch"`)
		_, short := w.manager.Session(w.ctx(), id[:3], store.Owners{"ann"})
		require.EqualError(t, short, `there is no session "`+id[:3]+`": of a session's id at `+
			"least 4 characters are needed")
		w.wait(id)
	})
}

func TestAnAnswerTellsWhichQuestionItSettled(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.wait(w.start("asksecret").Session.ID)
		reply := runs.ContinueRequest{
			SessionID: st.Session.ID,
			Reply:     &inquiry.Reply{Response: "1234", ID: "r"},
		}
		for range 2 {
			got, err := w.manager.Continue(w.ctx(), reply)
			require.NoError(t, err)
			require.Equal(t, st.Question.ID, got.Answered.ID)
			require.True(t, got.Answered.Secret)
		}
		w.wait(st.Session.ID)
	})
}
