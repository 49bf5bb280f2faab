package web_test

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
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/store"
)

// tab is the page in a browser profile of its own.
type tab struct {
	t   testing.TB
	ctx context.Context
}

// open opens a path of the server in a new profile.
func (g *rig) open(browser context.Context, path string) tab {
	g.t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	g.t.Cleanup(cancel)
	p := tab{g.t, ctx}
	p.watch()
	p.do(chromedp.Navigate(g.http.URL + path))
	return p
}

// login opens the page by a link, in a new profile.
func (g *rig) login(browser context.Context, name string) tab {
	g.t.Helper()
	link, err := g.logins.Link(g.http.URL, name)
	require.NoError(g.t, err)
	p := g.open(browser, strings.TrimPrefix(link, g.http.URL))
	p.until(`document.getElementById("link").textContent === "live"`)
	require.Empty(g.t, p.text("location.hash"), "the code stays in no history")
	return p
}

// watch makes the test fail when the page throws something or runs into its policy.
func (p tab) watch() {
	p.t.Helper()
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		script := page.AddScriptToEvaluateOnNewDocumentParams{Source: `
			window.faults = [];
			addEventListener("error", (e) => faults.push(e.message));
			addEventListener("unhandledrejection", (e) => faults.push(String(e.reason)));
			addEventListener("securitypolicyviolation",
				(e) => faults.push(e.violatedDirective + " " + e.blockedURI));`}
		_, err := cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, script)
		return err
	}))
	p.t.Cleanup(func() {
		require.Equal(p.t, "", p.text(`faults.join("\n")`), "faults of the page")
	})
}

func (p tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, steps...))
}

// until waits until the expression is true.
func (p tab) until(expression string) {
	p.t.Helper()
	_, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression,
		chromedp.WithPollingInterval(20*time.Millisecond),
		chromedp.WithPollingTimeout(patient.Lid)))
	require.NoError(p.t, err, "%s\npage: %s", expression, p.text("document.body.innerText"))
}

// text is the value of the expression.
func (p tab) text(expression string) string {
	p.t.Helper()
	s, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("String("+expression+")"))
	require.NoError(p.t, err)
	return s
}

// card is the expression for something within a question.
func card(q inquiry.Question, selector string) string {
	return fmt.Sprintf(`document.querySelector('article[data-id="%s"] %s')`, q.ID, selector)
}

func TestAnAnswerInOneBrowserTakesTheQuestionAwayInTheOtherWithTheReason(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	const evil = `Which size? <img src=x ` +
		`onerror="document.title='owned'"><script>document.title='owned'</script>`
	q := g.waiting("ann", inquiry.Question{Text: evil,
		Body: &inquiry.Ask{Options: []string{"small", "<b>large</b>"}, FreeText: true}})
	browser := chrometest.Chromium(t)
	kitchen, hall := g.login(browser, "kitchen"), g.login(browser, "hall")
	for _, p := range []tab{kitchen, hall} { // both came later than the question
		p.until(card(q, ".steps li") + ` !== null`)
		require.Equal(t, evil, p.text(card(q, ".question")+".textContent"))
		require.Equal(t, "Task: order <b>a pizza</b>", p.text(card(q, ".task")+".textContent"))
		require.Equal(t, "1. went back: open <i>the menu</i>", p.text(card(q, ".steps li")+".textContent"))
		require.Equal(t, "0",
			p.text(`document.querySelectorAll("article script, article b, article i, .question `+
				`img").length`))
		p.until(card(q, ".shot img") + ".naturalWidth > 0")
	}
	hall.do(chromedp.KeyEvent("j"),
		js(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "a", bubbles: `+
			`true}))`),
		chromedp.KeyEvent("half typed"))
	require.Equal(t, "half typed", hall.text(card(q, "textarea")+".value"))
	kitchen.do(chromedp.KeyEvent("j"), chromedp.KeyEvent("2"))
	hall.until(`document.querySelector("article") === null`)
	require.Equal(t, "“"+evil+"”: answered by kitchen (inbox page): <b>large</b>",
		hall.text(`document.querySelector("#settled span").textContent`))
	kitchen.until(`document.querySelector("#settled span") !== null`)
	require.Contains(t, kitchen.text(`document.querySelector("#settled span").textContent`),
		"answered by you: <b>large</b>")
	require.Equal(t, "taploop", hall.text("document.title"))
	stored, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "<b>large</b>", stored.Resolution.Response.Reveal())

	secret := g.waiting("ann", inquiry.Question{Text: "The code?", Secret: true})
	hall.until(card(secret, "input[type=password]") + ` !== null`)
	hall.do(js(card(secret, "input") + ".focus()"))
	hall.do(chromedp.KeyEvent("778-hidden\r"))
	kitchen.until(
		`document.querySelector("article") === null && document.querySelectorAll("#settled ` +
			`li").length === 2`)
	for _, p := range []tab{kitchen, hall} {
		require.NotContains(t, p.text("document.documentElement.outerHTML"), "778-hidden")
	}
	stored, err = g.broker.Get(t.Context(), secret.ID)
	require.NoError(t, err)
	require.Equal(t, "778-hidden", stored.Resolution.Response.Reveal())

}

