package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// What a person decides about is shown as it is, in whatever language the rest is.
func TestTheWordsOfAQuestionAreNotTranslated(t *testing.T) {
	t.Parallel()
	const draft = "Hi Anna,\nagain: all\ndone\nask: touch"
	var out strings.Builder
	require.NoError(t, printQuestion(&out, "zh", inquiry.Question{ID: "q", Status: inquiry.Pending,
		Text: "all (by the model fast)", Suggestion: &inquiry.Suggestion{Answer: "done", By: "fast"},
		Body: &inquiry.Ask{Draft: draft}}))
	for _, line := range strings.Split(draft, "\n") {
		require.Contains(t, out.String(), line)
	}
	require.Contains(t, out.String(), "all (by the model fast)")
	require.Contains(t, out.String(), "done (模型 fast)")
}
