package decider_test

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"
	"go.uber.org/goleak"

	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/decider"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/model/scripted"
	"github.com/taploop/taploop/internal/screen"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint is a model at a real address that says one thing, and what it was asked.
type endpoint struct{ asked []*scripted.Request }

func (e *endpoint) decider(t *testing.T, script string, o decider.Options) *decider.Decider {
	t.Helper()
	s, err := scripted.Parse([]byte(script))
	require.NoError(t, err)
	h := scripted.NewHandler(s)
	h.Observe = func(r *scripted.Request) { e.asked = append(e.asked, r) }
	server, err := scripted.Start(t.Context(), "", h)
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	m, err := model.New(&model.Options{BaseURL: server.BaseURL, Retries: -1})
	require.NoError(t, err)
	t.Cleanup(m.Close)
	o.Model, o.Name = m, "fast"
	d, err := decider.New(&o)
	require.NoError(t, err)
	return d
}

// says is the script of a model that says this whatever it is asked.
func says(reply string) string {
	return "rules:\n  - reply: |-\n      " + strings.ReplaceAll(reply, "\n", "\n      ")
}

func lines(c *golden.Case, t *testing.T, name string) []string {
	if !c.Has(name) {
		return nil
	}
	return strings.Split(strings.TrimRight(c.Section(t, name), "\n"), "\n")
}

func TestThePromptQuotesAllThatOthersSaid(t *testing.T) {
	golden.Run(t, "testdata", func(t *testing.T, c *golden.Case) {
		flags := strings.Fields(c.Section(t, "call"))
		q := inquiry.Question{Kind: inquiry.Kind(flags[1]), Text: c.Section(t, "question"),
			Task: c.Section(t, "task"), Body: &inquiry.Ask{Options: lines(c, t, "choices")}}
		for _, f := range flags[2:] {
			switch f {
			case "free":
				inquiry.As[inquiry.Ask](q).FreeText = true
			case "form":
				q.Body = &inquiry.Form{Fields: []inquiry.Field{{Name: "seats",
					Type: inquiry.NumberField}}}
			case "draft":
				inquiry.As[inquiry.Ask](q).Draft = "# Plan\n"
			case "refused":
				q.Deferred = &inquiry.Resolution{Type: inquiry.TypeDecline,
					Response: inquiry.Plain("ask \"Ann\"")}
			}
		}
		var e endpoint
		d := e.decider(t, says(`{"cannot_decide": "x"}`), decider.Options{Lang: flags[0]})
		_, err := d.Decide(t.Context(), &decider.Case{Question: q, Steps: lines(c, t, "steps"),
			Notes: lines(c, t, "notes"), Earlier: lines(c, t, "earlier"),
			Caption: strings.Join(lines(c, t, "caption"), "\n")})
		require.ErrorContains(t, err, "cannot decide: x")
		require.Len(t, e.asked[0].Messages, 2)
		c.Want(t, "rules", e.asked[0].Messages[0].Text)
		c.Want(t, "data", e.asked[0].Messages[1].Text)
	})
}

func TestWhatIsNoDecisionIsAnError(t *testing.T) {
	choices := inquiry.Question{Kind: inquiry.KindInfo, Text: "which?",
		Body: &inquiry.Ask{Options: []string{"red", "blue"}}}
	open := inquiry.Question{Kind: inquiry.KindInfo, Text: "which?"}
	form := inquiry.Question{Kind: inquiry.KindInquiry, Text: "which?",
		Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "seats", Type: inquiry.NumberField}}}}
	for _, c := range []struct {
		q            inquiry.Question
		reply, wants string
		err          string
	}{
		{choices, `{"choice": "blue"}`, "blue", ""},
		{choices, "<think>{\"choice\": \"red\"}</think>\n" +
			"```json\n{\"choice\": \"blue\"}\n```", "blue", ""},
		{choices, `{"choice": "Blue!"}`, "", `"Blue!" is none of the choices`},
		{choices, `{"text": "blue"}`, "", "a text does not answer a question with choices only"},
		{choices, `blue`, "", "it is no JSON object"},
		{choices, `{"choice": "red"} {"choice": "blue"}`, "", "there is more than the object"},
		{choices, `{"choice": "red", "choice": "blue"}`, "", "there is more than one key"},
		{choices, `{"choice": ["red"]}`, "", "choice is no text"},
		{choices, `{"choice": null}`, "", "choice is no text"},
		{choices, `{}`, "", "the object says nothing"},
		{choices, `{"approve": "red"}`, "", `unknown key "approve"`},
		{choices, `{"choice": "red"`, "", "there is more than one key"},
		{open, `{"text": "  the left one "}`, "  the left one ", ""},
		{open, `{"text": " \n"}`, "", "text is empty"},
		{open, `{"cannot_decide": "not mine"}`, "", "cannot decide: not mine"},
		{form, `{"values": {"seats": 3}}`, `{"seats": 3}`, ""},
		{form, `{"values": [3]}`, "", "values is no object"},
		{form, `{"text": "3"}`, "", "text does not answer a form"},
	} {
		var e endpoint
		v, err := e.decider(t, says(c.reply), decider.Options{}).Decide(t.Context(),
			&decider.Case{Question: c.q})
		if c.err == "" {
			require.NoError(t, err, c.reply)
		} else {
			require.ErrorContains(t, err, c.err, c.reply)
			var undecided *decider.UndecidedError
			require.Equal(t, strings.HasPrefix(c.err, "cannot decide"), errors.As(err, &undecided))
		}
		require.Equal(t, c.wants, v.Answer, c.reply)
		require.Positive(t, v.PromptTokens, "what it cost is said in any case")
		require.Positive(t, v.Took)
	}
}

