package channel_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry/channel"
)

func TestAReplyModeIsReadAndWrittenInOneWay(t *testing.T) {
	for text, want := range map[string]channel.Mode{
		"":                                   "pass_to_client",
		" pass_to_client ":                   "pass_to_client",
		"elicit → pass_to_client":            "elicit -> pass_to_client",
		"elicit->pass_to_client":             "elicit -> pass_to_client",
		"manual_reply (60 s) → auto_reply":   "manual_reply (1m0s) -> auto_reply",
		"manual_reply(90)->auto_reply":       "manual_reply (1m30s) -> auto_reply",
		"manual_reply (2 min) -> no_reply":   "manual_reply (2m0s) -> no_reply",
		"elicit (5s) -> manual_reply (24h)":  "elicit (5s) -> manual_reply (24h0m0s)",
		"auto_reply -> pass_to_client (10m)": "auto_reply -> pass_to_client (10m0s)",
		"auto":                               "auto_reply",
		"AUTO":                               "auto_reply",
		"Manual_Reply (60S) -> PASS":         "manual_reply (1m0s) -> pass_to_client",
		"no":                                 "no_reply",
		"manual":                             "manual_reply",
		"pass":                               "pass_to_client",
		" manual (60s)→auto -> pass ": "manual_reply (1m0s) -> auto_reply -> " +
			"pass_to_client",
	} {
		got, err := channel.Parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
		again, err := channel.Parse(string(got))
		require.NoError(t, err, text)
		require.Equal(t, got, again)
	}
	both := channel.Mode("elicit (5s) -> pass_to_client")
	require.True(t, both.Has(channel.Elicit))
	require.False(t, both.Has(channel.AutoReply))
	require.True(t, both.Personal())
	require.False(t, both.Is(channel.Elicit))
	require.True(t, channel.Mode(" elicit (5s)").Is(channel.Elicit))
	require.False(t, channel.Mode("elicit -> auto_reply").Personal())
}

func TestAReplyModeThatCannotWorkSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		"shout":                                "unknown reply mode",
		"page":                                 "unknown reply mode",
		"auto -> auto_reply":                   "auto_reply twice",
		"no -> pass":                           "nothing can come after no_reply",
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
		_, err := channel.Parse(text)
		require.ErrorContains(t, err, want, text)
		require.NotEmpty(t, hint.Of(err), text)
		require.Less(t, len(err.Error()), 400, text)
	}
}
