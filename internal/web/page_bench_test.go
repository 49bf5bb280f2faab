package web_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/store"
)

// BenchmarkPage is how quick the page is in a browser: until it is painted first, how many of 60
// frames a second are drawn while a session of 200 steps is scrolled and how much work each is, how
// long 50 of 10,000 sessions take to be listed and found by their text, and until what another
// process does is seen.
func BenchmarkPage(b *testing.B) {
	g := newRig(b, nil)
	long := g.running("book a train", 200)
	for i := range 10_000 {
		_, run, err := g.store.Begin(b.Context(), store.Session{Serial: "emu-1"},
			store.Run{Task: fmt.Sprintf("task %d", i), MaxSteps: 20})
		require.NoError(b, err)
		_, err = g.store.Runs.Transition(b.Context(), run.ID, store.Change{To: store.Cancelled})
		require.NoError(b, err)
	}
	p := g.login(chrometest.Chromium(b), "kitchen")
	b.Run("first-paint", func(b *testing.B) {
		var ms float64
		for b.Loop() {
			p.do(chromedp.Navigate(g.http.URL + "/ui"))
			p.until(`performance.getEntriesByName("first-contentful-paint").length > 0`)
			ms += p.number(`performance.getEntriesByName("first-contentful-paint")[0].startTime`)
		}
		b.ReportMetric(ms/float64(b.N), "ms-to-paint")
	})
	b.Run("scroll-200-steps", func(b *testing.B) {
		p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + long.SessionID))
		p.until(`document.querySelectorAll(".strip li").length === 200`)
		const drawn = `{ window.frames_ = 0; window.done_ = 0;
			const s = document.querySelector(".strip"), t = performance.now();
			const step = (now) => { frames_++; %s;
			if (now - t < 2000) requestAnimationFrame(step); else done_ = now - t };
			requestAnimationFrame(step) }`
		frames := func(do string) (drew, busy float64) {
			before := p.mainThread()
			p.do(js(fmt.Sprintf(drawn, do)))
			p.until("done_ > 0")
			return p.number("frames_ / done_ * 1000"),
				(p.mainThread() - before) / p.number("frames_")
		}
		var still, moved, work float64
		for b.Loop() {
			drew, _ := frames("")
			still += drew
			drew, busy := frames("s.scrollLeft = (now - t) / 2000 * s.scrollWidth; " +
				"scrollTo(0, (now - t) / 4)")
			moved, work = moved+drew, work+busy
		}
		b.ReportMetric(moved/float64(b.N), "frames/s")
		b.ReportMetric(moved/still, "of-those-of-a-page-at-rest") // which the machine bounds
		b.ReportMetric(work/float64(b.N), "ms-of-work/frame")
		require.Less(b, work/float64(b.N), 1000.0/60, "the work on a frame fits into its time")
	})
	b.Run("list-10000-sessions", func(b *testing.B) {
		var ms, found float64
		for b.Loop() {
			p.do(chromedp.Navigate(g.http.URL + "/ui/settings"))
			p.until(`document.querySelector(".settings") !== null`)
			p.do(js(`window.t_ = performance.now(); ` +
				`document.querySelector("#nav a[href='/ui/sessions']").click()`))
			p.until(`document.querySelectorAll("#page .results li").length === 50`)
			ms += p.number("performance.now() - t_")
			p.do(js(`window.t_ = performance.now(); { const e = document.querySelector("#f-q"); ` +
				`e.value = "task 77"; e.dispatchEvent(new Event("input", {bubbles: true})) }`))
			p.until(`[...document.querySelectorAll("#page .results .name")].every((e) => ` +
				`e.textContent.startsWith("task 77"))`)
			found += p.number("performance.now() - t_")
		}
		b.ReportMetric(ms/float64(b.N), "ms-to-list")
		b.ReportMetric(found/float64(b.N), "ms-to-find")
	})
	b.Run("seen-from-elsewhere", func(b *testing.B) {
		p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + long.SessionID))
		p.until(`document.querySelector(".of") !== null`)
		var took time.Duration
		n := 200
		for b.Loop() {
			n++
			g.step(long, n) // in the store, and nobody is told
			began := time.Now()
			p.until(fmt.Sprintf(`document.querySelector(".of").textContent === "Step %d of %[1]d"`, n))
			took += time.Since(began)
		}
		b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms-to-see")
	})
}

