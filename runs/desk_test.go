package runs_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// Outside a bubble: what the garbage collector finds unused it clears away on a goroutine of its own.
func TestNothingIsKeptOfSessionsThatNobodyIsBusyWith(t *testing.T) {
	w := newWorld(t, t.TempDir())
	defer w.close()
	w.mind.think = 0
	for range 20 {
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "done", KeepEnvironment: true})
		require.NoError(t, err)
		require.Equal(t, session.Completed, w.wait(st.Session.ID).Run.State)
	}
	watched := w.start("done")
	watch := w.manager.Watch(watched.Session.ID)
	w.wait(watched.Session.ID)
	for range 1000 {
		if runtime.GC(); w.manager.Desks() <= 1 {
			break
		}
	}
	require.Equal(t, 1, w.manager.Desks(), "one that is watched stays")
	watch.Close()
}