func TestATaskIsStoppedByASecondPressAndNotByADoubleClick(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	stop := card(q, ".stop")
	p.until(card(q, ".shot img") + ".naturalWidth > 0")
	p.do(js(card(q, ".more") + ".click()"))
	press := func(times int) {
		t.Helper()
		p.do(js(stop + `.scrollIntoView({block: "center"})`))
		x := p.number(stop + ".getBoundingClientRect().left + 9")
		y := p.number(stop + ".getBoundingClientRect().top + 9")
		for n := range times { // as a finger does that hits it several times
			p.do(chromedp.MouseClickXY(x, y, chromedp.ClickCount(n+1)))
		}
	}
	// the page's clock stands until it is set, also that of the time in which it is sure
	p.do(js("{ const at = performance.now(), timer = setTimeout; window.passed = 0; " +
		"performance.now = () => at + passed; " +
		"setTimeout = (f, ms) => timer(f, ms === 4000 ? 3600000 : ms) }"))
	press(4)
	require.Equal(t, "Really stop?", p.text(stop+".textContent"))
	require.Empty(t, g.runs.calls)
	press(1)
	require.Empty(t, g.runs.calls, "too soon, though it is a press of its own")
	p.do(js("passed = 701"))
	press(1)
	p.waits(func() bool {
		run, err := g.store.Runs.Get(t.Context(), q.RunID)
		return err == nil && run.State == store.Cancelled
	})
	p.until(stop + `.textContent === "Stop the task" && !` + stop + ".disabled")
}

