package policy_test

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/internal/screen"
)

// dialogue is a dialect that is as unlike gelab's as can be: a system message, a tool, native tool
// calls, and its former turns shown again, the newest two of them with their pictures.
type dialogue struct{}

func (dialogue) Profile() dialect.Profile {
	return dialect.Profile{Name: "dialogue", Lang: "en", Turns: 3, Pictures: 2}
}

func (dialogue) Prompt(s dialect.Situation) (dialect.Request, error) {
	messages := []dialect.Message{say("system", "You operate a phone: "+s.Task)}
	for _, t := range s.History {
		seen := say("user", "then")
		if t.Frame != nil {
			jpeg, err := t.Frame.JPEG(50)
			if err != nil {
				return dialect.Request{}, err
			}
			seen.Parts = append(seen.Parts, dialect.Part{JPEG: jpeg})
		}
		did := say("assistant", t.Reply.Text)
		did.Calls = t.Reply.Calls
		done := say("tool", "done")
		done.CallID = t.Reply.Calls[0].ID
		messages = append(messages, seen, did, done)
	}
	jpeg, err := s.Screen.Frame.JPEG(50)
	now := say("user", "now")
	now.Parts = append(now.Parts, dialect.Part{JPEG: jpeg})
	return dialect.Request{
		Messages: append(messages, now),
		Tools: []dialect.Tool{{
			Name: "tap", Description: "taps a point",
			Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"number"}}}`),
		}},
		Stop: []string{"</tool_call>"},
	}, err
}

func (dialogue) Parse(r actions.Reply, _ dialect.Situation) (actions.Decision, error) {
	var at struct{ X, Y float64 }
	if len(r.Calls) != 1 || json.Unmarshal([]byte(r.Calls[0].Arguments), &at) != nil {
		return actions.Decision{}, &dialect.ParseError{Problem: "no call", Want: "a call of tap"}
	}
	tap := actions.Click{At: screen.Point{X: at.X, Y: at.Y}}
	return actions.Decision{Action: tap, Explain: r.Text}, nil
}

func (dialogue) Repair(_ actions.Reply, err error) []dialect.Message {
	return []dialect.Message{say("user", "wrong: "+err.Error())}
}

func (dialogue) Transcript(r actions.Reply) string {
	for _, c := range r.Calls {
		r.Text += " " + c.Name + c.Arguments
	}
	return r.Text
}

func say(role, text string) dialect.Message {
	return dialect.Message{Role: role, Parts: []dialect.Part{{Text: text}}}
}

// album holds a picture of each step, as wide as the step's index; only the first one is gone.
type album map[int]int

func (album) Steps(context.Context) ([]agentloop.Step, error) { return nil, errors.New("gone") }

func (a album) Frame(_ context.Context, step int) (*screen.Frame, error) {
	a[step]++
	if step == 1 {
		return nil, errors.New("gone")
	}
	return screen.NewFrame(image.NewRGBA(image.Rect(0, 0, step, 9)))
}

// The seam carries what other families need, through the real client and a real endpoint.
func TestADialectMayHoldADialogueWithPicturesAndToolCalls(t *testing.T) {
	r := newRig(t, `rules:
  - reply: I tap it.
    tool_calls: [{name: tap, arguments: {x: 0.5, y: 0.25}}]
`)
	r.Policy = policy.New(dialogue{}, r.client, nil)
	s := situation(t)
	shown := album{}
	s.Album = shown
	s.Exchanges = []actions.Exchange{{Question: "q", Answer: "a", Outcome: actions.Answered}}
	for s.Step = 1; s.Step <= 5; s.Step++ {
		s.ReplyJustIn = s.Step == 4
		got, err := r.Next(t.Context(), s)
		require.NoError(t, err)
		require.Equal(t, actions.Click{At: screen.Point{X: 0.5, Y: 0.25}}, got.Action)
		require.Equal(t, `I tap it. tap{"x":0.5,"y":0.25}`, got.Tries[0].Reply)
		s.History = got.History
	}
	require.Len(t, s.History, 3, "bounded by the dialect")
	require.Nil(t, s.History[0].Answer)
	require.Equal(t, &s.Exchanges[0], s.History[1].Answer)
	require.Equal(t, actions.Turn{Step: 5, Did: "I tap it.", Reply: actions.Reply{Text: "I tap it.",
		Calls: []actions.Call{
			{ID: "call_1", Name: "tap", Arguments: `{"x":0.5,"y":0.25}`},
		}}}, s.History[2])
	require.Equal(t, album{1: 2, 2: 2, 3: 2, 4: 1}, shown, "only the newest pictures are fetched")

	last := r.asked[len(r.asked)-1]
	var roles []string
	var pictures []int
	for _, m := range last.Messages {
		roles = append(roles, m.Role)
		for _, img := range m.Images {
			pictures = append(pictures, img.Bounds().Dx())
		}
	}
	require.Equal(t, []string{"system", "user", "assistant", "tool", "user", "assistant", "tool",
		"user", "assistant", "tool", "user"}, roles)
	require.Equal(t, []int{3, 4, 54}, pictures, "of the two newest turns, and the screen now")
	require.Equal(t, "You operate a phone: open the shop", last.Messages[0].Text)
	var body map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(last.Body, &body))
	require.JSONEq(t, `[{"type":"function","function":{"name":"tap",
		"description":"taps a point",
		"parameters":{"type":"object","properties":{"x":{"type":"number"}}}}}]`,
		string(body["tools"]))
	require.JSONEq(t, `["</tool_call>"]`, string(body["stop"]))
	var raw []map[string]any
	require.NoError(t, json.Unmarshal(body["messages"], &raw))
	require.Equal(t, "call_1", raw[3]["tool_call_id"])
	require.Equal(
		t,
		[]any{map[string]any{"id": "call_1", "type": "function", "function": map[string]any{
			"name": "tap", "arguments": `{"x":0.5,"y":0.25}`}}},
		raw[2]["tool_calls"],
	)
}

func TestGelabIsShownNothingAgain(t *testing.T) {
	r := newRig(t, "rules:\n  - reply: "+good)
	s := situation(t)
	s.History = []actions.Turn{{Step: 1}}
	s.Album = album{}
	got, err := r.Next(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, got.History)
	require.Empty(t, s.Album)
	require.Len(t, r.asked[0].Messages, 1)
}
