package web_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// The time line shows every step, and where one is, at any width.
func TestTheTimeLineOfALongRunFitsThePage(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	run := g.running("book a train", 240)
	p := g.login(chrometest.Chromium(t), "kitchen")
	for _, width := range []int64{390, 1280} {
		p.look("light", width, 844)
		p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + run.SessionID))
		p.until(`document.querySelectorAll(".timeline span").length === 240`)
		const line = `document.querySelector(".timeline")`
		require.Equal(t, "true", p.text(line+".scrollWidth <= "+line+".clientWidth"), width)
		for key, n := range map[string]int{"End": 240, "Home": 1} {
			p.do(js(fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", `+
				`{key: %q, bubbles: true}))`, key)))
			p.until(fmt.Sprintf(`document.querySelector(".of").textContent === "Step %d of 240"`, n))
			at := fmt.Sprintf(line+`.children[%d].getBoundingClientRect()`, n-1)
			require.Equal(t, "true", p.text(at+".right <= "+line+".getBoundingClientRect().right + 1 && "+
				at+".width >= 2.9"), key)
		}
	}
}

// What was looked for among all runs is in the address, and there again on the way back.
func TestTheFiltersOfAllRunsAreInTheAddress(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	for task, state := range map[string]store.State{"order tea": store.Failed,
		"order soup": store.Failed, "buy tea": store.Completed} {
		g.ends(g.running(task, 1), store.Change{To: state})
	}
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(chromedp.Navigate(g.http.URL + "/ui/sessions"))
	one := `document.querySelectorAll(".results li").length === 1 && ` +
		`document.querySelector(".results .name").textContent === "order tea"`
	p.until(`document.querySelectorAll(".results li").length === 3`)
	p.do(js(`document.getElementById("f-q").focus()`), chromedp.KeyEvent("tea"))
	p.choose("Outcome", "FAILED")
	p.until(one + ` && location.search === "?q=tea&state=FAILED"`)
	p.do(js(`document.querySelector(".results .name").click()`))
	p.until(`document.querySelector(".session") !== null`)
	p.do(js("history.back()"))
	p.until(one + ` && document.getElementById("f-q").value === "tea" && ` +
		`document.getElementById("f-state").value === "FAILED"`)
	p.do(chromedp.Reload())
	p.until(one)
	p.do(js(`document.querySelector("#nav a[href='/ui/sessions']").click()`))
	p.until(`document.querySelectorAll(".results li").length === 3 && location.search === ""`)
}

// What waits stands on top at every width, one card with a list of the others above it, and pushes a
// box in which somebody types nowhere. Keys are explained where there are some.
func TestWhatWaitsStandsAboveTheTaskBox(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	browser := chrometest.Chromium(t)
	const task = `document.getElementById("task")`
	for _, width := range []int64{390, 1280} {
		p := g.login(browser, "kitchen")
		p.look("light", width, 844)
		p.do(chromedp.Reload())
		p.until(task + ` !== null && document.querySelector(".phones .badge") !== null && ` +
			`document.body.innerText.includes("Again:") === ` +
			`(document.querySelector(".run-card") !== null)`)
		p.do(js("scrollTo(0, 0); "+task+".focus({preventScroll: true})"),
			chromedp.KeyEvent("tea"))
		var asked []inquiry.Question
		top := task + ".getBoundingClientRect().top"
		steady := fmt.Sprintf("Math.abs(%s - %f) < 2", top, p.number(top))
		for range 6 {
			q := g.waiting("ann", inquiry.Question{Text: "Which size?"})
			asked = append(asked, q)
		}
		p.until(`document.querySelectorAll("#queue li").length === 6`)
		p.until(steady)
		require.Equal(t, "1", p.text(`[...document.querySelectorAll("article")]`+
			`.filter((e) => e.checkVisibility()).length`), width)
		p.do(js("scrollTo(0, 0)"))
		require.Equal(t, "true", p.text(`document.getElementById("waiting")`+
			`.getBoundingClientRect().bottom <= `+top), width)
		require.Equal(t, "true", p.text(top+" < 2 * innerHeight"), "the task box is not far at %d", width)
		require.Equal(t, strconv.FormatBool(width > 500),
			p.text(`document.getElementById("keys").checkVisibility()`), width)
		for _, q := range asked {
			require.NoError(t, g.broker.Withdraw(t.Context(), q.ID, "seen"))
		}
		p.until(`document.querySelector("article") === null`)
	}
}
