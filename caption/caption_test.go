package caption_test

import (
	"context"
	"errors"
	"image"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/caption"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// oracle is a Completer that says one thing and keeps what it was asked.
type oracle struct {
	says  model.Response
	err   error
	asked []model.Request
}

func (o *oracle) Complete(_ context.Context, r model.Request) (model.Response, error) {
	o.asked = append(o.asked, r)
	return o.says, o.err
}

func frame(t *testing.T, w, h int) *screen.Frame {
	t.Helper()
	f, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, w, h)))
	require.NoError(t, err)
	return f
}

func captioner(t *testing.T, c caption.Completer, opts *caption.Options) *caption.Captioner {
	t.Helper()
	out, err := caption.New(c, opts)
	require.NoError(t, err)
	return out
}

func lines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

func TestPrompts(t *testing.T) {
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) {
		what, lang, _ := strings.Cut(strings.TrimSpace(c.Section(t, "call")), " ")
		o := &oracle{says: model.Response{Text: "ok"}}
		cap := captioner(t, o, &caption.Options{Lang: lang})
		task := c.Section(t, "task")
		var err error
		if what == "describe" {
			_, err = cap.Describe(t.Context(), task, frame(t, 90, 160))
		} else {
			var options []string
			if c.Has("options") {
				options = lines(c.Section(t, "options"))
			}
			question := c.Section(t, "question")
			_, err = cap.Reply(t.Context(), task, question, options, frame(t, 90, 160))
		}
		require.NoError(t, err)
		parts := o.asked[0].Messages[0].Parts
		require.NotEmpty(t, parts[0].JPEG, "the picture comes first")
		c.Want(t, "prompt", parts[1].Text)
	})
}

func TestTheCallsAreAsBriefAndWarmAsTheirPurposeWants(t *testing.T) {
	o := &oracle{says: model.Response{Text: "ok"}}
	c := captioner(t, o, nil)
	_, err := c.Describe(t.Context(), "x", frame(t, 90, 160))
	require.NoError(t, err)
	_, err = c.Reply(t.Context(), "x", "which?", nil, nil)
	require.NoError(t, err)
	require.Equal(t, []int{256, 1024}, []int{o.asked[0].MaxTokens, o.asked[1].MaxTokens})
	for _, r := range o.asked {
		require.InDelta(t, 0.5, *r.Temperature, 0)
		require.Len(t, r.Messages, 1)
		require.Equal(t, "user", r.Messages[0].Role)
	}
	require.Len(t, o.asked[0].Messages[0].Parts, 2)
	require.Len(t, o.asked[1].Messages[0].Parts, 1, "no picture, no part")
}

func TestPicturesAreMadeToFit(t *testing.T) {
	script, err := scripted.Parse([]byte("rules: [{reply: a home screen}]"))
	require.NoError(t, err)
	h := scripted.NewHandler(script)
	var sizes []image.Point
	h.Observe = func(r *scripted.Request) {
		sizes = append(sizes, r.Messages[0].Images[0].Bounds().Size())
	}
	s, err := scripted.Start(t.Context(), "", h)
	require.NoError(t, err)
	defer s.Close()
	m, err := model.New(&model.Options{BaseURL: s.BaseURL})
	require.NoError(t, err)
	defer m.Close()

	text, err := captioner(t, m, nil).Describe(t.Context(), "look", frame(t, 1080, 2400))
	require.NoError(t, err)
	require.Equal(t, "a home screen", text)
	_, err = captioner(t, m, nil).Describe(t.Context(), "look", frame(t, 300, 200))
	require.NoError(t, err)
	require.Equal(t, []image.Point{{540, 1200}, {300, 200}}, sizes)
}

func TestWhatCountsIsTheTextAfterTheLastThought(t *testing.T) {
	for said, want := range map[string]string{
		"large":                  "large",
		"  large\n":              "large",
		"<think>hm</think>large": "large",
		"<think>a</think>b<THINK>c</ THINK >\nlarge":         "large",
		"thoughts whose beginning was cut off</think> large": "large",
		"large <think>or not":                                "large",
	} {
		got, err := captioner(
			t, &oracle{says: model.Response{Text: said}}, nil,
		).Reply(t.Context(), "t", "q", nil, nil)
		require.NoError(t, err, said)
		require.Equal(t, want, got, said)
	}
}

func TestSilenceIsAnError(t *testing.T) {
	for _, tc := range []struct {
		says  model.Response
		error string
		hint  string
	}{
		{model.Response{}, "the model said nothing", "takes pictures"},
		{model.Response{Text: " \n ", Reasoning: "much"}, "said nothing", "takes pictures"},
		{model.Response{Text: "<think>all thought</think>  "}, "said nothing", "takes pictures"},
		{
			model.Response{Text: "<think>and on", FinishReason: "length"},
			"its 256 tokens up before it said anything", "thinking off",
		},
	} {
		_, err := captioner(
			t, &oracle{says: tc.says}, nil,
		).Describe(t.Context(), "t", frame(t, 9, 9))
		require.ErrorContains(t, err, "describing the screen: ")
		require.ErrorContains(t, err, tc.error)
		require.Contains(t, hint.Of(err), tc.hint)
	}
	_, err := captioner(
		t, &oracle{says: model.Response{FinishReason: "length"}}, nil,
	).Reply(t.Context(), "t", "q", nil, nil)
	require.ErrorContains(t, err, "its 1024 tokens up")
	text, err := captioner(t,
		&oracle{says: model.Response{Text: "a list of", FinishReason: "length"}}, nil).Describe(
		t.Context(),
		"t",
		frame(t, 9, 9),
	)
	require.NoError(t, err, "half a description describes")
	require.Equal(t, "a list of…", text)
	_, err = captioner(t, &oracle{says: model.Response{Text: "Yes, but only", FinishReason: "length"}},
		nil).Reply(t.Context(), "t", "q", nil, nil)
	require.ErrorContains(t, err, "cut off", "half an answer may say the contrary")
}

func TestErrorsOfTheModelKeepTheirHints(t *testing.T) {
	c := captioner(t, &oracle{err: hint.Add(io.ErrUnexpectedEOF, "plug it in")}, nil)
	_, err := c.Describe(t.Context(), "t", frame(t, 9, 9))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.EqualError(t, err, "describing the screen: unexpected EOF")
	require.Equal(t, "plug it in", hint.Of(err))
	_, err = c.Reply(t.Context(), "t", "q", nil, nil)
	require.EqualError(t, err, "answering in the user's place: unexpected EOF")
}

func TestWhatCannotBeAskedIsRefusedWithoutACall(t *testing.T) {
	o := &oracle{err: errors.New("asked")}
	c := captioner(t, o, nil)
	_, err := c.Describe(t.Context(), "t", nil)
	require.ErrorContains(t, err, "there is no picture")
	_, err = c.Reply(t.Context(), "t", " \n", nil, nil)
	require.ErrorContains(t, err, "a question that is empty")
	require.Empty(t, o.asked)
	_, err = caption.New(o, &caption.Options{Lang: "fr"})
	require.ErrorContains(t, err, `language "fr"`)
}
