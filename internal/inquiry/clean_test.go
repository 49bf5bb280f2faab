package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// steering is what could steer a terminal, turn the writing or hide words; none of it stays.
const steering = "\x1b[2J\u009b31m\a\u202e\u2066\u200b\ufeff\U000e0041"

// left is what is left of it.
const left = "[2J31m"

func TestWhatSteersOrHidesIsNotPartOfAnAnswer(t *testing.T) {
	text := inquiry.Field{Name: "a", Type: inquiry.TextField}
	choice := inquiry.Field{Name: "a", Type: inquiry.ChoiceField,
		Options: []string{"red" + steering, "blue"}}
	for name, c := range map[string]struct {
		q      inquiry.Question
		answer string
		want   string
	}{
		"in free text": {inquiry.Question{}, "large" + steering, "large" + left},
		"new lines and tabs stay": {inquiry.Question{}, "a\tb\nc" + steering + "\r\nd",
			"a\tb\nc" + left + "\nd"},
		"in an option that was chosen": {inquiry.Question{Body: &inquiry.Ask{Options: []string{"red", "blue"}}},
			"bl\u200bue\u202e", "blue"},
		"in an option that a model wrote": {inquiry.Question{Body: &inquiry.Ask{Options: []string{"\ared" + steering}}},
			"red" + left, "red" + left},
		"the same as the model wrote it": {
			inquiry.Question{Body: &inquiry.Ask{Options: []string{"\ared" + steering}}},
			"\ared" + steering,
			"red" + left},
		"beside options": {inquiry.Question{Body: &inquiry.Ask{Options: []string{"red"},
			FreeText: true}},
			"gr\u202eeen", "green"},
		"in a draft": {inquiry.Question{Body: &inquiry.Ask{Draft: "one"}}, "  one\u202e\n\ttwo ",
			"  one\n\ttwo "},
		"in a secret": {inquiry.Question{Secret: true}, " 48\u200b2913 ", " 482913 "},
		"in a form": {inquiry.Question{Body: &inquiry.Form{Fields: []inquiry.Field{text}}},
			`{"a":"x\u001b[2J\u202e\ny"}`, `{"a":"x[2J\ny"}`},
		"in a choice of a form": {inquiry.Question{Body: &inquiry.Form{Fields: []inquiry.Field{choice}}},
			`{"a":"red\u001b[2J\u009b31m\u202e"}`, `{"a":"red` + left + `"}`},
		"in several choices": {inquiry.Question{Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "a",
			Type: inquiry.ChoicesField, Options: choice.Options}}}},
			`{"a":["bl\u200bue"]}`, `{"a":["blue"]}`},
	} {
		b := broker()
		q := ask(t, b, c.q)
		for range 2 { // the same reply again is the same success
			r, err := b.Resolve(t.Context(), q.ID,
				inquiry.Reply{ID: "r", Response: c.answer, Channel: "http"})
			require.NoError(t, err, name)
			require.Equal(t, c.want, r.Question.Resolution.Response.Reveal(), name)
		}
	}
}

func TestAnAnswerOfNothingThatIsSeenIsEmpty(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{})
	_, err := b.Resolve(t.Context(), q.ID, reply("\u200b\x1b\u202e "))
	require.ErrorContains(t, err, "the answer is empty")
	form := ask(t, b,
		inquiry.Question{Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "a",
			Type: inquiry.TextField}}}})
	_, err = b.Resolve(t.Context(), form.ID, reply(`{"a":"\u200b"}`))
	require.ErrorContains(t, err, "it is missing")
}

func TestARefusalAndADefaultAnswerAreCleanedToo(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{OnTimeout: inquiry.Default, DefaultAnswer: "large\u202e"})
	require.Equal(t, "large", q.DefaultAnswer)
	r, err := b.Resolve(t.Context(), q.ID,
		inquiry.Reply{Type: inquiry.TypeDecline, Response: "not\x1b now"})
	require.NoError(t, err)
	require.Equal(t, "not now", r.Question.Resolution.Response.Reveal())
}

func TestACodeWithSomethingHiddenInItIsACode(t *testing.T) {
	b := broker()
	q := ask(t, b, inquiry.Question{Text: "Which code did the shop send you?"})
	r, err := b.Resolve(t.Context(), q.ID, reply("482\u200b913"))
	require.NoError(t, err)
	require.True(t, r.Question.Resolution.Response.IsSecret())
}

func TestOptionsThatOnlyDifferInWhatIsNotSeenAreOne(t *testing.T) {
	_, err := broker().Open(t.Context(),
		inquiry.Question{Text: "which?", Body: &inquiry.Ask{Options: []string{"red", "r\u200bed"}}})
	require.ErrorIs(t, err, inquiry.ErrInvalid)
	_, err = broker().Open(t.Context(),
		inquiry.Question{Text: "which?",
			Body: &inquiry.Ask{Options: []string{"\x1b\u202e", "red"}}})
	require.ErrorContains(t, err, "an option is empty")
}