func TestWhatRunsOutFirstIsOnTop(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	soon := func(text string, d time.Duration, then inquiry.OnTimeout) inquiry.Question {
		now := time.Now()
		return g.waiting("ann", inquiry.Question{Text: text, AttentionUntil: now.Add(d),
			ExpiresAt: now.Add(24 * time.Hour), OnTimeout: then, DefaultAnswer: "yes"})
	}
	soon("waits a day", time.Minute, "")
	soon("ends in an hour", time.Hour, inquiry.GiveUp)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(`document.querySelectorAll("article").length === 2`)
	soon("is taken in ten minutes", 10*time.Minute, inquiry.Default)
	soon("goes on at once", 27*time.Second, inquiry.GoOn)
	p.until(`document.querySelectorAll("article").length === 4`)
	shown := `[...document.querySelectorAll("article .question")].map((e) => e.textContent).join()`
	const want = "goes on at once,waits a day,is taken in ten minutes,ends in an hour"
	require.Equal(t, want, p.text(shown))
	p.do(chromedp.Reload())
	p.until(`document.querySelectorAll("article").length === 4`)
	require.Equal(t, want, p.text(shown))
	require.Contains(t, p.text(`document.querySelector(".card.current").textContent`),
		"goes on at once", "the first is open")
	p.do(chromedp.KeyEvent("a"))
	require.Contains(t, p.text(`document.activeElement.closest(".card").textContent`),
		"goes on at once", "keys are for the open one")
	p.do(js("document.activeElement.blur()"), chromedp.KeyEvent("j"), chromedp.KeyEvent("j"))
	require.Contains(t, p.text("document.activeElement.textContent"), "waits a day",
		"the keys go from top to bottom")
	p.do(chromedp.KeyEvent("a"), chromedp.KeyEvent("half"))
	soon("comes in between", 5*time.Second, inquiry.GoOn)
	g.http.CloseClientConnections()
	p.until(`document.querySelectorAll("article").length === 5 && !document.body.classList.contains("lost")`)
	require.Contains(t, p.text(`document.querySelector(".card.current").textContent`),
		"waits a day", "what is being typed in stays open")
}

// With a thousand questions, a list that is made anew for each of them keeps the page busy.
func TestTheListOfQuestionsIsMadeOnceForASnapshotAndForNoStep(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	for range 9 {
		g.waiting("ann", inquiry.Question{})
	}
	run := g.running("order tea", 1)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(`document.querySelectorAll("#queue li").length === 9`)
	p.until(`document.querySelector(".run-card .now")?.textContent.startsWith("1. ")`)
	p.do(js(`globalThis.made = 0; const seen = new MutationObserver((all) => { made += all.length; }); `+
		`seen.observe(document.getElementById("queue"), { childList: true })`),
		js(`Promise.all([import("/ui/inbox.js"), import("/ui/api.js")]).then(async ([inbox, api]) => {
			const open = await api.get("/v1/inquiries?status=open");
			inbox.leave();
			globalThis.left = seen.takeRecords().length;
			made = 0;
			await inbox.snapshot(open);
			globalThis.shown = true;
		})`))
	p.until("globalThis.shown === true")
	require.Equal(t, "1 1", p.text("left + ' ' + made"))
	g.step(run, 2)
	g.web.Changed(run.SessionID)
	p.until(`document.querySelector(".run-card .now")?.textContent.startsWith("2. ")`)
	require.Equal(t, "1", p.text("made"))
}

func TestWhatSteersOrHidesIsNotOnThePage(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	g.waiting("ann", inquiry.Question{Text: "Pay \u202e001 \u200bto\u2066 Bob?\n👨‍👩‍👧 \u0645",
		Task: "p\u202eay", Body: &inquiry.Ask{Options: []string{"1\u202e00", "no"}}})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(`document.querySelectorAll("article").length === 1`)
	require.Equal(t, "Pay 001 to Bob?\n👨‍👩‍👧 \u0645",
		p.text(`document.querySelector("article .question").textContent`))
	shown := p.text("document.body.textContent")
	require.Contains(t, shown, "pay")
	require.Contains(t, shown, "100")
	require.NotRegexp(t, "[\u202a-\u202e\u2066-\u2069\u200b]", shown)
}

func TestThePageSaysInItsLanguageThatALinkWasUsed(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	link, err := g.logins.Link(g.http.URL, "kitchen")
	require.NoError(t, err)
	browser := chrometest.Chromium(t)
	g.open(browser, strings.TrimPrefix(link, g.http.URL)).until(
		`document.getElementById("link").textContent === "live"`)
	late := g.open(browser, strings.TrimPrefix(link, g.http.URL))
	says := `document.getElementById("login-error").textContent`
	late.until(says + ` === "This link was used before or is too old. taploop ui makes a new one."`)
	late.do(js(`document.getElementById("lang").click()`))
	require.Equal(t, "此链接已被使用或已过期，请运行 taploop ui 获取新链接。", late.text(says))
}

