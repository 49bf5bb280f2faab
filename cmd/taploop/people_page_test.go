//go:build unix

package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// pageScript is a task with a step, a question, and an end whatever the answer is.
const pageScript = `
- when: '\[page asked\]'
  reply: "<THINK> x </THINK>\nexplain:end\taction:COMPLETE\treturn:it is over\tsummary:[page over]"
- when: '\[page tapped\]'
  reply: "<THINK> x </THINK>\nexplain:ask\taction:INFO\tvalue:Which <b>colour</b>?\tsummary:[page asked]"
- when: 'Answer every round'
  reply: "<THINK> x </THINK>\nexplain:open the paint shop\taction:CLICK\tpoint:500,500\tsummary:[page tapped]"
`

// browserPage is the inbox page in a browser profile of its own.
type browserPage struct {
	t   testing.TB
	ctx context.Context
}

// opens logs a browser profile in by a link of the command line.
func (k *crashHarness) opens(browser context.Context, name string) browserPage {
	t := k.testEnv.t
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	w := browserPage{t, ctx}
	w.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		script := page.AddScriptToEvaluateOnNewDocumentParams{Source: `
			window.faults = [];
			addEventListener("error", (e) => faults.push(e.message));
			addEventListener("unhandledrejection", (e) => faults.push(String(e.reason)));
			addEventListener("securitypolicyviolation", (e) => faults.push(e.violatedDirective + " " + e.blockedURI));`}
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, script)
		return err
	}), chromedp.Navigate(k.link("--name", name)))
	t.Cleanup(func() {
		require.Empty(t, w.text(`faults.join("\n")`), "faults of the page in the %s",
			name)
	})
	w.until(`document.getElementById("link").textContent === "live"`)
	require.Empty(t, w.text("location.hash"), "the code stays in no history")
	return w
}

func (w browserPage) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	require.NoError(w.t, chromedp.Do(w.ctx, steps...))
}

// runs does what the statement says.
func (w browserPage) runs(statement string) {
	w.t.Helper()
	w.do(chromedp.Evaluate[chromedp.Void](statement + "; undefined"))
}

// until waits until the expression is true.
func (w browserPage) until(expression string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression,
		chromedp.WithPollingInterval(20*time.Millisecond),
		chromedp.WithPollingTimeout(patience)))
	require.NoError(w.t, err, "%s\npage: %s", expression, w.text("document.body.innerText"))
}

