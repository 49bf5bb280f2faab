package serve

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/store"
)

func TestWhatIsOldIsDeletedSoonAfterAStartAndHourly(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), dir, nil)
		require.NoError(t, err)
		session := func() string {
			x, r, err := db.Begin(t.Context(), store.Session{Serial: "emu-1"}, store.Run{Task: "x"})
			require.NoError(t, err)
			for _, to := range []store.State{store.Running, store.Completed} {
				_, err = db.Runs.Transition(t.Context(), r.ID, store.Change{To: to})
				require.NoError(t, err)
			}
			return x.ID
		}
		left := func(after time.Duration) (ids []string) {
			time.Sleep(after)
			synctest.Wait()
			list, err := db.Sessions(t.Context(), store.Filter{})
			require.NoError(t, err)
			for _, x := range list {
				ids = append(ids, x.ID)
			}
			return ids
		}
		session()
		time.Sleep(time.Hour)
		s := &Service{Parts: &app.Parts{Store: db}, log: slog.New(slog.DiscardHandler),
			dataDir: dir}
		s.OnClose(db.Close)
		s.retain(config.Retention{Sessions: "30m"})
		require.Empty(t, left(20*time.Second))
		second := session()
		require.Equal(t, []string{second}, left(50*time.Minute), "until the hour is over")
		require.Empty(t, left(10*time.Minute))
		require.NoError(t, s.Close())
	})
}
