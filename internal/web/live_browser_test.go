package web_test

import (
	"context"
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/store"
)

// waits waits until what the page does has come about.
func (p tab) waits(what func() bool) {
	p.t.Helper()
	require.Eventually(p.t, what, patient.Lid, 20*time.Millisecond, "%s",
		p.text("document.body.innerText"))
}

// at is where a place of the live picture is in the window.
func (p tab) at(q inquiry.Question, x, y float64) (left, top float64) {
	p.do(js(card(q, ".live-screen") + `.scrollIntoView({ block: "center" })`))
	img := card(q, ".live-screen img") + ".getBoundingClientRect()"
	return p.number(img+".left") + x*p.number(img+".width"),
		p.number(img+".top") + y*p.number(img+".height")
}

// tap clicks the live picture with a real mouse.
// tap is a click of 50 ms, however long the page takes to hear of its end.
func (p tab) tap(q inquiry.Question, x, y float64) {
	left, top := p.at(q, x, y)
	pressed := input.TimeSinceEpoch(time.Now().UnixMilli()) / 1000
	at := func(t input.TimeSinceEpoch) chromedp.MouseOption {
		return func(e *input.DispatchMouseEventParams) { e.Timestamp = t }
	}
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, left, top,
		chromedp.ButtonLeft, chromedp.ClickCount(1), at(pressed)),
		js("for (const t = performance.now(); performance.now() - t < 500;);"),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, left, top,
			chromedp.ButtonLeft, chromedp.ClickCount(1), at(pressed+0.05)))
}

// seen waits until the phone has been touched so often.
func (g *rig) seen(p tab, n int) devicetest.Touch {
	g.t.Helper()
	p.waits(func() bool { return len(g.hands.phone.Touches()) >= n })
	return g.hands.phone.Touches()[n-1]
}

func TestAPhoneByHandOnThePage(t *testing.T) {
	t.Parallel()
	browser := chrometest.Chromium(t)
	t.Run("a person uses it", func(t *testing.T) { usesThePhone(t, browser) })
	t.Run("a person takes a task over", func(t *testing.T) { takesOver(t, browser) })
	t.Run("the picture is interrupted", func(t *testing.T) { isInterrupted(t, browser) })
	t.Run("a phone is used on its own page", func(t *testing.T) { usesItsPage(t, browser) })
	t.Run("the phone does not follow", func(t *testing.T) { doesNotFollow(t, browser) })
	t.Run("the phone is not known at once", func(t *testing.T) { isFoundLater(t, browser) })
}

// A server that is away when the question comes is asked again for the phone.
func isFoundLater(t *testing.T, browser context.Context) {
	g := newRig(t, nil)
	g.hands.taken.Store(true)
	p := g.login(browser, "kitchen")
	p.until(`document.getElementById("link").textContent === "live"`)
	g.down.Store(true)
	q := g.waiting("ann", inquiry.Question{Kind: inquiry.KindTakeover, Text: "Please log in."})
	p.waits(func() bool {
		_, asked := g.refused.Load("/v1/sessions/" + q.SessionID)
		_, steps := g.refused.Load("/v1/sessions/" + q.SessionID + "/steps")
		return asked && steps
	})
	g.down.Store(false)
	p.until(card(q, ".live-screen img") + ".naturalWidth > 0")
	p.until(card(q, ".steps li") + " !== null")
}

