package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
)

// The card in which somebody types stays where it is, whatever arrives or is settled, also at the
// top of the page, where a browser does not keep it by itself.
func TestNothingPushesTheOpenQuestionAway(t *testing.T) {
	t.Parallel()
	browser := chrometest.Chromium(t)
	for _, width := range []int64{390, 1280} {
		g := newRig(t, nil)
		ask := func(text string, d time.Duration) inquiry.Question {
			now := time.Now()
			return g.waiting("ann", inquiry.Question{Text: text, AttentionUntil: now.Add(d),
				ExpiresAt: now.Add(24 * time.Hour)})
		}
		open := ask("in which I type", time.Hour)
		p := g.login(browser, "kitchen")
		p.do(chromedp.EmulateViewport(width, 800))
		box := card(open, "textarea")
		p.until(card(open, ".shot img") + ".naturalWidth > 0")
		// above the questions, and late
		p.until(`document.body.innerText.includes("Again:") &&
			[...document.querySelectorAll("select")].some(s => s.options.length > 1)`)
		p.do(js("scrollTo(0, 0); "+box+".focus({preventScroll: true})"), chromedp.KeyEvent("half"))
		top := box + ".getBoundingClientRect().top"
		steady := fmt.Sprintf("Math.abs(%s - %f) < 2", top, p.number(top))
		above := ask("more urgent", 20*time.Minute)
		if width < 768 { // else it is in the list beside the open one, and nobody has looked at it
			p.until(card(above, ".steps li") + " !== null")
		}
		p.until(`document.querySelectorAll("#queue li").length === 2`)
		p.until(steady)
		_, err := g.broker.Resolve(t.Context(), above.ID, inquiry.Reply{Type: inquiry.TypeAnswer,
			Response: "no", Authority: inquiry.AuthorityHumanToken})
		require.NoError(t, err)
		p.until(`document.querySelector("#settled span") !== null && ` + steady)
		require.Equal(t, "half", p.text(box+".value"))
		require.Equal(t, "true", p.text("document.activeElement === "+box))
	}
}
