package runs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

func TestRunsGoOnAfterARestartAsIsConfigured(t *testing.T) {
	for _, c := range []struct {
		name     string
		which    runs.Resume
		detached bool
		stopped  bool // by a person, before the restart
		down     time.Duration
		want     store.State
	}{
		{"detached", runs.ResumeDetached, true, false, time.Hour, store.Completed},
		{"attended", runs.ResumeDetached, false, false, time.Hour, store.Paused},
		{"all", runs.ResumeAll, false, false, time.Hour, store.Completed},
		{"none", runs.ResumeNone, true, false, time.Hour, store.Paused},
		{"stopped", runs.ResumeAll, true, true, time.Hour, store.Paused},
		{"of another day", runs.ResumeAll, true, false, 25 * time.Hour, store.Paused},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap tap tap",
					KeepEnvironment: true, Settings: runs.Settings{DetachedOK: c.detached}})
				require.NoError(t, err)
				id := st.Session.ID
				time.Sleep(1500 * time.Millisecond) // the first touch was done
				if c.stopped {
					_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id,
						Mode: runs.Pause})
					require.NoError(t, err)
				}
				w.close()
				touches := len(w.phones.phones["A"].done())
				require.Greater(t, 3, touches)
				time.Sleep(c.down)
				w.begin()
				require.NoError(t, w.manager.Recover(w.ctx()))
				require.NoError(t, w.manager.ResumePaused(w.ctx(), c.which))
				synctest.Wait()
				require.Equal(t, c.want, w.wait(id).Run.State)
				if c.want == store.Completed {
					require.Len(t, w.phones.phones["A"].done(), 3, "nothing is done twice")
				} else {
					require.Len(t, w.phones.phones["A"].done(), touches)
				}
			})
		})
	}
}

func TestARunIsResumedWhenItsPhoneIsBack(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap tap tap",
			KeepEnvironment: true, Settings: runs.Settings{DetachedOK: true}})
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond)
		w.close()
		phone := w.phones.phones["A"]
		w.phones.set("A", nil)
		w.begin()
		require.NoError(t, w.manager.ResumePaused(w.ctx(), runs.ResumeDetached))
		time.Sleep(time.Minute)
		now, err := w.manager.Status(w.ctx(), st.Session.ID)
		require.NoError(t, err)
		require.Equal(t, agentloop.ServerRestarted, now.Reason)
		w.phones.set("A", phone)
		time.Sleep(time.Minute)
		require.Equal(t, store.Completed, w.wait(st.Session.ID).Run.State)
		require.Len(t, phone.done(), 3)
	})
}
