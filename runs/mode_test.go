package runs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/runs"
)

func TestAReplyModeIsReadAndWrittenInOneWay(t *testing.T) {
	for text, want := range map[string]runs.ReplyMode{
		"":                                   "pass_to_client",
		" pass_to_client ":                   "pass_to_client",
		"elicit → pass_to_client":            "elicit -> pass_to_client",
		"elicit->pass_to_client":             "elicit -> pass_to_client",
		"manual_reply (60 s) → auto_reply":   "manual_reply (1m0s) -> auto_reply",
		"manual_reply(90)->auto_reply":       "manual_reply (1m30s) -> auto_reply",
		"manual_reply (2 min) -> no_reply":   "manual_reply (2m0s) -> no_reply",
		"elicit (5s) -> manual_reply (24h)":  "elicit (5s) -> manual_reply (24h0m0s)",
		"auto_reply -> pass_to_client (10m)": "auto_reply -> pass_to_client (10m0s)",
	} {
		got, err := runs.ParseReplyMode(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		again, err := runs.ParseReplyMode(string(got))
		require.NoError(t, err, text)
		require.Equal(t, got, again)
	}
	require.Equal(t, []runs.ReplyMode{runs.Elicit, runs.PassToClient}, runs.ReplyMode("elicit -> pass_to_client").Doors())
}

func TestAReplyModeThatCannotWorkSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"shout":                                "unknown reply mode",
		"elicit ->":                            "unknown reply mode",
		"elicit; rm -rf /":                     "unknown reply mode",
		strings.Repeat("x", 10_000):            "…",
		"elicit -> pass_to_client -> elicit":   "elicit twice",
		"no_reply -> pass_to_client":           "nothing can come after no_reply",
		"manual_reply (soon) -> auto_reply":    "cannot be used",
		"manual_reply (0s) -> auto_reply":      "cannot be used",
		"manual_reply (-1s) -> auto_reply":     "cannot be used",
		"manual_reply (25h) -> auto_reply":     "cannot be used",
		"manual_reply (60s -> auto_reply":      "cannot be used",
		"manual_reply (60s) now -> auto_reply": "cannot be used",
	} {
		_, err := runs.ParseReplyMode(text)
		require.ErrorContains(t, err, want, text)
		require.NotEmpty(t, hint.Of(err), text)
		require.Equal(t, runs.InvalidArgument, runs.CodeOf(err), text)
		require.Less(t, len(err.Error()), 400, text)
	}
}
