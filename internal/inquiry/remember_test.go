package inquiry_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/inquiry"
)

// person is an answer of a person's that is to be used again.
func again(scope inquiry.Scope, answer string) inquiry.Reply {
	return inquiry.Reply{Response: answer, Remember: scope, Channel: inquiry.ChannelPage,
		Authority: inquiry.AuthorityHumanToken, By: "Ann"}
}

func TestAnAnswerThatWasRememberedIsUsedAndSaysSo(t *testing.T) {
	b := judge(inquiry.Options{})
	q := inquiry.Question{Text: "Which size?",
		Body:      &inquiry.Ask{Options: []string{"Small", "Large"}},
		SessionID: "s1", App: "com.shop"}
	first := ask(t, b, q)
	_, err := b.Resolve(t.Context(), first.ID, again(inquiry.Always, "large"))
	require.NoError(t, err)

	q.Text, q.SessionID = "which  SIZE", "s2"
	q.Body = &inquiry.Ask{Options: []string{"Large", "Small"}}
	second, err := b.Open(t.Context(), q)
	require.NoError(t, err)

	second, err = b.Get(t.Context(), second.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.Answered, second.Status)
	r := second.Resolution
	require.Equal(t, "Large", r.Response.Reveal())
	require.Equal(t, []string{inquiry.ChannelMemory, inquiry.AuthorityHumanToken, "Ann", first.ID},
		[]string{r.Channel, r.Authority, r.By, r.Recalled})
	require.Regexp(t, `^remembered \d{4}-\d\d-\d\d \d\d:\d\d \(always\) from Ann; `+
		`taploop answers forget `+first.ID+"$", r.Why)
}

func TestWhatIsNeverRemembered(t *testing.T) {
	form := inquiry.Question{Text: "Your data",
		Body: &inquiry.Form{Fields: []inquiry.Field{{Name: "pin",
			Label: "Your PIN", Type: inquiry.TextField}}}}
	act := inquiry.Question{Text: "Please log in on the phone and tell me when you are done."}
	for name, c := range map[string]struct {
		q    inquiry.Question
		r    inquiry.Reply
		want string
	}{
		"a secret": {inquiry.Question{Secret: true}, again(inquiry.Always, "482913"), "secret"},
		"what asks for one": {inquiry.Question{Text: "What is the password?", Public: true},
			again(inquiry.ThisSession, "x"), "secret"},
		"what becomes one": {inquiry.Question{Text: "Did the code come?"},
			again(inquiry.Always, "482913"), "secret"},
		"a form with one": {form, again(inquiry.Always, `{"pin":"1234"}`), "secret"},
		"a consent": {inquiry.Question{Text: "May I pay $79 now?"}, again(inquiry.Always, "yes"),
			"no consent"},
		"a consent by its options": {inquiry.Question{Text: "Delete all photos?",
			Body: &inquiry.Ask{Options: []string{"Yes", "No"}}}, again(inquiry.ThisSession, "Yes"),
			"no consent"},
		"a consent in Chinese": {inquiry.Question{Text: "是否支付 30 元?"}, again(inquiry.Always, "是"),
			"no consent"},
		"an act": {act, again(inquiry.Always, "done"), "remembered"},
		"a draft": {inquiry.Question{Body: &inquiry.Ask{Draft: "Dear Bob"}},
			again(inquiry.Always, "Dear Ann"),
			"draft"},
		"a take-over": {inquiry.Question{Kind: inquiry.KindTakeover}, again(inquiry.Always, "no"),
			"take-over"},
		"an approval": {approval(), func() inquiry.Reply {
			r := decide(inquiry.Decision{Type: inquiry.Approve})
			r.Remember = inquiry.Always
			return r
		}(), "only answers are remembered"},
		"a refusal": {inquiry.Question{}, inquiry.Reply{Type: inquiry.TypeDecline,
			Remember: inquiry.Always}, "only answers are remembered"},
		"an unknown scope": {inquiry.Question{}, again("ever", "x"), `want one of ["session"`},
		"no session":       {inquiry.Question{}, again(inquiry.ThisSession, "x"), "no session"},
		"no app":           {inquiry.Question{}, again(inquiry.ThisApp, "x"), "in which app"},
		"a model, for ever": {inquiry.Question{SessionID: "s"}, inquiry.Reply{Response: "x",
			Remember: inquiry.Always, Authority: inquiry.AuthorityClientModel},
			"only a person has an answer used beyond its session"},
		"a program, in the app": {inquiry.Question{SessionID: "s", App: "a"},
			inquiry.Reply{Response: "x", Remember: inquiry.ThisApp,
				Authority: inquiry.AuthorityToken}, "only a person"},
	} {
		b := judge(inquiry.Options{})
		if c.q.Text == "" {
			c.q.Text = "Which one?"
		}
		q := ask(t, b, c.q)
		if c.r.Authority == "" {
			c.r.Authority = inquiry.AuthorityHumanToken
		}
		_, err := b.Resolve(t.Context(), q.ID, c.r)
		require.ErrorContains(t, err, c.want, name)
		now, err := b.Get(t.Context(), q.ID)
		require.NoError(t, err)
		require.True(t, now.Open(), name)
	}
}

