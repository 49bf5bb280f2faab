package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// What the program says is worded where it is read, and says no more than what happened.
func TestAPersonReadsWhatHappenedInWords(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	p := g.login(chrometest.Chromium(t), "kitchen")
	asked, err := g.broker.Open(t.Context(), inquiry.Question{Text: "Which one?",
		Task: "Of **two**:\n\n- a\n- b", Client: "kitchen", Body: &inquiry.Form{
			Fields: []inquiry.Field{{Name: "name", Label: "Your name", Type: "text", Optional: true}}}})
	require.NoError(t, err)
	p.until(card(asked, ".context li") + " !== null")
	require.Equal(t, "two", p.text(card(asked, ".context strong")+".textContent"))
	require.Equal(t, "Your name optional", p.text(card(asked, ".field label")+".textContent"))
	p.look("light", 768, 900)
	p.narrowEnough("home", 768)

	byHand := g.waiting("kitchen", inquiry.Question{Kind: inquiry.KindTakeover, Text: "as it was asked",
		Body: &inquiry.Takeover{Says: map[string]string{"en": "By hand, please.", "zh": "请手动操作。"}}})
	p.until(card(byHand, "h2") + `?.textContent === "By hand, please."`)
	p.do(js(`document.getElementById("lang").click()`))
	require.Equal(t, "请手动操作。", p.text(card(byHand, "h2")+".textContent"))
	p.do(js(`document.getElementById("lang").click()`))
	_, err = g.broker.Resolve(t.Context(), byHand.ID, inquiry.Reply{ID: "1", Type: inquiry.TypeCouldNot,
		Response: "no way in", Channel: inquiry.ChannelPage, Authority: inquiry.AuthorityLocalOperator})
	require.NoError(t, err)
	p.until(`document.querySelector("#settled span")?.textContent === ` +
		`"“By hand, please.”: a person here (inbox page) could not do it: no way in"`)

	run := g.running("buy a boat", 1)
	g.ends(run, store.Change{To: store.Aborted, Reason: agentloop.TaskAborted, Answer: "no boats"})
	p.do(js(`history.pushState(null, "", "/ui/sessions/` + run.SessionID + `"); ` +
		`dispatchEvent(new PopStateEvent("popstate"))`))
	p.until(`document.querySelector(".result.bad")?.textContent.includes("no boats")`)
	require.Contains(t, p.text(`document.querySelector(".result.bad .mend").textContent`), "new task")
	p.do(js(`history.pushState(null, "", "/ui/nope"); dispatchEvent(new PopStateEvent("popstate"))`))
	p.until(`document.querySelector("#page h2")?.textContent === "There is no such page."`)
}