func TestARefusedSecretShowsNoMask(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	p := g.login(chrometest.Chromium(t), "kitchen")
	for _, kind := range []inquiry.Type{inquiry.TypeDecline, inquiry.TypeAnswer} {
		q := g.waiting("ann", inquiry.Question{Text: "The code?", Secret: true})
		p.until(card(q, "input") + " !== null")
		_, err := g.broker.Resolve(t.Context(), q.ID, inquiry.Reply{Type: kind, Response: "4711",
			Channel: inquiry.ChannelCommandLine, By: "root"})
		require.NoError(t, err)
		p.until(`document.querySelector('#settled li[data-id="` + q.ID + `"]') !== null`)
		says := p.text(`document.querySelector("#settled span").textContent`)
		require.Contains(t, says, map[inquiry.Type]string{
			inquiry.TypeDecline: "“The code?”: root (command line) refused to answer",
			inquiry.TypeAnswer:  "“The code?”: answered by root (command line)"}[kind])
		require.NotContains(t, says, "[secret]")
	}
}

func TestAnAnswerReachesTheOtherBrowserWithinASecond(t *testing.T) {
	g := newRig(t, nil)
	browser := chrometest.Chromium(t)
	kitchen, hall := g.login(browser, "kitchen"), g.login(browser, "hall")
	quickest := time.Hour
	// a machine may be busy for a while; a page that asks now and then never is quick
	for first := time.Now(); quickest >= time.Second && time.Since(first) < patient.Lid; {
		q := g.waiting("ann", inquiry.Question{Body: &inquiry.Ask{Options: []string{"small"}}})
		for _, p := range []tab{kitchen, hall} {
			p.until(card(q, ".option") + " !== null")
		}
		began := time.Now()
		kitchen.do(js(card(q, ".option") + ".click()"))
		hall.until(`[...document.querySelectorAll("#settled li")].some((e) => e.dataset.id === "` +
			q.ID + `" && e.textContent.includes("answered by kitchen (inbox page): small"))`)
		took := time.Since(began)
		t.Logf("gone in the other browser, with the reason, after %v", took)
		quickest = min(quickest, took)
	}
	require.Less(t, quickest, time.Second)
}

func TestALostConnectionGreysThePageAndItComesBack(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	old, other := g.waiting("ann", inquiry.Question{}), g.waiting("ann", inquiry.Question{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(old, "textarea") + ` !== null`)
	p.until(`document.querySelector(".run-card .say button") !== null`)
	g.down.Store(true)
	g.http.CloseClientConnections()
	p.until(`document.body.classList.contains("lost") && !document.getElementById("stale").hidden`)
	silent := []string{card(other, ".problem"), `document.querySelector(".run-card .problem[role]")`}
	p.do(js(card(other, "textarea")+`.value = "x"`), js(card(other, "button.main")+".click()"),
		js(`[...document.querySelectorAll(".run-card button")]`+
			`.find((b) => b.textContent === "Take over").click()`))
	for _, problem := range silent {
		p.until(problem + `.textContent.includes("does not answer")`)
	}
	_, err := g.broker.Resolve(t.Context(), old.ID,
		inquiry.Reply{Response: "x", Channel: "console", By: "the operator"})
	require.NoError(t, err)
	g.down.Store(false)
	p.until(`!document.body.classList.contains("lost") && ` + card(old, "") + ` === null`)
	for _, problem := range silent {
		p.until(problem + `.textContent.trim() === ""`)
	}
	p.until(`document.querySelector("#settled span") !== null`)
	require.Contains(t, p.text(`document.querySelector("#settled span").textContent`),
		"answered by the operator (console): x")
	require.Equal(t, "true", p.text(`document.getElementById("stale").hidden`))
}

// js runs a statement for what it does.
func js(statement string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](statement + "; undefined")
}
