package policy_test

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/screen"
)

// good is a readable reply, as YAML.
const good = `"<THINK> It is on top. ` +
	`</THINK>\nexplain:Tap\taction:CLICK\tpoint:500,250\tsummary:Tapped it"`

// rig is a policy over the real client and a real endpoint that answers from a script.
type rig struct {
	*policy.Policy
	client *model.Client
	asked  []*scripted.Request
	onAsk  func() // called with each request
}

func newRig(t *testing.T, script string) *rig {
	t.Helper()
	s, err := scripted.Parse([]byte(script))
	require.NoError(t, err)
	r := &rig{onAsk: func() {}}
	h := scripted.NewHandler(s)
	h.Observe = func(q *scripted.Request) { // one at a time, as the client sends them
		r.asked = append(r.asked, q)
		r.onAsk()
	}
	server, err := scripted.Start(t.Context(), "", h)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	client, err := model.New(&model.Options{BaseURL: server.BaseURL, Retries: -1})
	require.NoError(t, err)
	r.client = client
	r.Policy = policy.New(english(t), client, nil)
	return r
}

func english(t *testing.T) dialect.Dialect {
	d, err := families.Known.New("gelab", &dialect.Options{Lang: "en"})
	require.NoError(t, err)
	return d
}

func situation(t *testing.T) agentloop.Situation {
	f, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 54, 120)))
	require.NoError(t, err)
	return agentloop.Situation{
		Progress: agentloop.Progress{Task: "open the shop"},
		Screen:   screen.Observation{Frame: f},
		Step:     1,
	}
}

func TestAReadableReplyIsTheDecision(t *testing.T) {
	r := newRig(t, "rules:\n  - reply: "+good)
	got, err := r.Next(t.Context(), situation(t))
	require.NoError(t, err)
	require.Equal(t, actions.Click{At: screen.Point{X: 0.5, Y: 0.25}}, got.Action)
	require.Equal(t, "It is on top.", got.Thought)
	require.Equal(t, "Tapped it", got.Summary)
	require.Len(t, got.Tries, 1)
	try := got.Tries[0]
	require.Equal(
		t,
		"<THINK> It is on top. "+
			"</THINK>\nexplain:Tap\taction:CLICK\tpoint:500,250\tsummary:Tapped it",
		try.Reply,
	)
	require.Contains(t, try.Prompt, "\nTask: \"open the shop\"\n")
	require.Contains(t, try.Prompt, "The screen now:\n[picture]\nAnswer in exactly this form.")
	require.Empty(t, try.Error)
	require.Positive(t, try.Took)
	require.Positive(t, try.PromptTokens)
	require.Positive(t, try.CompletionTokens)

	require.Len(t, r.asked, 1)
	require.Len(t, r.asked[0].Messages, 1)
	require.Len(t, r.asked[0].Messages[0].Images, 1)
	require.Equal(t, image.Pt(728, 728), r.asked[0].Messages[0].Images[0].Bounds().Size())
}

func TestAnUnreadableReplyIsAskedAgainWithTheError(t *testing.T) {
	r := newRig(t, `rules:
  - when: could not be read
    reply: `+good+`
  - reply: "explain:e\taction:DANCE"
`)
	got, err := r.Next(t.Context(), situation(t))
	require.NoError(t, err)
	require.Equal(t, "CLICK", got.Action.Verb())

	require.Len(t, got.Tries, 2)
	require.Equal(t, "explain:e\taction:DANCE", got.Tries[0].Reply)
	require.Contains(t, got.Tries[0].Error, `unknown action "DANCE"; expected one of CLICK`)
	require.Empty(t, got.Tries[1].Error)
	require.True(t, strings.HasPrefix(got.Tries[1].Prompt, got.Tries[0].Prompt))
	require.Contains(t, got.Tries[1].Prompt,
		"\n\n[assistant]\nexplain:e\taction:DANCE\n\n[user]\nYour last reply could not be read")

	again := r.asked[1].Messages
	require.Len(t, again, 3)
	require.Equal(t, r.asked[0].Messages[0].Text, again[0].Text)
	require.Len(t, again[0].Images, 1)
	require.Equal(t, "explain:e\taction:DANCE", again[1].Text)
	require.Contains(t, again[2].Text, `unknown action "DANCE"`)
}

