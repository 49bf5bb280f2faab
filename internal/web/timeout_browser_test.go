package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
)

func TestAQuestionIsLeftToTheAgentOnThePage(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	press := func(q inquiry.Question, button string) {
		p.until(card(q, "button."+button) + " !== null")
		p.do(js(card(q, "button."+button) + ".click()"))
	}
	settled := func(q inquiry.Question) inquiry.Type {
		q, err := g.broker.Wait(t.Context(), q.ID)
		require.NoError(t, err)
		require.Equal(t, "page", q.Resolution.Channel)
		return q.Resolution.Type
	}

	q := g.waiting("ann", inquiry.Question{})
	press(q, "timeout")
	p.until(card(q, ".due") + `.textContent.startsWith("still waiting")`)
	press(q, "delegate")
	require.Equal(t, inquiry.TypeDelegate, settled(q))
	p.until(`document.querySelector("#settled").textContent.includes("you left it to the agent")`)

	q = about(inquiry.Critical)
	q.OnTimeout = inquiry.RejectAll
	q = g.waiting("ann", q)
	press(q, "timeout")
	require.Equal(t, inquiry.TypeTimeout, settled(q))
	q = g.waiting("ann", inquiry.Question{Secret: true})
	p.until(card(q, "button.timeout") + " !== null")
	require.Equal(t, "true", p.text("String("+card(q, "button.delegate")+" === null)"))
}
