//go:build unix

package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
)

// writesToAnna asks who is meant, and does what a person has to approve of.
var writesToAnna = modelRule(`\[it is allowed\]`, `COMPLETE\treturn:Anna knows.`, "over") +
	modelRule(`\[a dialog asks\]`, `CLICK\tpoint:450,532`, "it is allowed") +
	modelRule(`\[it was said\]`, `CLICK\tpoint:879,893`, "a dialog asks") +
	modelRule(`\[messages are open\]`, `INFO\tvalue:Which Anna?`, "it was said") +
	modelRule(`Write to Anna`, `AWAKE\tvalue:Messages`, "messages are open")

// stranger has only the page, and finds what is on it by what it is called.
type stranger struct{ browserPage }

// finds waits for what has the role and the name within a node, 0 for the whole page.
func (w stranger) finds(in cdp.BackendNodeID, role, name string) (found cdp.BackendNodeID) {
	w.t.Helper()
	look := chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		q := accessibility.QueryAXTreeParams{BackendNodeID: in, Role: role, AccessibleName: name}
		if in == 0 {
			page, err := cdp.Call(ctx, to, dom.GetDocument, dom.GetDocumentParams{})
			if err != nil {
				return err
			}
			q.NodeID = page.Root.NodeID
		}
		all, err := cdp.Call(ctx, to, accessibility.QueryAXTree, q)
		if err != nil {
			return err
		}
		for _, n := range all.Nodes {
			if !n.Ignored && found == 0 {
				found = n.BackendDOMNodeID
			}
		}
		return nil
	})
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for found == 0 {
		require.NoError(w.t, ctx.Err(), "no %s %q on the page: %s", role, name,
			w.text("document.body.innerText"))
		w.do(look, chromedp.Evaluate[chromedp.Void](
			"new Promise(requestAnimationFrame).then(() => undefined)", chromedp.EvalAwaitPromise))
	}
	return found
}

// goes to what has the role and the name in a region, and types.
func (w stranger) goes(region, role, name, keys string) {
	w.t.Helper()
	in := cdp.BackendNodeID(0)
	if region != "" {
		in = w.finds(0, "region", region)
	}
	at := w.finds(in, role, name)
	w.do(chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, dom.Focus, dom.FocusParams{BackendNodeID: at})
		return err
	}), chromedp.KeyEvent(keys))
}

// begins, answers, approves and reads the result, and returns how long that took.
func (w stranger) getsItDone() time.Duration {
	w.t.Helper()
	began := time.Now()
	w.goes("", "textbox", "Task", "Write to Anna")
	w.goes("", "button", "Start", "\r")
	w.goes("Waiting for you", "textbox", "Your answer", "Anna Wu")
	w.goes("Waiting for you", "button", "Send", "\r")
	w.goes("Waiting for you", "button", "Approve", "\r")
	w.goes("Recent", "link", "Write to Anna", "\r")
	w.finds(0, "StaticText", "Anna knows.")
	return time.Since(began)
}

// counts checks a page of the session: five steps, of which the fourth was approved and done.
func (w browserPage) counts() {
	w.t.Helper()
	w.until(`document.querySelector(".of")?.textContent === "Step 5 of 5"`)
	require.Equal(w.t, "1,2,3,4,5", w.text(`[...document.querySelectorAll(".strip li")]`+
		`.map((e) => e.textContent).join()`))
	w.runs(`document.querySelector(".strip li:nth-child(4) button").click()`)
	w.until(`document.querySelector(".step .no").textContent === "4"`)
	require.Equal(w.t, "badge good: done", w.text(`((e) => e.className + ": " + e.textContent)`+
		`(document.querySelector(".step .badge"))`))
	require.Contains(w.t, w.text(`document.querySelector(".talk").innerText`), "Allow Messages")
	require.Regexp(w.t, `^approved by (you|Ann .*)$`,
		w.text(`document.querySelector(".talk .a").innerText`))
	require.Equal(w.t, "4", w.text(`document.querySelector(".totals dd").textContent * 1 - 1`))
}

// An approved act is one step with one number wherever it is told of: on the page and its export,
// over HTTP and MCP, and at the terminal. internal/suite's reports have theirs in
// TestAnActionIsDecidedAsTheSuiteSays.
func TestAStrangerGetsATaskDoneAndEveryoneCountsTheSameSteps(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, writesToAnna)
	c := b.open(route{true, modern})
	browser := chrometest.Chromium(t)
	w := stranger{(&crashHarness{testEnv: b}).opens(browser, "Ann")}
	w.getsItDone()
	w.counts()
	id := strings.TrimPrefix(w.text("location.pathname"), "/ui/sessions/")

	require.Equal(t, 5, c.look(id).Steps)
	v, status := b.browser(c.url, b.link())
	require.Equal(t, http.StatusOK, status)
	for _, of := range []string{"/steps", "/trajectory"} {
		_, got := v.send("GET", "/v1/sessions/"+id+of, "")
		var seen []string
		for _, s := range got["steps"].([]any) {
			s := s.(map[string]any)
			seen = append(seen, strings.TrimSpace(fmt.Sprintln(s["index"], s["state"],
				s["refusal"])))
		}
		require.Equal(t, []string{"1 DONE <nil>", "2 DONE <nil>", "3 DONE <nil>", "4 DONE <nil>",
			"5 DONE <nil>"}, seen, of)
	}
	out, errs, code := b.run("sessions", "show", id)
	require.Zero(t, code, errs)
	require.Equal(t, []string{"1", "2", "3", "4", "5"}, stepsOf(out), out)
	require.NotContains(t, out, "not carried out")
	require.Contains(t, out, "approve")

	dir := t.TempDir()
	_, errs, code = b.run("sessions", "export", id, "--output", dir+"/run.html")
	require.Zero(t, code, errs)
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	alone := browserPage{t, ctx}
	alone.do(chromedp.Navigate("file://" + dir + "/run.html"))
	alone.counts()
}

// stepsOf are the numbers of the steps that a terminal tells of.
func stepsOf(told string) (list []string) {
	for _, m := range regexp.MustCompile(`(?m)^ *(\d+)  ?\S`).FindAllStringSubmatch(told, -1) {
		list = append(list, m[1])
	}
	return list
}

// BenchmarkAStrangerWithOnlyThePage is how long it takes to begin a task on the page, to answer its
// question, to approve its act and to read its result: 60 s are allowed.
func BenchmarkAStrangerWithOnlyThePage(b *testing.B) {
	browser := chrometest.Chromium(b)
	var took time.Duration
	for b.Loop() {
		e := newTestEnv(b, demoTask, writesToAnna)
		e.serve()
		took += stranger{(&crashHarness{testEnv: e}).opens(browser, "Ann")}.getsItDone()
	}
	b.ReportMetric(took.Seconds()/float64(b.N), "s-of-60")
}
