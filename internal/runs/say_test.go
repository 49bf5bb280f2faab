package runs_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func (w *fixture) say(id string, mode agentloop.MessageMode, words string) (runs.Status, error) {
	return w.manager.Say(w.ctx(),
		runs.SayRequest{SessionID: id, Mode: mode, Text: words, By: ann})
}

func TestARunIsSteeredWithoutAStop(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.start("tap tap tap")
		time.Sleep(1500 * time.Millisecond) // the second decision is under way
		for _, words := range []string{"blue", "no", "the red one"} {
			st, err := w.say(st.Session.ID, agentloop.AsInstruction, words)
			require.NoError(t, err)
			require.Equal(t, store.Running, st.Run.State, "it does not stop")
		}
		st = w.wait(st.Session.ID)
		require.Equal(t, agentloop.TaskCompleted, st.Reason)
		require.Equal(t, "done blue no the red one", st.Run.Answer)
		require.Equal(t, actions.Instructed, w.policy.last().Exchanges[2].Outcome)
		steps, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
		require.NoError(t, err)
		require.Len(t, steps, 4, "what was decided before is no step")
		require.Len(t, steps[1].Proposal.Tries, 2)
		audit, err := w.store.Audit.List(w.ctx(), store.AuditFilter{Event: store.AuditSaid})
		require.NoError(t, err)
		require.Len(t, audit, 3)
		require.Equal(t, "the red one", audit[2].Text)
		require.Equal(t, "Ann", audit[2].By)
	})
}

func TestWhatIsSaidToARunAtRestIsHeardWhenItGoesOnAlsoAfterARestart(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st := w.start("ask tap")
		id := w.wait(st.Session.ID).Session.ID
		st, err := w.say(id, agentloop.AsNote, "it is urgent")
		require.NoError(t, err)
		require.Equal(t, store.WaitingReply, st.Run.State, "a message is no answer")
		w.close()
		w.begin()
		st, err = w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: runs.Pause})
		require.NoError(t, err)
		_, err = w.say(id, agentloop.AsInstruction, "be quick")
		require.NoError(t, err)
		require.Equal(t, store.Paused, st.Run.State)
		w.reply(id, "red")
		require.Equal(t, "done red it is urgent be quick", w.wait(id).Run.Answer)
	})
}

func TestNothingIsSaidToARunThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").Session.ID
		w.wait(id)
		before := w.facts()
		_, err := w.say(id, "", "wait!")
		require.Equal(t, runs.RunEnded, runs.CodeOf(err))
		require.Equal(t, before, w.facts())
	})
}

// Whenever it is said, it is heard, or refused.
func TestAMessageIsHeardOrRefusedWheneverItComes(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		heard, refused := 0, 0
		for at := range 12 {
			id := w.start("tap").Session.ID
			time.Sleep(time.Duration(at) * 200 * time.Millisecond)
			_, err := w.say(id, agentloop.AsNote, "listen")
			answer := w.wait(id).Run.Answer
			require.Equal(t, err == nil, strings.Contains(answer, "listen"), "at %d: %v", at, err)
			if err == nil {
				heard++
			} else {
				refused++
			}
		}
		require.Positive(t, heard)
		require.Positive(t, refused)
	})
}

func TestAMessageIsSaidOnceUnderItsKey(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap tap").Session.ID
		send := func(words string) (runs.Status, error) {
			return w.manager.Say(w.ctx(), runs.SayRequest{SessionID: id, Text: words, Key: "k"})
		}
		first, err := send("faster")
		require.NoError(t, err)
		require.False(t, first.Replayed)
		again, err := send("faster")
		require.NoError(t, err)
		require.True(t, again.Replayed)
		_, err = send("slower")
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
		require.Equal(t, "done faster", w.wait(id).Run.Answer)
		again, err = send("faster")
		require.NoError(t, err, "also when the run has ended since")
		require.True(t, again.Replayed)
	})
}

func TestAMessageThatCannotBeSaid(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("wait wait").Session.ID
		synctest.Wait()
		for _, c := range []struct {
			mode  agentloop.MessageMode
			words string
		}{{"", ""}, {"", " \n"}, {"", "\xff"}, {"", strings.Repeat("字", 2001)}, {"shout", "hey"}} {
			_, err := w.say(id, c.mode, c.words)
			require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), "%q", c.words)
		}
		_, err := w.say("nope", "", "hey")
		require.Equal(t, runs.SessionNotFound, runs.CodeOf(err))
		for range store.MaxMessages {
			_, err := w.say(id, "", "hey \"you\"\n😀")
			require.NoError(t, err)
		}
		_, err = w.say(id, "", "hey")
		require.Equal(t, runs.MessageLimit, runs.CodeOf(err))
	})
}

func TestAContinueIsCarriedOutOnceUnderItsKey(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := w.start("tap").Session.ID
		w.wait(id)
		send := func(task, key string) (runs.Status, error) {
			return w.manager.Continue(w.ctx(),
				runs.ContinueRequest{SessionID: id, Task: task, Key: key})
		}
		_, err := send("tap again", "k")
		require.NoError(t, err)
		first := w.wait(id)
		again, err := send("tap again", "k")
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, first.Run.ID, again.Run.ID)
		_, err = send("tap more", "k")
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err))
		other, err := send("tap again", "k2")
		require.NoError(t, err)
		require.NotEqual(t, first.Run.ID, other.Run.ID)
		w.wait(id)
		again, err = send("tap again", "k")
		require.NoError(t, err)
		require.True(t, again.Replayed, "also after another one")
	})
}
