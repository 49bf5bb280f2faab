package terminal_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/terminal"
)

// typist types lines, and keeps the prompts that it was shown.
type typist struct{ types, shown []string }

func (p *typist) Ask(_ context.Context, prompt string, _ bool) (string, error) {
	p.shown = append(p.shown, prompt)
	if len(p.types) == 0 {
		return "", io.EOF
	}
	line := p.types[0]
	p.types = p.types[1:]
	return line, nil
}

func TestAKindWithoutWordsIsAskedByWhatItOffers(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	q, err := b.Open(t.Context(), inquiry.Question{Text: "Agreed?",
		Body: &vote.Vote{Motion: "tea"}})
	require.NoError(t, err)
	p := &typist{types: []string{"/approve", "/nay too late"}}

	err = terminal.New(p, "en").Ask(t.Context(), b, q, nil, nil)

	require.NoError(t, err)
	require.Equal(t, "\nThe agent asks:\n  Agreed?\n  motion: tea\n/aye, /nay WHY: ", p.shown[0])
	require.Contains(t, p.shown[1], "another kind of question\n/aye, /nay WHY: ")
	q, err = b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "nay: too late", q.Resolution.Response.Reveal())
}

// leaver waits at the terminal until the question is taken away, and keeps why.
type leaver struct {
	leave func()
	why   error
}

func (l *leaver) Ask(ctx context.Context, _ string, _ bool) (string, error) {
	l.leave()
	<-ctx.Done()
	l.why = context.Cause(ctx)
	return "", l.why
}

func TestWhyAQuestionIsTakenAwayIsSaidInTheLanguageOfThePerson(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	for cause, want := range map[error]map[string]string{
		route.ErrTurnOver:         {"en": "somebody else is asked", "zh": "问题已转给他人"},
		route.ErrPassedOn:         {"en": "a model is asked", "zh": "问题已转给模型"},
		route.ErrHalted:           {"en": "was stopped", "zh": "任务已停止"},
		context.Canceled:          {"en": "canceled", "zh": "canceled"},
		new(route.ElsewhereError): {"en": "answered elsewhere", "zh": "回答"},
	} {
		for lang, said := range want {
			ctx, cancel := context.WithCancelCause(t.Context())
			l := &leaver{leave: func() { cancel(cause) }}
			err := terminal.New(l, lang).Ask(ctx, b, inquiry.Question{Kind: inquiry.KindInquiry,
				Text: "Which?", Body: new(inquiry.Ask)}, nil, func() {})
			require.ErrorIs(t, err, cause)
			require.ErrorContains(t, l.why, said)
		}
	}
}

func TestWhatCanBeSaidIsSaidInShortAndListed(t *testing.T) {
	action := inquiry.Approval{ActionRequests: []inquiry.ActionRequest{{Name: "CLICK",
		Args: inquiry.Args{"x": 7}, Description: "On: \"Pay\"\nArgs: {}"}},
		ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "CLICK",
			AllowedDecisions: []string{"approve", "reject"}}}}
	for name, c := range map[string]struct {
		lang  string
		types []string
		shown []string // before the second line, if there is one
		want  string
	}{
		"y":          {"en", []string{"y"}, nil, "approve"},
		"Yes.":       {"en", []string{"Yes."}, nil, "approve"},
		"no":         {"en", []string{"no"}, nil, "reject"},
		"in Chinese": {"zh", []string{"同意。"}, nil, "approve"},
		"not allowed": {"en", []string{"/respond no", "n"},
			[]string{"respond"}, "reject"},
		"help": {"en", []string{"/help", "n"},
			[]string{"y, /approve", "it is done"}, "reject"},
		"details": {"en", []string{"/details", "n"},
			[]string{`1. On: "Pay" (`, `{"name":"CLICK","args":{"x":7}})`}, "reject"},
		"more than one action": {"zh", []string{"/details", "n", "n"},
			[]string{`1. On: "Pay" (`, "2. {"}, "reject"},
		"near": {"en", []string{"/aprove", "n"},
			[]string{"did you mean /approve?"}, "reject"},
		"near to a word": {"en", []string{"yess", "n"}, []string{"did you mean yes?"}, "reject"},
		"letters in another order": {"en", []string{"yse", "n"}, []string{"did you mean yes?"},
			"reject"},
		"near without a slash": {"en", []string{"rejct", "n"}, []string{"did you mean /reject?"},
			"reject"},
		"a condition": {"en", []string{"yes if free", "n"},
			[]string{"is no decision"}, "reject"},
		"another thing": {"en", []string{"/delegate", "n"},
			[]string{"left to the agent"}, "reject"},
	} {
		t.Run(name, func(t *testing.T) {
			b := inquiry.NewBroker(new(inquirytest.Memory), nil)
			body := action
			if strings.HasPrefix(name, "more") {
				body.ActionRequests = append(body.ActionRequests[:1:1],
					inquiry.ActionRequest{Name: "CLICK"})
			}
			q, err := b.Open(t.Context(), inquiry.Question{Text: "Pay?", Body: &body})
			require.NoError(t, err)
			p := &typist{types: c.types}
			require.NoError(t, terminal.New(p, c.lang).Ask(t.Context(), b, q, nil, nil))
			require.Len(t, p.shown, len(c.types))
			require.NotContains(t, p.shown[0], `"x":7`, "arguments are shown on demand")
			for _, words := range c.shown {
				require.Contains(t, p.shown[1], words)
			}
			q, err = b.Get(t.Context(), q.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, q.Resolution.Decisions[0].Type)
		})
	}
}

func TestASecretIsHiddenAndNoCommandIsTakenForIt(t *testing.T) {
	b := inquiry.NewBroker(new(inquirytest.Memory), nil)
	q, err := b.Open(t.Context(), inquiry.Question{Text: "The PIN?", Secret: true})
	require.NoError(t, err)
	p := &typist{types: []string{"/delegate", "/approve", "/approve", "/refuze", "/help",
		"/no/path 1"}}
	require.NoError(t, terminal.New(p, "en").Ask(t.Context(), b, q, nil, nil))
	require.Len(t, p.shown, 6)
	require.Contains(t, p.shown[0], "what you type is hidden")
	require.NotContains(t, p.shown[0], "delegate", "it would be refused")
	require.Contains(t, p.shown[1], "not taken for the secret")
	require.Contains(t, p.shown[3], "not taken for the secret")
	require.Contains(t, p.shown[4], "did you mean /refuse?")
	require.Contains(t, p.shown[5], "you do not answer")
	require.NotContains(t, p.shown[5], "/delegate")
	q, err = b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "/no/path 1", q.Resolution.Response.Reveal())
}

func TestAnActIsAskedAboutInTheWordsOfItsReader(t *testing.T) {
	for _, c := range inquirytest.Consents(t) {
		for lang := range c.Headlines {
			b := inquiry.NewBroker(new(inquirytest.Memory), nil)
			q, err := b.Open(t.Context(), c.Question)
			require.NoError(t, err)
			p := &typist{types: []string{"ye", "n", "n"}[:1+q.Parts()]}
			require.NoError(t, terminal.New(p, lang).Ask(t.Context(), b, q, nil, nil))
			c.Shown(t, lang, p.shown[0], "")
			require.Contains(t, p.shown[1], map[string]string{"en": "mean y?",
				"zh": "y"}[lang], "a near miss is named")
		}
	}
}
