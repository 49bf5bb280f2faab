package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// moved changes the run's state.
func moved(t *testing.T, s *store.Store, r store.Run, c store.Change) store.Run {
	t.Helper()
	r, err := s.Runs.Transition(t.Context(), r.ID, c)
	require.NoError(t, err)
	return r
}

func TestARestoredStoreDoesNothingByItself(t *testing.T) {
	dir, file := storetest.Dir(t), filepath.Join(t.TempDir(), "backup.tar")
	s := open(t, dir, nil)
	running, queued, lost, waits := started(t, s), started(t, s), started(t, s), started(t, s)
	done, by, restarted := started(t, s), started(t, s), started(t, s)
	require.NoError(t, s.Journal(running).Intent(t.Context(), seen(t, 1)))
	moved(t, s, queued, store.Change{To: store.Queued, Reason: agentloop.StillRunning})
	moved(t, s, lost, store.Change{To: store.Paused, Reason: agentloop.DeviceDisconnected})
	moved(t, s, restarted, store.Change{To: store.Paused, Reason: agentloop.ServerRestarted})
	moved(t, s, done, store.Change{To: store.Completed, Reason: agentloop.TaskCompleted})
	moved(t, s, by, store.Change{To: store.Paused, Reason: agentloop.UserPaused})
	q, err := inquiry.NewBroker(s.Questions, nil).Open(t.Context(), inquiry.Question{
		Text: "and now?", SessionID: waits.SessionID, RunID: waits.ID, Fence: waits.Fence})
	require.NoError(t, err)
	moved(t, s, waits, store.Change{To: store.WaitingReply, Question: q.ID})
	require.NoError(t, s.Schedules.Add(t.Context(), store.Schedule{Name: "mail",
		Spec: "* * * * *", Task: "read"}))
	claimed := store.Tick{Schedule: "mail", At: time.Now().Add(-time.Hour),
		State: store.TickClaimed}
	_, err = s.Schedules.Note(t.Context(), claimed)
	require.NoError(t, err)
	require.NoError(t, s.Grants.Give(t.Context(), guard.Grant{Scope: guard.ForSession, Name: "x",
		From: time.Now().Add(-time.Minute), Until: time.Now().Add(time.Hour)},
		store.AuditEntry{By: "anna"}))
	same, err := inquiry.NewBroker(s.Questions, nil).Open(t.Context(), inquiry.Question{
		Text: "which size?", Client: "x"})
	require.NoError(t, err)
	_, err = inquiry.NewBroker(s.Questions, nil).Resolve(t.Context(), same.ID, inquiry.Reply{
		Response: "large", Remember: inquiry.Always, Authority: inquiry.AuthorityLocalOperator})
	require.NoError(t, err)
	kept, err := s.Answers.List(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	_, err = s.Backup(t.Context(), file)
	require.NoError(t, err)
	require.NoError(t, s.Close()) // anna ends her leave after the backup

	before := time.Now().Add(-time.Second)
	_, _, err = store.Restore(t.Context(), file, dir, true)
	require.NoError(t, err)
	for range 2 {
		back := open(t, dir, nil)
		_, err := back.Runs.Recover(t.Context())
		require.NoError(t, err)
		for _, r := range []store.Run{running, queued, lost, waits, restarted} {
			now, err := back.Runs.Get(t.Context(), r.ID)
			require.NoError(t, err)
			require.Equal(t, store.Paused, now.State)
			require.Equal(t, agentloop.Restored, now.StopReason)
		}
		steps, err := back.Steps(t.Context(), running.SessionID, 0)
		require.NoError(t, err)
		require.Equal(t, store.Unknown, steps[0].State)
		for r, want := range map[*store.Run]agentloop.StopReason{&done: agentloop.TaskCompleted,
			&by: agentloop.UserPaused} {
			now, err := back.Runs.Get(t.Context(), r.ID)
			require.NoError(t, err)
			require.Equal(t, want, now.StopReason)
		}
		still, err := back.Questions.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.True(t, still.Open())
		ticks, err := back.Schedules.Ticks(t.Context(), "mail", 0)
		require.NoError(t, err)
		require.Len(t, ticks, 2)
		for _, tick := range ticks {
			require.Equal(t, store.TickRestored, tick.State, "a schedule says what came until then")
		}
		require.WithinRange(t, ticks[0].At, before, time.Now())
		untold, err := back.Schedules.Untold(t.Context(), time.Time{})
		require.NoError(t, err)
		require.Empty(t, untold, "perhaps nothing came")
		leave, err := back.Grants.List(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, leave, "she may have ended it since")
		kept, err := back.Answers.List(t.Context(), nil)
		require.NoError(t, err)
		require.Empty(t, kept, "it may have been forgotten since")
		gone, err := back.Audit.List(t.Context(), store.AuditFilter{Event: store.AuditForgotten})
		require.NoError(t, err)
		require.Len(t, gone, 1)
		require.Equal(t, same.ID, gone[0].QuestionID)
		ended, err := back.Audit.List(t.Context(), store.AuditFilter{
			Event: store.AuditGrantEnded})
		require.NoError(t, err)
		require.Len(t, ended, 1)
		require.NoError(t, back.Close())
	}
}
