package store_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/store"
)

func TestGrantsHoldUntilTheyAreEndedOrOver(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	ctx := t.Context()
	now := time.Now().Truncate(time.Millisecond)
	give := func(scope guard.Scope, name string, from time.Time) guard.Grant {
		g, err := guard.NewGrant(scope, name, from, time.Hour)
		require.NoError(t, err)
		g.By = "anna"
		require.NoError(t, s.Grants.Give(ctx, g, store.AuditEntry{By: "anna"}))
		return g
	}
	held := func() []guard.Grant {
		list, err := s.Grants.List(ctx, nil)
		require.NoError(t, err)
		for i := range list {
			list[i].From, list[i].Until = list[i].From.Local(), list[i].Until.Local()
		}
		return list
	}
	give(guard.ForAll, "", now.Add(-2*time.Hour))         // over
	give(guard.ForApp, "com.shop", now.Add(-time.Second)) // whose place the next one takes
	app := give(guard.ForApp, "com.shop", now.Add(-time.Minute))
	sess := give(guard.ForSession, "s1", now.Add(-time.Minute))
	require.Equal(t, []guard.Grant{app, sess}, held())

	ended, err := s.Grants.End(ctx, guard.Leave{Scope: guard.ForApp, Name: "com.other"}, nil,
		store.AuditEntry{By: "bo"})
	require.NoError(t, err)
	require.Empty(t, ended)
	ended, err = s.Grants.End(ctx, guard.Leave{Scope: guard.ForApp, Name: "com.shop"}, nil,
		store.AuditEntry{By: "bo"})
	require.NoError(t, err)
	require.Len(t, ended, 1)
	require.Equal(t, []guard.Grant{sess}, held())
	ended, err = s.Grants.End(ctx, guard.Leave{}, nil, store.AuditEntry{By: "bo"})
	require.NoError(t, err)
	require.Len(t, ended, 1)
	require.Empty(t, held())

	audit, err := s.Audit.List(ctx, store.AuditFilter{})
	require.NoError(t, err)
	var told []string
	for _, e := range audit {
		told = append(told, string(e.Event)+" "+e.By)
	}
	require.Equal(t, []string{"granted anna", "granted anna", "granted anna", "granted anna",
		"grant_ended bo",
		"grant_ended bo"}, told)
	require.Contains(t, audit[1].Text, "app com.shop until ")
	require.Equal(t, "s1", audit[5].SessionID)
}

// leave gives leave to do everything that often.
func leave(t *testing.T, s *store.Store, times int) *agentloop.Leave {
	t.Helper()
	g, err := guard.Leave{Scope: guard.ForAll, Times: times}.Grant(time.Now().Add(-time.Second), 0)
	require.NoError(t, err)
	g.By = "anna"
	require.NoError(t, s.Grants.Give(t.Context(), g, store.AuditEntry{By: "anna"}))
	l, err := s.Grants.Covering(t.Context(), func(guard.Grant) bool { return true })
	require.NoError(t, err)
	require.NotNil(t, l)
	return l
}

func TestLeaveIsUsedAsOftenAsItHoldsAlsoByManyAtOnce(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open2(t, dir)
	l := leave(t, s, 3)
	l.Act = "send_mail in post (sends)"
	var done atomic.Int32
	var calls sync.WaitGroup
	for i := range 20 {
		db := []*store.Store{s, other}[i%2]
		calls.Go(func() {
			switch err := db.Grants.Use(t.Context(), *l, store.AuditEntry{Text: l.Act}); {
			case err == nil:
				done.Add(1)
			case !errors.Is(err, agentloop.ErrNoLeave):
				t.Error(err)
			}
		})
	}
	calls.Wait()
	require.EqualValues(t, 3, done.Load())
	require.NoError(t, other.Close())
	list, err := s.Grants.List(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, list, "it is used up")
	audit, err := s.Audit.List(t.Context(), store.AuditFilter{Event: store.AuditUnasked})
	require.NoError(t, err)
	require.Len(t, audit, 3, "each use is there, and no other")
	require.Equal(t, "anna", audit[0].By)
	require.Contains(t, audit[0].Text, "send_mail in post (sends), by the leave for all, 3 of 3")
}

// The use and the intent are one transaction: a process that is killed in between, or whose intent is
// refused, has done and used nothing.
func TestLeaveIsUsedWithTheIntentOfTheStep(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	l := leave(t, s, 2)
	used := func() (n int) {
		list, err := s.Grants.List(t.Context(), nil)
		require.NoError(t, err)
		for _, g := range list {
			return g.Used
		}
		return 2
	}
	fenced := started(t, s)
	r := started(t, s)
	_, err := s.Runs.Transition(t.Context(), fenced.ID, store.Change{To: store.Paused})
	require.NoError(t, err)
	under := func(index int) agentloop.Step {
		st := step(t, index, actions.Back{})
		st.Leave = l
		return st
	}
	require.Error(t, s.Journal(fenced).Intent(t.Context(), under(1)), "it is paused")
	require.Zero(t, used())

	j := s.Journal(r)
	require.NoError(t, j.Intent(t.Context(), under(1)))
	require.Equal(t, 1, used())
	st := under(1)
	st.Refusal = "not carried out: the screen is another in the meantime"
	require.NoError(t, j.Done(t.Context(), st, agentloop.Progress{Steps: 1}))
	require.Zero(t, used(), "nothing was touched")
	for i := 2; i <= 3; i++ {
		require.NoError(t, j.Intent(t.Context(), under(i)))
		require.NoError(t, j.Done(t.Context(), under(i), agentloop.Progress{Steps: i}))
	}
	require.ErrorIs(t, j.Intent(t.Context(), under(4)), agentloop.ErrNoLeave)
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, steps, 3, "no intent without its leave")

	again := leave(t, s, 0)
	_, err = s.Grants.End(t.Context(), guard.Leave{}, nil, store.AuditEntry{})
	require.NoError(t, err)
	l = again
	require.ErrorIs(t, j.Intent(t.Context(), under(4)), agentloop.ErrNoLeave, "it was taken back")
}

func TestLeaveIsSeenAndEndedByThoseWhomItIsFor(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	for _, clients := range [][]string{nil, {"kim", "ann"}, {"ben"}} {
		l := guard.Leave{Scope: guard.ForAll, For: clients}
		g, err := l.Grant(time.Now().Add(-time.Second), 0)
		require.NoError(t, err)
		require.NoError(t, s.Grants.Give(t.Context(), g, store.AuditEntry{}))
	}
	seen := func(of store.Owners) int {
		list, err := s.Grants.List(t.Context(), of)
		require.NoError(t, err)
		return len(list)
	}
	require.Equal(t, []int{3, 2, 2, 1}, []int{seen(nil), seen(store.Owners{"kim", "ann"}),
		seen(store.Owners{"ben"}), seen(store.Owners{"zoe"})})
	ended, err := s.Grants.End(t.Context(), guard.Leave{}, store.Owners{"kim"}, store.AuditEntry{})
	require.NoError(t, err)
	require.Empty(t, ended, "it is Ann's as well")
	ended, err = s.Grants.End(t.Context(), guard.Leave{}, store.Owners{"kim", "ann"},
		store.AuditEntry{})
	require.NoError(t, err)
	require.Len(t, ended, 1)
	require.Equal(t, 2, seen(nil))
}
