package runs_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// parked starts a run whose phone goes away in the middle. It returns the session and the phone.
func (w *fixture) parked(task string) (id string, h *handset) {
	w.t.Helper()
	id = w.start(task).Session.ID
	time.Sleep(1500 * time.Millisecond)
	h = w.phones.unplug("A")
	st := w.wait(id)
	require.Equal(w.t, store.Paused, st.Run.State)
	require.Equal(w.t, agentloop.DeviceDisconnected, st.Reason)
	return id, h
}

// plug brings a phone back.
func (f *fakePhones) plug(h *handset) {
	h.mu.Lock()
	h.refuse = nil
	h.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.phones[h.serial] = h
}

func reunites(o *runs.Options) { o.Reunite = true }

func TestAServersRunGoesOnWhenItsPhoneIsBack(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(reunites)
		id, h := w.parked("tap tap tap tap")
		time.Sleep(20 * time.Hour)
		w.phones.plug(h)
		time.Sleep(3 * time.Second)
		st := w.wait(id)
		require.Equal(t, store.Completed, st.Run.State, "%+v", st)
		require.Len(t, h.done(), 3, "the touch that was under way is not repeated")
		require.Equal(t, 1, st.Run.Seq)
	})
}

func TestARunThatIsStoppedWhileItsPhoneIsAwayStaysStopped(t *testing.T) {
	for mode, want := range map[runs.StopMode]store.State{runs.Cancel: store.Cancelled,
		runs.Pause: store.Paused} {
		bubble(t, func(t *testing.T, w *fixture) {
			w.again(reunites)
			id, h := w.parked("tap tap tap tap")
			st, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: mode})
			require.NoError(t, err)
			require.Equal(t, want, st.Run.State)
			touched := len(h.done())
			w.phones.plug(h)
			time.Sleep(time.Hour)
			require.Len(t, h.done(), touched)
			now, err := w.manager.Status(w.ctx(), id)
			require.NoError(t, err)
			require.Equal(t, want, now.Run.State)
		})
	}
}

func TestARunWaitsForItsPhoneUntilAnotherSessionIsThroughWithIt(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(reunites)
		id, h := w.parked("tap tap tap tap")
		w.phones.plug(h)
		other := w.start("tap tap tap tap tap tap").Session.ID
		time.Sleep(time.Minute)
		require.Equal(t, store.Completed, w.wait(other).Run.State)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
	})
}

func TestAPhoneThatGoesAwayAgainParksTheRunAgain(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(reunites)
		w.policy.think = 800 * time.Millisecond // not longer from some step on
		id, h := w.parked("forever")
		for range 3 {
			before := len(h.done())
			w.phones.plug(h)
			time.Sleep(4500 * time.Millisecond)
			w.phones.unplug("A")
			time.Sleep(10 * time.Second)
			st, err := w.manager.Status(w.ctx(), id)
			require.NoError(t, err)
			require.Equal(t, agentloop.DeviceDisconnected, st.Reason)
			require.Greater(t, len(h.done()), before)
		}
	})
}

// Who waits for a phone at a terminal does so for a while, and no longer than there is a reason.
func TestAReunionEndsWithItsTimeOrItsReason(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id, h := w.parked("tap tap tap tap")
		late := errors.New("too late")
		ctx, cancel := context.WithTimeoutCause(w.ctx(), 2*time.Minute, late)
		defer cancel()
		began := time.Now()
		back, err := w.manager.Reunite(ctx, id)
		require.False(t, back)
		require.ErrorIs(t, err, late)
		require.Equal(t, 2*time.Minute, time.Since(began))

		w.phones.plug(h)
		back, err = w.manager.Reunite(w.ctx(), id)
		require.NoError(t, err)
		require.True(t, back)
		require.Equal(t, store.Completed, w.wait(id).Run.State)
		back, err = w.manager.Reunite(w.ctx(), id)
		require.NoError(t, err)
		require.False(t, back, "nothing to wait for")
	})
}

// Whoever asks a person after the phone has gone, an MCP server behind the proxy say, is not passed
// over when it is back: the run waits for the answer, and goes on with it.
func TestARunThatComesBackWithItsPhoneWaitsForItsOpenQuestion(t *testing.T) {
	for name, farm := range map[string]bool{"a server": false, "a machine of a farm": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				w.again(reunites)
				if farm {
					w.opts.Reunite = true
					all := w.phones
					w = w.machine(all, "A")
					defer w.close()
				}
				id, h := w.parked("tap tap tap tap")
				run := w.stands(id).Run
				q, err := w.manager.Broker().Open(w.ctx(), inquiry.Question{
					Kind: inquiry.KindInquiry, SessionID: id, RunID: run.ID, Fence: run.Fence,
					Body: &inquiry.Ask{}, Text: "which colour?"})
				require.NoError(t, err)
				touched := len(h.done())
				w.phones.plug(h)
				time.Sleep(time.Minute)
				st := w.stands(id)
				require.Equal(t, store.WaitingReply, st.Run.State, "%s", st.Message)
				require.Equal(t, q.ID, st.Run.QuestionID)
				require.Len(t, h.done(), touched, "nobody has answered")
				w.reply(id, "red")
				require.Equal(t, store.Completed, w.wait(id).Run.State)
				require.Contains(t, w.stands(id).Run.Answer, "red")
			})
		})
	}
}
