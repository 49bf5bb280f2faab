package app_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// A program that is in the middle of a change keeps the database locked.
func TestADatabaseThatIsLockedTakesNoWrite(t *testing.T) {
	set := &app.Settings{Conf: &config.Loaded{Config: config.Config{DataDir: storetest.Dir(t)}}}
	require.NoError(t, app.ProbeStore(t.Context(), set))
	db, err := app.OpenStore(t.Context(), set, nil)
	require.NoError(t, err)
	_, run, err := db.Begin(t.Context(), store.Session{Serial: "A"}, store.Run{Task: "x"})
	require.NoError(t, err)
	changing, goOn, over := make(chan bool), make(chan bool), make(chan error)
	db.Runs.Note(func(store.Run, string) (store.AuditEntry, bool) {
		close(changing)
		<-goOn
		return store.AuditEntry{}, false
	})
	go func() {
		_, err := db.Runs.Transition(t.Context(), run.ID, store.Change{To: store.Cancelled})
		over <- err
	}()
	<-changing
	require.ErrorIs(t, app.ProbeStore(t.Context(), set), store.ErrLocked)
	close(goOn)
	require.NoError(t, <-over)
	require.NoError(t, app.ProbeStore(t.Context(), set))
	require.NoError(t, db.Close())
}
