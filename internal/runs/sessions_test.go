package runs_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

func TestNothingIsKeptOfSessionsThatAreNotInUse(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		for range 20 {
			require.Equal(t, store.Completed, w.wait(w.start("done").Session.ID).Run.State)
		}
		id := w.start("done").Session.ID
		watch := w.manager.Watch(id)
		detach := w.manager.Attach(id)
		w.wait(id)
		synctest.Wait()
		require.Equal(t, 1, w.manager.SessionsInUse(), "one that is watched stays")
		watch.Close()
		watch.Close()
		require.Equal(t, 1, w.manager.SessionsInUse(), "somebody is attached")
		detach()
		detach()
		require.Zero(t, w.manager.SessionsInUse())
	})
}
