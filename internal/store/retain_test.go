package store_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

const day = 24 * time.Hour

// past is a session with two pictures whose run is in that state.
func past(t *testing.T, s *store.Store, state store.State) store.Run {
	t.Helper()
	r := started(t, s)
	for n := 1; n <= 2; n++ {
		st := seen(t, n)
		require.NoError(t, s.Journal(r).Intent(t.Context(), st))
		require.NoError(t, s.Journal(r).Done(t.Context(), st, agentloop.Progress{Steps: n}))
	}
	r, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: state})
	require.NoError(t, err)
	return r
}

func pictures(t *testing.T, s *store.Store, r store.Run) (n int) {
	t.Helper()
	list, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, list, 2)
	for _, st := range list {
		if st.FrameID == "" {
			continue
		}
		_, err := s.Frame(t.Context(), st.FrameID)
		require.NoError(t, err, "no step may seem to have lost its picture")
		n++
	}
	return n
}

func TestWhatIsOldIsDeletedAndWhatIsNeededStays(t *testing.T) {
	s, broker, clock := clocked(t, t.TempDir())
	ctx := t.Context()
	old, paused, running := past(t, s, store.Completed), past(t, s, store.Paused),
		past(t, s, store.Running)
	asks := past(t, s, store.Paused)
	q, err := broker.Open(ctx, inquiry.Question{SessionID: asks.SessionID, RunID: asks.ID,
		Fence: asks.Fence, Text: "?"})
	require.NoError(t, err)
	_, err = s.Retain(ctx, store.Retention{})
	require.NoError(t, err)
	require.Equal(t, 2, pictures(t, s, old), "nothing is deleted unless it is said")
	clock.pass(50 * day)
	recent := past(t, s, store.Completed)

	done, err := s.Retain(ctx, store.Retention{Sessions: 90 * day, Frames: 30 * day})
	require.NoError(t, err)
	require.Equal(t, store.Retained{Pictures: 4}, done)
	for r, n := range map[*store.Run]int{&old: 0, &paused: 0, &running: 2, &asks: 2, &recent: 2} {
		require.Equal(t, n, pictures(t, s, *r))
	}
	clock.pass(50 * day)
	done, err = s.Retain(ctx, store.Retention{Sessions: 90 * day})
	require.NoError(t, err)
	require.Equal(t, store.Retained{Sessions: 2}, done)
	for r, stays := range map[*store.Run]bool{&old: false, &paused: false, &running: true,
		&asks: true, &recent: true} {
		_, err := s.Session(ctx, r.SessionID)
		require.Equal(t, stays, err == nil, "%v", err)
	}
	require.Len(t, audit(t, s, store.AuditFilter{SessionID: old.SessionID,
		Event: store.AuditPruned}), 1, "not silently")
	_, err = s.Questions.Get(ctx, q.ID)
	require.NoError(t, err)
}

func TestTheOldestPicturesMakeRoom(t *testing.T) {
	s, _, clock := clocked(t, t.TempDir())
	var all []store.Run
	for range 4 {
		all = append(all, past(t, s, store.Completed))
		clock.pass(time.Hour)
	}
	bytes, err := s.Bytes()
	require.NoError(t, err)
	steps, err := s.Steps(t.Context(), all[0].SessionID, 0)
	require.NoError(t, err)
	path, err := s.FramePath(t.Context(), steps[0].FrameID)
	require.NoError(t, err)
	one, err := os.Stat(path)
	require.NoError(t, err)
	done, err := s.Retain(t.Context(), store.Retention{Disk: bytes - 3*one.Size()})
	require.NoError(t, err)
	require.Equal(t, 4, done.Pictures)
	for i, n := range []int{0, 0, 2, 2} {
		require.Equal(t, n, pictures(t, s, all[i]), i)
	}
	done, err = s.Retain(t.Context(), store.Retention{Disk: 1})
	require.NoError(t, err)
	require.Equal(t, 4, done.Pictures)
	require.Greater(t, done.Bytes, int64(1), "all else stays")
	require.Zero(t, pictures(t, s, all[3]))
}

func TestRetentionUnderLoadLosesNothingThatIsKept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	other := open(t, dir, &store.Options{ // to which all has been left alone for a second
		Now: func() time.Time { return time.Now().Add(time.Second) }})
	broker := inquiry.NewBroker(s.Questions, nil)
	ctx, stop := context.WithCancel(t.Context())
	hungry := store.Retention{Disk: 1, Frames: 1, Sessions: 1}
	var retaining sync.WaitGroup
	for range 2 {
		retaining.Go(func() {
			for ctx.Err() == nil {
				if _, err := other.Retain(t.Context(), hungry); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	waiting := map[string]store.Run{} // by their questions
	for range 8 {
		r := past(t, s, store.Running)
		require.Equal(t, 2, pictures(t, s, r), "of a run that goes on")
		waiting[ask(t, broker, r, inquiry.Question{}).ID] = r
		_, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused})
		require.NoError(t, err)
		past(t, s, store.Completed)
	}
	stop()
	retaining.Wait()
	_, err := other.Retain(t.Context(), hungry)
	require.NoError(t, err)
	for id, r := range waiting {
		q, err := s.Questions.Get(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, inquiry.Pending, q.Status)
		require.Equal(t, 2, pictures(t, s, r))
		require.Len(t, audit(t, s, store.AuditFilter{QuestionID: id}), 1)
	}
	require.Len(t, audit(t, s, store.AuditFilter{Event: store.AuditPruned}), len(waiting),
		"a line for each completed session, which are all gone")
	list, err := s.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	require.Len(t, list, len(waiting))
}

func TestTheAuditIsPrunedByAPersonAndALineStays(t *testing.T) {
	dir := t.TempDir()
	s, broker, clock := clocked(t, dir)
	ctx := t.Context()
	r := started(t, s)
	q := ask(t, broker, r, inquiry.Question{})
	require.NoError(t, s.Audit.Append(ctx, store.AuditEntry{Event: store.AuditStopped, By: "ann"}))
	clock.pass(day)
	require.NoError(t, s.Audit.Append(ctx, store.AuditEntry{Event: store.AuditStopped, By: "ben"}))
	n, err := s.Audit.Prune(ctx, clock.now().Add(-time.Hour), store.AuditEntry{By: "carl"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	list := audit(t, s, store.AuditFilter{})
	require.Len(t, list, 3)
	require.Equal(t, q.ID, list[0].QuestionID, "it is open")
	require.Equal(t, "ben", list[1].By)
	require.Equal(t, store.AuditPruned, list[2].Event)
	require.Equal(t, "carl", list[2].By)
	require.Equal(t, "1 entries from before 2026-01-03T02:04:05Z", list[2].Text)
	clock.pass(100 * day)
	_, err = s.Audit.Prune(ctx, clock.now(), store.AuditEntry{By: "carl"})
	require.NoError(t, err)
	require.Len(t, audit(t, s, store.AuditFilter{Event: store.AuditPruned}), 2, "it stays")

	_, err = s.Raw().Exec("DELETE FROM audit")
	require.ErrorContains(t, err, "the audit is append-only")
}
