package runs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// What a person wants used again is not asked again: the run goes on, and its model is told.
func TestARememberedAnswerIsNotAskedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		p := &person{lines: []string{"/remember ever red", "/remember session 2"}}
		w.again(func(o *runs.Options) { o.Asking.Console = terminal.New(p, "en") })
		st := withMode(w, channel.ManualReply, "ask tap")
		require.Equal(t, "blue", st.Run.Progress.Exchanges[0].Answer)
		require.Contains(t, p.prompts[1], "unknown scope")
		require.Len(t, p.prompts, 2)

		_, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID,
			Task: "ask tap"})
		require.NoError(t, err)
		st = w.wait(st.Session.ID)

		require.Equal(t, store.Completed, st.Run.State, st.Message)
		require.Len(t, p.prompts, 2, "nobody was asked")
		x := st.Run.Progress.Exchanges
		require.Equal(t, actions.Exchange{Question: "question 1?", Answer: "blue",
			Outcome: actions.Remembered}, x[len(x)-1])
		require.NoError(t, w.store.Delete(w.ctx(), st.Session.ID, store.AuditEntry{}))
		left, err := w.store.Answers.List(w.ctx(), nil)
		require.NoError(t, err)
		require.Empty(t, left, "it goes with its session")
	})
}

// A client that says that no answer comes in time, or that the agent decides, need not wait for
// anybody: the run stands at once as it would after the time for attention.
func TestAClientNeedsNoHands(t *testing.T) {
	for _, c := range []struct {
		name    string
		reply   inquiry.Type
		silence inquiry.OnTimeout
		state   store.State
		outcome actions.Outcome
		open    bool // after the reply
	}{
		{"pause", inquiry.TypeTimeout, inquiry.Pause, store.WaitingReply, "", true},
		{"go on", inquiry.TypeTimeout, inquiry.GoOn, store.Completed, actions.Silence, false},
		{"give up", inquiry.TypeTimeout, inquiry.GiveUp, store.Aborted, "", false},
		{"a model", inquiry.TypeTimeout, inquiry.AskModel, store.Completed, actions.ModelAnswer,
			true},
		{"the agent", inquiry.TypeDelegate, inquiry.Pause, store.Completed, actions.Delegated,
			false},
	} {
		bubble(t, func(t *testing.T, w *fixture) {
			w.again(func(o *runs.Options) { o.OnTimeout, o.Asking.Answerer = c.silence, &oracle{} })
			st := withMode(w, channel.PassToClient, "ask tap")

			st, err := w.manager.Continue(w.ctx(), runs.ContinueRequest{SessionID: st.Session.ID,
				Reply: &inquiry.Reply{Type: c.reply, Channel: inquiry.ChannelMCP,
					Authority: inquiry.AuthorityClientModel}})

			require.NoError(t, err, c.name)
			require.Equal(t, c.open, st.Answered.Open(), c.name)
			for range 3 {
				time.Sleep(time.Minute)
				synctest.Wait()
				st, err = w.manager.Wait(w.ctx(), runs.WaitRequest{SessionID: st.Session.ID})
				require.NoError(t, err, c.name)
			}
			require.Equal(t, c.state, w.stands(st.Session.ID).Run.State, c.name)
			if x := st.Run.Progress.Exchanges; c.outcome == "" {
				require.Empty(t, x, c.name)
			} else {
				require.Equal(t, c.outcome, x[0].Outcome, c.name)
			}
		})
	}
}
