package policy_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
)

// spoken is a table of which the first dialect is dialogue.
var spoken = append(dialect.Table{{Name: "dialogue",
	Speaks: func(string) bool { return true },
	New:    func(dialect.Options) dialect.Dialect { return dialogue{} },
	Wrote:  func(r actions.Reply) bool { return len(r.Calls) > 0 },
}}, families.Known...)

func TestAReplyInAnotherDialectIsAcceptedWithOneWarningInARun(t *testing.T) {
	r := newRig(t, "rules:\n  - reply: "+good)
	d, err := spoken.New("auto", nil)
	require.NoError(t, err)
	var log bytes.Buffer
	p := policy.New(d, r.client, slog.New(slog.NewTextHandler(&log, nil)))
	s := situation(t)
	for range 3 {
		got, err := p.Next(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, "CLICK", got.Action.Verb())
		require.Len(t, got.Tries, 1)
		require.Empty(t, got.Tries[0].Error)
		s.Warnings, s.History = append(s.Warnings, got.Warnings...), nil
	}
	require.Equal(t, []agentloop.Warning{{Setting: "model.dialect",
		Text: "the model is prompted in the dialect dialogue and replies in gelab, which was " +
			"accepted; set model.dialect: gelab"}}, s.Warnings)
	require.Equal(t, 1, strings.Count(log.String(), "replies in gelab"))
}

func TestProseIsAskedAgainInTheWordsOfTheChosenDialect(t *testing.T) {
	r := newRig(t, "rules:\n  - reply: The task is finished.")
	got, err := r.Next(t.Context(), situation(t))
	require.ErrorIs(t, err, agentloop.ErrUnreadable)
	require.Len(t, got.Tries, 3)
	require.Empty(t, got.Warnings)
	require.Contains(t, got.Tries[2].Prompt, "Answer in exactly this form.")
}

// What looks like another convention is never put right silently: the model hears of it, and the
// person, once, which setting to change.
func TestPlacesInAnotherConventionAreWarnedOfOnceInARun(t *testing.T) {
	r := newRig(t, `rules:
  - when: off the screen
    reply: "explain:e\taction:CLICK\tpoint:0.5,0.25"
  - when: looks like fractions
    reply: `+good+`
  - reply: "explain:e\taction:CLICK\tpoint:540,1200"
`)
	s := situation(t)
	got, err := r.Next(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, got.Tries, 3)
	require.Contains(t, got.Tries[1].Error, "looks like fractions, but x and y go")
	require.Contains(t, got.Tries[0].Error, "is off the screen, where x and y go from 0 to 1000")
	require.Equal(t, []agentloop.Warning{{Setting: "model.coordinates",
		Text: "the model names a place that is off the screen, where x and y go from 0 to 1000 " +
			"(model.coordinates is 1000, the picture 728x728); it may reckon in pixels of a " +
			"picture of another size: see model.coordinates and model.image_size"}},
		got.Warnings)
}
