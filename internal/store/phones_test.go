package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheFormerKeyboardOfEachPhoneIsRemembered(t *testing.T) {
	dir := t.TempDir()
	s := open2(t, dir)
	require.NoError(t, s.Phones.SetFormerKeyboard(t.Context(), "A", "first"))
	require.NoError(t, s.Phones.SetFormerKeyboard(t.Context(), "A", `{"keyboard":"'\n;"}`))
	require.NoError(t, s.Phones.SetFormerKeyboard(t.Context(), "B 'x", "second"))
	require.NoError(t, s.Close())

	s = open(t, dir, nil)
	for serial, want := range map[string]string{"A": `{"keyboard":"'\n;"}`, "B 'x": "second",
		"C": ""} {
		got, err := s.Phones.FormerKeyboard(t.Context(), serial)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NoError(t, s.Phones.SetFormerKeyboard(t.Context(), serial, ""))
		got, err = s.Phones.FormerKeyboard(t.Context(), serial)
		require.NoError(t, err)
		require.Empty(t, got)
	}
}

func TestPhonesWithOneSerialHaveNamesThatStay(t *testing.T) {
	dir := t.TempDir()
	s := open2(t, dir)
	named := func(serial, mark, want string) {
		t.Helper()
		got, err := s.Phones.NamePhone(t.Context(), serial, mark)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	named("X", "", "X")
	named("X", "aaaaaaaaaa", "X") // the same, now that it says more
	named("X", "bbbbbbbbbb", "X.bbbbbb")
	named("Y", "bbbbbbbbbb", "Y")
	require.NoError(t, s.Close())

	s = open2(t, dir)
	named("X", "bbbbbbbbbb", "X.bbbbbb")
	named("X", "aaaaaaaaaa", "X")
	named("X", "", "X")
	require.NoError(t, s.Close())
}

func TestWhatCapturesTakeIsRemembered(t *testing.T) {
	dir := t.TempDir()
	s := open2(t, dir)
	got, err := s.Phones.Captures(t.Context(), "A")
	require.NoError(t, err)
	require.Nil(t, got)
	require.NoError(t, s.Phones.SetCaptures(t.Context(), "A", []byte(`{"took":[1,2]}`)))
	require.NoError(t, s.Phones.SetCaptures(t.Context(), "A", []byte(`{"took":[3,4]}`)))
	require.NoError(t, s.Close())

	got, err = open(t, dir, nil).Phones.Captures(t.Context(), "A")
	require.NoError(t, err)
	require.JSONEq(t, `{"took":[3,4]}`, string(got))
}
