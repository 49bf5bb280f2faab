package tty

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysAreTakenApart(t *testing.T) {
	for sent, want := range map[string][]string{
		"a":               {"a"},
		"yes\r":           {"y", "e", "s", "enter"},
		"\x1b[A\x1b[Bj":   {"up", "down", "j"},
		"\x1bOA":          {"up"},
		"\x1b":            {"esc"},
		"四十二\x7f":         {"四", "十", "二", "backspace"},
		"\x03":            {"ctrl+c"},
		"\x1b[15~x":       {"x"}, // a key without a name
		"\x1b[1;5Cx":      {"x"},
		"\x1b]0;title\ax": {"x"},
		"\x00\x01z":       {"z"},
		"👩‍👩‍👧":           {"👩‍👩‍👧"},
	} {
		keys, rest := keysIn(sent)
		require.Equal(t, want, keys, "%q", sent)
		require.Empty(t, rest, "%q", sent)
	}
	keys, rest := keysIn("a\xe5\x9b") // the beginning of 四
	require.Equal(t, []string{"a"}, keys)
	require.Equal(t, "\xe5\x9b", rest)
}