// text is the value of the expression.
func (w browserPage) text(expression string) string {
	w.t.Helper()
	s, err := chromedp.Run(w.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	require.NoError(w.t, err)
	return s
}

// tabsTo presses Tab until the element has the focus.
func (w browserPage) tabsTo(element string) {
	w.t.Helper()
	for range 10 {
		if w.text("document.activeElement === "+element) == "true" {
			return
		}
		w.do(chromedp.KeyEvent("\t"))
	}
	require.FailNow(w.t, "the keyboard does not reach "+element)
}

// inCard is the expression for something within a question.
func inCard(q inquiry.Question, selector string) string {
	return fmt.Sprintf(`document.querySelector('article[data-id="%s"] %s')`, q.ID, selector)
}

// shows waits for the question, and checks that it comes with all that an answer needs.
func (w browserPage) shows(q inquiry.Question) {
	w.t.Helper()
	w.until(inCard(q, ".steps li") + `?.textContent === "1. tapped: open the paint shop" && ` +
		inCard(q, ".shot img") + ".naturalWidth > 0")
	require.Equal(w.t, "Which <b>colour</b>?", w.text(inCard(q, ".question")+".textContent"))
	require.Equal(w.t, "Task: Answer every round", w.text(inCard(q, ".task")+".textContent"))
	require.Equal(w.t, "1", w.text(`document.querySelectorAll("article").length`))
}

// gone waits until the question is not shown any more and the reason is, and returns the reason.
func (w browserPage) gone(q inquiry.Question) string {
	w.t.Helper()
	line := fmt.Sprintf(`document.querySelector('#settled li[data-id="%s"] span')`, q.ID)
	w.until(inCard(q, "") + " === null && " + line + " !== null")
	return w.text(line + ".textContent")
}

// asking waits for the question of the present session.
func (k *crashHarness) asking() inquiry.Question {
	t := k.testEnv.t
	t.Helper()
	s := k.follow(k.call("ask_agent_wait", map[string]any{"session_id": k.session}))
	require.Equal(t, store.WaitingReply, s.State, "%s", s.words)
	q, err := k.store.Questions.Get(t.Context(), s.Question.ID)
	require.NoError(t, err)
	return q
}

// another begins one more session with the same task, and waits for its question.
func (k *crashHarness) another() inquiry.Question {
	k.session = k.call("ask_agent_start_new_task",
		map[string]any{"task": "Answer every round", "wait_seconds": 0}).SessionID
	return k.asking()
}

// ended waits for the end of the present session, and returns what the model was last asked about
// its question.
func (k *crashHarness) ended(as store.State) string {
	k.testEnv.t.Helper()
	k.becomes(string(as), func() bool {
		run, err := k.store.LatestRun(k.testEnv.t.Context(), k.session)
		require.NoError(k.testEnv.t, err)
		return run.State == as
	})
	return k.prompted(`\[page asked\]`)
}

// becomes looks at the store until something is so.
func (k *crashHarness) becomes(what string, is func() bool) {
	k.testEnv.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(patience); !is(); {
		select {
		case <-tick.C:
		case <-late:
			require.FailNow(k.testEnv.t, "the session never is "+what)
		}
	}
}

func TestAQuestionOfTheServerIsAnsweredRefusedAndStoppedInTwoBrowsers(t *testing.T) {
	t.Parallel()
	browser := chrometest.Chromium(t)
	k := crashHarnessWith(t, 1, pageScript)
	kitchen := k.opens(browser, "kitchen") // before the question
	q := k.asking()
	hall := k.opens(browser, "hall") // after it
	kitchen.shows(q)
	hall.shows(q)
	k.answeredIn(kitchen, hall, q)
	k.refusedWithKeys(kitchen, hall)
	k.stoppedFrom(hall, kitchen)
	require.Len(t, k.wire.touches(), 3, "one in each run")
}

// answeredIn types an answer in one browser, of which the other one and the model get to know.
func (k *crashHarness) answeredIn(kitchen, hall browserPage, q inquiry.Question) {
	t := k.testEnv.t
	hall.runs(inCard(q, "textarea") + ".focus()")
	hall.do(chromedp.KeyEvent("half typed"))
	kitchen.runs(inCard(q, "textarea") + ".focus()")
	kitchen.do(chromedp.KeyEvent("plum <i>7</i>"))
	watch := k.stopwatch()
	kitchen.runs(inCard(q, "button.main") + ".click()")
	reason := hall.gone(q)
	watch.within(10 * time.Second) // it is told, and not found by reading the page again
	require.Equal(t, "“Which <b>colour</b>?”: answered by kitchen (inbox page): plum <i>7</i>",
		reason)
	require.Equal(t, "“Which <b>colour</b>?”: answered by you: plum <i>7</i>", kitchen.gone(q))
	require.Contains(t, asText(k.ended(store.Completed)), "plum <i>7</i>", "the model is told")
	require.Equal(t, []string{"page kitchen plum <i>7</i>"}, k.did(store.AuditAnswered))
}

// refusedWithKeys refuses a question without a mouse.
func (k *crashHarness) refusedWithKeys(kitchen, hall browserPage) {
	t := k.testEnv.t
	q := k.another()
	for _, w := range []browserPage{kitchen, hall} {
		w.shows(q)
	}
	hall.do(chromedp.KeyEvent("j"))
	hall.tabsTo(inCard(q, ".more"))
	hall.do(chromedp.KeyEvent("\r"))
	hall.tabsTo(inCard(q, ".refuse"))
	hall.do(chromedp.KeyEvent("\r"))
	require.Equal(t, "“Which <b>colour</b>?”: hall (inbox page) refused to answer", kitchen.gone(q))
	require.Contains(t, hall.gone(q), "you refused to answer")
	prompt := asText(k.ended(store.Completed))
	require.NotContains(t, prompt, "plum")
	require.Contains(t, prompt, "the other side chose not to answer", "the model is told")
	settled, err := k.store.Questions.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.Refused, settled.Status)
}

// stoppedFrom stops a run at its question, by a button that wants to be pressed twice.
func (k *crashHarness) stoppedFrom(hall, kitchen browserPage) {
	t := k.testEnv.t
	q := k.another()
	for _, w := range []browserPage{kitchen, hall} {
		w.shows(q)
	}
	hall.runs(inCard(q, ".stop") + ".click(); window.pressed = performance.now()")
	require.Equal(t, "Really stop?", hall.text(inCard(q, ".stop")+".textContent"))
	hall.until("performance.now() - pressed > 700") // what comes at once is a double click
	hall.runs(inCard(q, ".stop") + ".click()")
	require.Contains(t, kitchen.gone(q), "withdrawn")
	require.Contains(t, hall.gone(q), "withdrawn")
	k.ended(store.Cancelled)
	// Once the stop is over.
	k.becomes("noted as stopped", func() bool { return len(k.did(store.AuditStopped)) > 0 })
	require.Equal(t, []string{"page hall "}, k.did(store.AuditStopped))
}

// did is who did so in the present session, through which channel and with which answer.
func (k *crashHarness) did(event store.AuditEvent) (list []string) {
	entries, err := k.store.Audit.List(k.testEnv.t.Context(),
		store.AuditFilter{SessionID: k.session})
	require.NoError(k.testEnv.t, err)
	for _, e := range entries {
		if e.Event == event {
			list = append(list, e.Channel+" "+e.By+" "+e.Answer)
		}
	}
	return list
}

// asText is what a request asks the model in words, without the escapes that angle brackets have in
// it.
func asText(request string) string {
	words, _, _ := strings.Cut(request, `"type":"image_url"`)
	return strings.NewReplacer(`\\u003c`, "<", `\\u003e`, ">", `\u003c`, "<", `\u003e`,
		">").Replace(words)
}
