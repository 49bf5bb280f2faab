package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
)

func TestADraftIsSentWithOneKeyOnThePage(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	p := g.login(chrometest.Chromium(t), "kitchen")
	settled := func(q inquiry.Question) inquiry.Resolution {
		q, err := g.broker.Wait(t.Context(), q.ID)
		require.NoError(t, err)
		return *q.Resolution
	}
	draft := func(q inquiry.Question, answer string) {
		require.NoError(t, g.broker.Spend(t.Context(), q.ID, inquiry.Spending{Calls: 1,
			PromptTokens: 120, CompletionTokens: 8, TookMS: 1500, Cost: 0.000128}))
		require.NoError(t, g.broker.Suggest(t.Context(), q.ID,
			inquiry.Suggestion{Answer: answer, By: "fast"}))
		p.until(card(q, ".suggestion") + " !== null")
		require.Equal(t, "models: 1 call, 120 tokens sent, 8 received, 1.5 s, cost 0.000128",
			p.text(card(q, ".spent")+".textContent"))
	}

	hostile := `<img src=x onerror="document.title='hacked'"> oat` + "\u202e"
	q := g.waiting("ann", inquiry.Question{Text: "Which milk?"})
	p.until(card(q, "textarea") + " !== null")
	draft(q, hostile)
	require.Equal(t, `<img src=x onerror="document.title='hacked'"> oat`,
		p.text(card(q, "textarea")+".value"), "the box is filled in")
	require.Contains(t, p.text(card(q, ".suggestion")+".textContent"), "Draft of fast:")
	require.Equal(t, "0", p.text("String(document.querySelectorAll('.suggestion img').length)"))
	p.do(js(`document.querySelector('article').focus()`), chromedp.KeyEvent("d"))
	r := settled(q)
	require.Equal(t, "fast", r.Unedited)
	require.Contains(t, r.Response.Reveal(), "oat")
	p.until(`document.querySelector("#settled").textContent.includes(
		"(unedited draft of fast) (models: 1 call, 120 tokens sent")`)

	q = g.waiting("ann", inquiry.Question{Text: "Which bread?"})
	p.until(card(q, "textarea") + " !== null")
	p.do(js(card(q, "textarea")+".focus()"), chromedp.KeyEvent("rye"))
	draft(q, "white")
	require.Equal(t, "rye", p.text(card(q, "textarea")+".value"), "what was typed stays")
	p.do(chromedp.KeyEvent(" bread"), js(card(q, "button.main")+".click()"))
	r = settled(q)
	require.Equal(t, "rye bread", r.Response.Reveal())
	require.Empty(t, r.Unedited)

	q = g.waiting("ann", inquiry.Question{Text: "A few things:",
		Body: &inquiry.Form{Fields: trip()}})
	p.until(card(q, ".field") + " !== null")
	draft(q, tripAnswer)
	p.send(q)
	require.Equal(t, "fast", settled(q).Unedited, "a form is filled in, too")

	q = g.waiting("ann", inquiry.Question{Text: "Which size?",
		Body: &inquiry.Ask{Options: []string{"S", "L"}}})
	p.until(card(q, ".option") + " !== null")
	draft(q, "L")
	p.do(js(card(q, "button.refuse") + ".click()"))
	require.Empty(t, settled(q).Response.Reveal(), "a draft is no reason")

	q = g.waiting("ann", inquiry.Question{Text: "Decided where?"})
	p.until(card(q, "textarea") + " !== null")
	_, err := g.broker.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "here", By: "fast",
		Channel: inquiry.ChannelModel, Authority: inquiry.AuthorityAgent})
	require.NoError(t, err)
	p.until(`document.querySelector("#settled").textContent.includes(
		"decided by the model fast: here")`)
}
