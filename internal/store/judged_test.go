package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatAJudgeSaidIsRememberedByAppAndLabel(t *testing.T) {
	dir := t.TempDir()
	s := open2(t, dir)
	require.NoError(t, s.Judged.Remember(t.Context(), "com.shop",
		map[string]string{"确认拼单": "pay", "details": "", "a \"b\" 'c'": "send"}))
	known, err := s.Judged.Judged(t.Context(), "com.shop",
		[]string{"确认拼单", "details", "a \"b\" 'c'", "unheard of"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"确认拼单": "pay", "details": "", "a \"b\" 'c'": "send"}, known)

	known, err = s.Judged.Judged(t.Context(), "com.other", []string{"details"})
	require.NoError(t, err)
	require.Empty(t, known)
	known, err = s.Judged.Judged(t.Context(), "com.shop", nil)
	require.NoError(t, err)
	require.Empty(t, known)

	// what does something is never lowered, and what was harmless is raised, also later
	require.NoError(t, s.Judged.Remember(t.Context(), "com.shop",
		map[string]string{"确认拼单": "", "details": "pay"}))
	require.NoError(t, s.Close())
	s = open(t, dir, nil)
	known, err = s.Judged.Judged(t.Context(), "com.shop", []string{"确认拼单", "details"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"确认拼单": "pay", "details": "pay"}, known)
}
