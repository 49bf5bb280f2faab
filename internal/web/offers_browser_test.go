package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/inquirytest/vote"
)

func TestAKindThatThePageDoesNotKnowIsAnsweredByItsOffers(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	settled := func(q inquiry.Question) string {
		q, err := g.broker.Wait(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, inquiry.ChannelPage, q.Resolution.Channel)
		return q.Resolution.Response.Reveal()
	}

	q := g.waiting("ann", inquiry.Question{Text: "Agreed?",
		Body: &vote.Vote{Motion: "<b>tea</b>"}})
	p.until(card(q, "[data-offer=nay]") + " !== null")
	require.Equal(t, "motion: <b>tea</b>", p.text(card(q, ".why")+".textContent"))
	require.Equal(t, "aye", p.text(card(q, "button.main")+".textContent"))
	require.Equal(t, "nay", p.text(card(q, "[data-offer=nay]")+".textContent"))
	p.do(js(card(q, "textarea")+".focus()"), chromedp.KeyEvent("too late"),
		js(card(q, "[data-offer=nay]")+".click()"))
	require.Equal(t, "nay: too late", settled(q))

	q = g.waiting("ann", inquiry.Question{Text: "Agreed?", Body: &vote.Vote{Motion: "tea"}})
	p.until(card(q, "button.main") + " !== null")
	p.do(js(card(q, "button.main") + ".click()"))
	require.Equal(t, "aye", settled(q))
}
