package runs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// A run of which no step tells has cost something, too.
func TestWhatNoStepTellsIsInTheUsage(t *testing.T) {
	const s = time.Second
	t.Run("the endpoint was down from the beginning", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			w.policy.getting, w.policy.unready = 4*s, errors.New("connection refused")
			st := w.wait(w.start("tap").Session.ID)
			require.Equal(t, agentloop.ModelError, st.Reason)
			require.Equal(t, store.Usage{Timing: agentloop.Timing{Decide: 4 * s, Model: 4 * s}},
				st.Usage)
		})
	})
	t.Run("it went down at the first question", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			w.policy.getting, w.policy.fails = s, errors.New("503")
			st := w.wait(w.start("tap").Session.ID)
			require.Equal(t, agentloop.ModelError, st.Reason)
			require.Equal(t, store.Usage{Calls: 1, PromptTokens: 10, CompletionTokens: 1,
				Timing: agentloop.Timing{Decide: 2 * s, Model: 2 * s}}, st.Usage)
		})
	})
	for _, mode := range []runs.StopMode{runs.Cancel, runs.Pause, runs.Takeover} {
		t.Run(string(mode)+" while the model thinks", func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				id := w.start("tap tap").Session.ID
				time.Sleep(s * 3 / 2)
				st, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id, Mode: mode})
				require.NoError(t, err)
				require.Equal(t, 1, st.Usage.Steps)
				require.Equal(t, s*3/2, st.Usage.Work())
			})
		})
	}
	t.Run("another process has stopped it", func(t *testing.T) {
		bubble(t, func(t *testing.T, w *fixture) {
			w.policy.think = time.Minute
			st := w.start("tap")
			time.Sleep(s)
			_, err := w.store.Runs.Transition(w.ctx(), st.Run.ID,
				store.Change{To: store.Cancelled, Reason: agentloop.Cancelled})
			require.NoError(t, err)
			time.Sleep(s)
			require.Empty(t, w.phones.phones["A"].done())
			st, err = w.manager.Status(w.ctx(), st.Session.ID)
			require.NoError(t, err)
			require.InDelta(t, s, st.Usage.Work(), float64(s))
			require.Positive(t, st.Usage.Timing.Decide)
		})
	})
}
