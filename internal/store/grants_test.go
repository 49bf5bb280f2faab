package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
		list, err := s.Grants.List(ctx)
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

	ended, err := s.Grants.End(ctx, guard.ForApp, "com.other", store.AuditEntry{By: "bo"})
	require.NoError(t, err)
	require.Empty(t, ended)
	ended, err = s.Grants.End(ctx, guard.ForApp, "com.shop", store.AuditEntry{By: "bo"})
	require.NoError(t, err)
	require.Len(t, ended, 1)
	require.Equal(t, []guard.Grant{sess}, held())
	ended, err = s.Grants.End(ctx, "", "", store.AuditEntry{By: "bo"})
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