func TestAModelThatFailsSaysWhichOneAndWhy(t *testing.T) {
	var e endpoint
	q := inquiry.Question{Kind: inquiry.KindInfo, Text: "which?"}
	for script, want := range map[string]string{
		"rules: [{status: 500, reply: on fire}]": "asking the model fast: ",
		"rules: [{reply: '{\"text\": \"a', finish_reason: length}]": "the reply of the model " +
			"fast was cut off after 1024 tokens",
		"rules: [{reply: hello}]": `the reply of the model fast is no decision: it is no JSON ` +
			`object ("hello")`,
	} {
		_, err := e.decider(t, script, decider.Options{}).Decide(t.Context(),
			&decider.Case{Question: q})
		require.ErrorContains(t, err, want)
	}
	_, err := decider.New(&decider.Options{Lang: "fr"})
	require.ErrorContains(t, err, `language "fr"`)
}

func TestThePictureIsShownUnlessItMustNot(t *testing.T) {
	f, err := screen.NewFrame(image.NewRGBA(image.Rect(0, 0, 1080, 2400)))
	require.NoError(t, err)
	q := inquiry.Question{Kind: inquiry.KindInfo, Text: "which?"}
	for _, private := range []bool{false, true} {
		var e endpoint
		_, err = e.decider(t, says(`{"text": "left"}`), decider.Options{NoPicture: private}).Decide(
			t.Context(), &decider.Case{Question: q, Frame: f, Caption: "two doors"})
		require.NoError(t, err)
		var seen []image.Point
		for _, img := range e.asked[0].Messages[1].Images {
			seen = append(seen, img.Bounds().Size())
		}
		if private {
			require.Empty(t, seen)
			require.Contains(t, e.asked[0].Messages[0].Text, "the object has it in words")
		} else {
			require.Equal(t, []image.Point{{540, 1200}}, seen)
		}
		require.Contains(t, e.asked[0].Messages[1].Text, "two doors")
	}
}

// However much has happened before a question, deciding it costs no more than this.
func TestThePromptIsBounded(t *testing.T) {
	o200k, err := tokenizer.Get(tokenizer.O200kBase)
	require.NoError(t, err)
	many := func(word string) (out []string) {
		for range 200 {
			out = append(out, strings.Repeat(word, 500))
		}
		return out
	}
	for _, c := range []struct {
		name, lang, word string
		most             int
	}{{"nothing", "en", "", 340}, {"nothing", "zh", "", 340}, {"english", "en", "word ", 5000},
		{"chinese", "zh", "文字", 16000}} {
		var e endpoint
		of := decider.Case{Question: inquiry.Question{Kind: inquiry.KindInfo, Text: "which?"}}
		if c.word != "" {
			long := strings.Repeat(c.word, 10_000)
			of.Question.Task, of.Question.Text, of.Caption = long, long, long
			of.Steps, of.Notes, of.Earlier = many(c.word), many(c.word), many(c.word)
		}
		_, err := e.decider(t, says(`{"text": "left"}`), decider.Options{Lang: c.lang}).Decide(
			t.Context(), &of)
		require.NoError(t, err)
		all := e.asked[0].Messages[0].Text + e.asked[0].Messages[1].Text
		tokens, err := o200k.Count(all)
		require.NoError(t, err)
		require.LessOrEqual(t, tokens, c.most, "%s in %s", c.name, c.lang)
	}
}

func TestAModelIsNotAskedWhatIsNotForModels(t *testing.T) {
	var e endpoint
	d := e.decider(t, says(`{"text": "yes"}`), decider.Options{})
	for _, q := range []inquiry.Question{{Kind: inquiry.KindApproval, Text: "pay?"},
		{Kind: inquiry.KindTakeover, Text: "log in"},
		{Kind: inquiry.KindInfo, Text: "code?", Secret: true}} {
		_, err := d.Decide(t.Context(), &decider.Case{Question: q})
		require.ErrorIs(t, err, q.ForModels())
	}
	require.Empty(t, e.asked)
}