func usesThePhone(t *testing.T, browser context.Context) {
	g := newRig(t, nil)
	g.hands.taken.Store(true)
	q := g.waiting("ann", inquiry.Question{Kind: inquiry.KindTakeover,
		Text: "Please log in on the phone, and tell me when you are done."})
	p := g.login(browser, "kitchen")
	p.until(card(q, ".live-screen img") + ".naturalWidth > 0")
	require.Empty(t, chrometest.Violations(t, p.ctx, "html"))

	p.tap(q, 0.5, 1.0/6) // the icon of Notes
	touch := g.seen(p, 1)
	require.Equal(t, "tap", touch.Verb)
	off := touch.From.Sub(image.Pt(540, 400))
	require.LessOrEqual(t, off.X*off.X+off.Y*off.Y, 200, "%v: where it was clicked", touch.From)
	require.Equal(t, "com.android.notes", g.hands.phone.Front())

	p.tap(q, 0.5, 0.5)
	g.seen(p, 2)
	p.do(chromedp.KeyEvent("jak1 x")) // which on the page itself are shortcuts
	p.waits(func() bool { return g.hands.phone.Text() == "jak1 x" })
	p.do(js(card(q, ".live-type input") + ".focus()"))
	p.do(chromedp.KeyEvent("sword fish"), js(card(q, ".live-type button")+".click()"))
	p.waits(func() bool { return g.hands.phone.Text() == "jak1 xsword fish" })
	p.until(card(q, ".live-type input") + `.value === ""`)

	left, top := p.at(q, 0.5, 0.8)
	_, end := p.at(q, 0.5, 0.3)
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, left, top,
		chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, left, end, chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, left, end,
			chromedp.ButtonLeft, chromedp.ClickCount(1)))
	touch = g.seen(p, 3)
	require.Equal(t, "swipe", touch.Verb)
	require.InDelta(t, 1920, touch.From.Y, 15)
	require.InDelta(t, 720, touch.To.Y, 15)
	p.do(js(card(q, `[data-key="home"]`) + ".click()"))
	p.waits(func() bool { return g.hands.phone.Front() == devicetest.HomeApp })

	g.hands.phone.Set(devicetest.Change{Off: new(true)})
	wake := card(q, `[data-key="wakeup"]`)
	p.until("!" + wake + ".hidden")
	p.do(js(wake + ".click()"))
	p.until(wake + ".hidden")

	g.hands.phone.Set(devicetest.Change{Secure: new(true)})
	p.until(card(q, ".live-said") + `.textContent.includes("forbids pictures")`)
	p.do(js(`document.getElementById("lang").click()`))
	p.until(card(q, ".live-said") + `.textContent.includes("禁止截屏")`)
	require.Empty(t, chrometest.Violations(t, p.ctx, "html"), "in Chinese, on a secure screen")
	p.do(js(`document.getElementById("lang").click()`))

	p.do(js(card(q, ".words textarea")+`.value = "logged in as Ann"`),
		js(card(q, "button.main")+".click()"))
	p.until(`document.querySelectorAll("article").length === 0`)
	now, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.TypeDone, now.Resolution.Type)
	require.Equal(t, "logged in as Ann", now.Resolution.Response.Reveal())
	require.Equal(t, inquiry.ChannelPage, now.Resolution.Channel)
	audit, err := g.store.Audit.List(t.Context(), store.AuditFilter{})
	require.NoError(t, err)
	for _, e := range audit {
		require.NotContains(t, e.Text+e.Answer, "sword")
	}
}

// The page of a phone streams nothing while it is not seen.
func usesItsPage(t *testing.T, browser context.Context) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{})
	require.Equal(t, 200, g.post("/v1/sessions/"+q.SessionID+"/takeover", g.boss, "").status)
	p := g.login(browser, "kitchen")
	p.goes("/ui/phones/emu-1")
	const img = `document.querySelector(".phone-page .live-screen img")`
	p.until(img + "?.naturalWidth > 0")
	p.do(js(hide(true)))
	require.Equal(t, "false", p.text(img+`.hasAttribute("src")`))
	p.do(js(hide(false)))
	p.until(img + ".naturalWidth > 0")
	p.goes("/ui/phones/%zz") // which is no address
	require.Equal(t, "false", p.text(`document.getElementById("home").hidden`))
}