// What a figure in ms stands for on any machine: the first paint waits for the styles alone, and a list
// of many is asked for and drawn a page at a time.
func TestThePageWaitsForLittle(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	for i := range 120 {
		g.ends(g.running(fmt.Sprintf("task %d", i), 0), store.Change{To: store.Cancelled})
	}
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(chromedp.Navigate(g.http.URL + "/ui"))
	p.until(`performance.getEntriesByName("first-contentful-paint").length > 0`)
	const files = `performance.getEntriesByType("resource").filter((r) => r.name.includes("/ui/"))`
	require.Equal(t, "cards.css,style.css,tokens.css", p.text(files+`.filter((r) => `+
		`r.renderBlockingStatus === "blocking").map((r) => r.name.split("/").pop()).sort().join()`))
	p.until(`document.getElementById("link").textContent === "live"`)
	require.Less(t, p.number(files+`.reduce((n, r) => n + r.encodedBodySize, `+
		`performance.getEntriesByType("navigation")[0].encodedBodySize)`), 150e3)
	p.do(js(`performance.clearResourceTimings(); ` +
		`document.querySelector("#nav a[href='/ui/sessions']").click()`))
	const rows = `document.querySelectorAll("#page .results li").length`
	p.until(rows + " === 50")
	p.press("", "Show more")
	p.until(rows + " === 100")
	require.Equal(t, "0,50", p.text(`[...new Set(performance.getEntriesByType("resource").map((r) => `+
		`new URL(r.name)).filter((u) => u.pathname === "/v1/sessions" && u.searchParams.has("offset"))`+
		`.map((u) => u.searchParams.get("offset")))].join()`), "a part of the list at a time")
}

// A session of 200 steps that is scrolled has as little to do in a frame as 60 of them a second leave
// room for, however busy the machine is: the time is that which the page's thread has computed, and
// a frame lays nothing out that it has not changed.
func TestALongSessionIsScrolledWithLittleWorkAFrame(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	run := g.running("book a train", 200)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + run.SessionID))
	p.until(`document.querySelectorAll(".strip li").length === 200 && ` +
		`document.querySelector(".step .shot img")?.naturalWidth > 0`)
	const frames = 240
	before := p.spent()
	p.do(js(fmt.Sprintf(`{ window.frames_ = 0; const s = document.querySelector(".strip");
		const step = () => { s.scrollLeft = ++frames_ / %[1]d * s.scrollWidth;
		scrollTo(0, frames_ * 2); if (frames_ < %[1]d) requestAnimationFrame(step) };
		requestAnimationFrame(step) }`, frames)))
	p.until(fmt.Sprintf("frames_ === %d", frames))
	after := p.spent()
	work := 1000 * (after["TaskDuration"] - before["TaskDuration"]) / frames
	layouts := (after["LayoutCount"] - before["LayoutCount"]) / frames
	t.Logf("%.1f ms and %.2f layouts a frame", work, layouts)
	require.Less(t, work, 1000.0/60)
	require.Less(t, layouts, 1.5)
}

// mainThread is how long the page's main thread has computed so far, in ms, without what it waited
// for on a busy machine.
func (p tab) mainThread() (ms float64) { return 1000 * p.spent()["TaskDuration"] }

// spent are the browser's figures of what the page has done so far; times are those in which its main
// thread computed, in seconds.
func (p tab) spent() map[string]float64 {
	p.t.Helper()
	spent := map[string]float64{}
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, performance.Enable, performance.EnableParams{
			TimeDomain: performance.EnableTimeDomainThreadTicks})
		if err != nil {
			return err
		}
		all, err := cdp.Call(ctx, target, performance.GetMetrics, cdp.Empty{})
		if err != nil {
			return err
		}
		for _, m := range all.Metrics {
			spent[m.Name] = m.Value
		}
		return nil
	}))
	return spent
}
