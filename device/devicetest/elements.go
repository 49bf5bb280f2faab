package devicetest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// listed is a list of elements that must succeed.
func listed(t *testing.T, s Subject) []screen.Element {
	t.Helper()
	see(t, s)
	list, err := s.Phone.Elements(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, list)
	for _, e := range list {
		require.True(t, e.Bounds.Valid(), "%+v", e)
		require.False(t, e.Password && e.Text != "", "the text of a password field")
	}
	return list
}

// lists opens an app by what the home screen lists of it.
func lists(t *testing.T, s Subject) {
	require.NoError(t, s.Phone.Key(t.Context(), actions.KeyHome))
	require.Eventually(t, s.Home, patience, 5*time.Millisecond)
	list := listed(t, s)
	i := slices.IndexFunc(list, func(e screen.Element) bool { return e.Text == s.Apps[0].Name })
	require.GreaterOrEqual(t, i, 0, "no %s in %+v", s.Apps[0].Name, list)
	at := list[i].Bounds.Center()
	require.True(t, slices.ContainsFunc(list, func(e screen.Element) bool {
		return e.Clickable && e.Enabled && e.Bounds.Contains(at)
	}), "it cannot be touched")
	require.NoError(t, s.Phone.Tap(t.Context(), at))
	comesToFront(t, s, s.Apps[0].Package)
}

func listsTurned(t *testing.T, s Subject) {
	for _, r := range []screen.Rotation{1, 3, 0} {
		s.Rotate(t, r)
		lists(t, s)
	}
}

func listsField(t *testing.T, s Subject) {
	s.Field(t)
	const typed = "milk & <b>bread</b>"
	require.NoError(t, s.Phone.Type(t.Context(), typed))
	require.Eventually(t, func() bool { return s.Text() == typed }, patience, 5*time.Millisecond)
	list := listed(t, s)
	i := slices.IndexFunc(list, func(e screen.Element) bool { return e.Focused })
	require.GreaterOrEqual(t, i, 0, "nothing has the focus in %+v", list)
	require.True(t, list[i].Editable)
	require.Equal(t, typed, list[i].Text)
}

func listsNothing(t *testing.T, s Subject) {
	s.Secure(t)
	for range 2 { // without a look before it, and with one
		list, err := s.Phone.Elements(t.Context())
		require.ErrorIs(t, err, screen.ErrSecure)
		require.Empty(t, list)
		_, err = s.Phone.Look(t.Context())
		require.ErrorIs(t, err, screen.ErrSecure)
	}
	s.Off(t)
	list, err := s.Phone.Elements(t.Context())
	require.Error(t, err)
	require.Empty(t, list)
}

const (
	patience = 5 * time.Minute // how long an effect may take to be seen
	late     = time.Minute     // how late a cancelled call may come back
)

// see is a look that must succeed.
func see(t *testing.T, s Subject) screen.Observation {
	t.Helper()
	look, err := s.Phone.Look(t.Context())
	require.NoError(t, err)
	require.NotNil(t, look.Frame)
	return look
}

func comesToFront(t *testing.T, s Subject, pkg string) {
	t.Helper()
	require.Eventually(t, func() bool { return s.Front() == pkg }, patience, 5*time.Millisecond,
		"%s does not come to the front", pkg)
}