// Keys that are pressed while many touches wait are typed when the phone follows again.
func doesNotFollow(t *testing.T, browser context.Context) {
	g := newRig(t, nil)
	p := g.login(browser, "kitchen")
	p.do(js(`import("/ui/live.js").then(({ Live }) => {
		globalThis.heard = [];
		const slow = new Promise((done) => { globalThis.go = done; });
		globalThis.live = new Live({ input: (_, body) => slow.then(() => { heard.push(body.text || body.key); }) });
		for (let i = 0; i < 40; i++) live.send({ type: "key", key: "home" });
		live.typed = "hello";
		live.flush();
	})`))
	p.until(`globalThis.live !== undefined`)
	require.Equal(t, "The phone does not follow. Wait a moment.", p.text("live.problem.textContent"))
	require.Equal(t, "hello", p.text("live.typed"))
	p.do(js("go()"))
	p.until(`heard.at(-1) === "hello"`)
	require.Equal(t, "", p.text("live.typed"))

	// What may have been typed is not there to be typed twice; what was not is.
	for code, left := range map[string]string{"OUTCOME_UNKNOWN": "", "NOT_CARRIED_OUT": "fish"} {
		p.do(js(fmt.Sprintf(`globalThis.typed = false; live.api = { input: async () => ({ code: %q, message: "m" }) };
			live.text.value = "fish"; live.type().then(() => { typed = true; })`, code)))
		p.until("typed")
		require.Equal(t, left+" m", p.text("live.text.value + ' ' + live.problem.textContent"), code)
	}
}

func takesOver(t *testing.T, browser context.Context) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{Task: "order <b>tea</b>"})
	p := g.login(browser, "kitchen")
	const takeOver = `[...document.querySelectorAll("#work li button")]` +
		`.find((b) => b.textContent === "Take over")`
	p.until(takeOver + " !== undefined")
	require.Contains(t, p.text(`document.getElementById("work").textContent`), "order <b>tea</b>")
	require.Empty(t, chrometest.Violations(t, p.ctx, "html"))

	p.do(js(takeOver + ".click()"))

	p.waits(func() bool {
		run, err := g.store.LatestRun(t.Context(), q.SessionID)
		return err == nil && run.State == store.WaitingTakeover
	})
	g.web.Changed(q.SessionID)
	p.until(takeOver + " === undefined")
}

// answers has the page take another answer for those of the paths that end so.
func answers(path string, status int, message string) chromedp.Action[chromedp.Void] {
	return js(fmt.Sprintf(`globalThis.real ||= fetch; fetch = (url, o) => !url.endsWith(%q) ? real(url, o) : %d ?
		Promise.resolve(new Response(JSON.stringify({ error: { message: %q, mend: "connect it" } }), { status: %[2]d })) :
		Promise.reject(new Error("away"))`, path, status, message))
}

// hide hides the tab, as another one in front of it does, or shows it again.
func hide(hidden bool) string {
	return fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }),
		document.dispatchEvent(new Event("visibilitychange"))`, hidden)
}

// Who sees no phone because it is gone is told so, and sees it when it is back.
func isInterrupted(t *testing.T, browser context.Context) {
	g := newRig(t, nil)
	q := g.waiting("ann", inquiry.Question{Kind: inquiry.KindTakeover, Text: "Please unlock it."})
	p := g.login(browser, "kitchen")
	p.until(card(q, ".live-screen img") + ".naturalWidth > 0")
	g.hands.phone.Set(devicetest.Change{Gone: new(true)})
	p.until(card(q, ".live-said") + `.textContent.includes("looked at. looking: the phone")`)
	g.hands.phone.Set(devicetest.Change{Gone: new(false)})
	p.until(card(q, ".live-said") + ".hidden")

	p.do(js(`globalThis.touches = 0; { const f = fetch; fetch = (url, o) => { `+
		`if (url.endsWith("/input")) touches++; return f(url, o); } }`), answers("/live", 0, ""))
	g.http.CloseClientConnections()
	p.until(card(q, ".live-said") + `.textContent.includes("interrupted")`)
	p.tap(q, 0.5, 0.5)
	p.do(js(card(q, ".live-screen") + `.dispatchEvent(new WheelEvent("wheel", { deltaY: 9 }))`))
	require.Equal(t, "0", p.text("touches"), "nobody sees what would be touched")

	p.do(answers("/live", 404, "phone emu-1 is gone"), // also to who asks anew
		js(`document.getElementById("lang").click()`), js(hide(true)), js(hide(false)))
	p.until(card(q, ".live .problem") + `.textContent === "phone emu-1 is gone connect it"`)
	p.until("!" + card(q, ".live-screen img") + `.hasAttribute("src")`)
	p.do(js(card(q, "button.cannot") + ".click()"))
	p.until(`document.querySelectorAll("article").length === 0`)
	now, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, inquiry.TypeCouldNot, now.Resolution.Type)
}