// A model of a client may have its session's answer used again.
func TestAProgramRemembersWithinItsSession(t *testing.T) {
	b := judge(inquiry.Options{})
	q := ask(t, b, inquiry.Question{Text: "Which one?", SessionID: "s"})
	_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "x", Remember: "session",
		Authority: inquiry.AuthorityClientModel})
	require.NoError(t, err)
}

// The answer to an innocent question does not answer one in the same words that asks for a secret,
// nor what can no longer be answered so.
func TestARememberedAnswerIsNotUsedForASecret(t *testing.T) {
	b := judge(inquiry.Options{})
	_, err := b.Resolve(t.Context(), ask(t, b, inquiry.Question{Text: "Which one?"}).ID,
		again(inquiry.Always, "blue"))
	require.NoError(t, err)
	for _, q := range []inquiry.Question{{Text: "Which one?", Secret: true},
		{Text: "Which one?", Kind: inquiry.KindTakeover},
		{Text: "Which one?", Body: &inquiry.Ask{Draft: "x"}},
		{Text: "Which one?", Client: "another"}} {
		opened, err := b.Open(t.Context(), q)
		require.NoError(t, err)
		now, err := b.Get(t.Context(), opened.ID)
		require.NoError(t, err)
		require.True(t, now.Open(), "%+v", q)
	}
}

// Whoever consented once has not consented for ever, in whichever language and however it is asked.
func TestAConsentIsNeverOfferedToBeRemembered(t *testing.T) {
	b := judge(inquiry.Options{})
	offered := func(text string, options ...string) []inquiry.Scope {
		q := ask(t, b, inquiry.Question{Text: text, SessionID: "s", App: "a",
			Body: &inquiry.Ask{Options: options}})
		return q.RememberFor
	}
	for _, text := range []string{"Darf ich bezahlen?", "¿Puedo comprar esto?", "Proceed?",
		"May I use your stored card?", "Soll ich fortfahren?", "Is that fine?", "Ready to go?",
		"Puis-je continuer ?", "Va bene?", "進めてもいいですか?", "계속할까요?", "可以吗?", "Продолжить?",
		"Welche Karte soll ich zum Bezahlen nehmen?", "Which saved card should be charged?",
		"Devam edeyim mi?", "Lanjutkan?", "Shall I?", "Go on"} {
		require.Empty(t, offered(text), text)
	}
	require.Empty(t, offered("The offer is good", "Ja", "Nein"))
	require.Empty(t, offered("And now", "Pay now", "Wait"))
	for _, text := range []string{"Which size?", "Welche Größe?", "¿Qué talla?", "Quelle taille ?",
		"哪个尺码?", "どのサイズ?", "어떤 사이즈?", "Какой размер?", "What is your name?"} {
		require.Equal(t, inquiry.Scopes, offered(text), text)
	}
	require.Equal(t, inquiry.Scopes, offered("Aisle or window?", "Aisle", "Window"))
}