func TestThreeUnreadableRepliesAreTheEnd(t *testing.T) {
	r := newRig(t, `rules:
  - times: 1
    reply: The task is completed.
  - times: 1
    reply: "explain:e\taction:DANCE"
  - reply: "explain:e\taction:CLICK\tpoint:5000,1"
`)
	got, err := r.Next(t.Context(), situation(t))
	require.ErrorIs(t, err, agentloop.ErrUnreadable)
	var parse *dialect.ParseError
	require.ErrorAs(t, err, &parse)
	require.Equal(t, `point "5000,1" is off the screen, where x and y go from 0 to 1000`,
		parse.Problem)
	require.ErrorContains(t, err, "3 tries, the last: point ")
	require.NotEmpty(t, hint.Of(err))

	require.Nil(t, got.Action)
	require.Len(t, got.Tries, 3)
	require.Len(t, r.asked, 3)
	for i, want := range []string{"no field action", `unknown action "DANCE"`, "off the screen"} {
		require.Contains(t, got.Tries[i].Error, want)
	}
}

func TestReasoningIsTheThought(t *testing.T) {
	r := newRig(t, `rules:
  - reasoning: The shop is there.
    reply: "explain:Tap\taction:CLICK\tpoint:1,2"
`)
	got, err := r.Next(t.Context(), situation(t))
	require.NoError(t, err)
	require.Equal(t, "The shop is there.", got.Thought)
	require.Equal(t, actions.Field{Key: "cot", Value: "The shop is there."}, got.Fields[0])
	require.Equal(t, "<THINK> The shop is there. </THINK>\nexplain:Tap\taction:CLICK\tpoint:1,2",
		got.Tries[0].Reply)
}

func TestAReplyThatWasCutOffIsNotActedOn(t *testing.T) {
	r := newRig(t, `rules:
  - when: could not be read
    reply: `+good+`
  - reply: "explain:e\taction:CLICK\tpoint:51,2"
    finish_reason: length
`)
	got, err := r.Next(t.Context(), situation(t))
	require.NoError(t, err)
	require.Len(t, got.Tries, 2)
	require.Contains(t, got.Tries[0].Error, "cut off")
	require.Contains(t, r.asked[1].Asked(), "cut off")
}

func TestAModelsErrorIsReturnedWithWhatTheModelWroteBefore(t *testing.T) {
	r := newRig(t, `rules:
  - when: could not be read
    status: 503
    reply: overloaded
  - reply: prose
`)
	got, err := r.Next(t.Context(), situation(t))
	var failed *model.Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, 503, failed.Status)
	require.NotErrorIs(t, err, agentloop.ErrUnreadable)
	require.ErrorContains(t, err, "overloaded")
	require.ErrorContains(t, err, `; before that it wrote what could not be read: "prose"`)
	require.NotEmpty(t, hint.Of(err))
	require.Len(t, got.Tries, 2)
	require.Equal(t, "prose", got.Tries[0].Reply)
	require.Empty(t, got.Tries[1].Reply)
	require.Contains(t, got.Tries[1].Error, "overloaded")
}

func TestAStopEndsTheModelsThinkingAtOnce(t *testing.T) {
	r := newRig(t, "rules:\n  - delay: 10m\n    reply: "+good)
	stopped := errors.New("stopped by hand")
	ctx, cancel := context.WithCancelCause(t.Context())
	r.onAsk = func() { cancel(stopped) }
	begun := time.Now()
	got, err := r.Next(ctx, situation(t))
	require.ErrorIs(t, err, stopped)
	require.Nil(t, got.Action)
	require.Len(t, got.Tries, 1)
	require.Less(t, time.Since(begun), time.Minute)
}
