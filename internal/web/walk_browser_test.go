package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// hand presses a control, which a person finds by an expression, as a person does.
type hand func(p tab, control string)

// middle is where a control is, once it is in view and nothing lies over it.
func (p tab) middle(control string) (x, y float64) {
	p.t.Helper()
	p.do(js(control + `.scrollIntoView({block: "center"})`))
	box := control + ".getBoundingClientRect()"
	p.until(`((e, r) => e.contains(document.elementFromPoint(r.x + r.width / 2, ` +
		`r.y + r.height / 2)))(` + control + ", " + box + ")")
	return p.number(box + ".x + " + box + ".width / 2"), p.number(box + ".y + " + box +
		".height / 2")
}

// aimed presses where a control is, once more when the page has moved it away meanwhile.
func (p tab) aimed(control string, press func(x, y float64)) {
	p.t.Helper()
	for hit := ""; hit != "true"; hit = p.text("hit_") {
		x, y := p.middle(control)
		p.do(js(`window.hit_ = undefined; document.addEventListener("click", (e) => ` +
			`{ hit_ = !!(` + control + `)?.contains(e.target) }, {once: true, capture: true})`))
		press(x, y)
		p.until("hit_ !== undefined")
	}
}

// walkers are a mouse, the keyboard alone, and a finger.
var walkers = map[string]hand{
	"mouse": func(p tab, control string) {
		p.aimed(control, func(x, y float64) { p.do(chromedp.MouseClickXY(x, y)) })
	},
	"keyboard": func(p tab, control string) {
		p.t.Helper()
		for n := 0; p.text("document.activeElement === "+control) != "true"; n++ {
			require.Less(p.t, n, 150, "%s cannot be reached", control)
			p.do(chromedp.KeyEvent(kb.Tab))
		}
		if p.text("document.activeElement.matches('input, textarea')") != "true" {
			p.do(chromedp.KeyEvent(kb.Enter))
		}
	},
	"touch": func(p tab, control string) { p.aimed(control, p.touch) },
}

func (p tab) touch(x, y float64) {
	p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, e := range []input.DispatchTouchEventParams{
			{Type: "touchStart", TouchPoints: []*input.TouchPoint{{X: x, Y: y}}},
			{Type: "touchEnd", TouchPoints: []*input.TouchPoint{}}} {
			if _, err := cdp.Call(ctx, target, input.DispatchTouchEvent, e); err != nil {
				return err
			}
		}
		return nil
	}))
}

// The walks come one after the other: the keyboard is the focused tab's.
func TestThePageIsWalked(t *testing.T) {
	browser := chrometest.Chromium(t)
	for name, press := range walkers {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, func(o *web.Options) {
				requests(o)
				o.Questions = inquiry.NewBroker(o.Sessions.(*store.Store).Questions,
					&inquiry.Options{CheckEdit: func(inquiry.ActionRequest,
						inquiry.EditedAction) error {
						return nil
					}})
			})
			p := g.login(browser, "kitchen")
			if name == "touch" {
				p.look("light", 390, 844)
			}
			w := &walk{rig: g, tab: p, hand: press}
			w.startAndSteer()
			w.watch()
			w.answer()
			w.approveAndEdit()
			w.takeOver()
			w.stop()
			w.lookUpAndPlay()
		})
	}
}

type walk struct {
	*rig
	tab
	hand
	run store.Run
}

// presses a control once it is there.
func (w *walk) press(control string) {
	w.rig.t.Helper()
	w.until("!!" + control + " && !" + control + ".disabled")
	w.hand(w.tab, control)
}

func (w *walk) types(control, text string) {
	w.press(control)
	w.until("document.activeElement === " + control)
	w.do(chromedp.KeyEvent(text))
}

func (w *walk) startAndSteer() {
	w.types(named("", "textarea", "Task"), "order tea")
	w.press(named("", "button", "Start"))
	w.waits(func() bool { return len(w.tasks.said()) == 1 })
	w.run = w.running("order tea", 1)
	w.until(`document.querySelector(".run-card .now")?.textContent === "1. went back: open the menu"`)
	w.types(named("Running", "input", "Say something"), "green tea")
	w.press(named("Running", "button", "Send"))
	w.waits(func() bool { return len(w.tasks.said()) == 2 })
	require.Contains(w.rig.t, fmt.Sprintf("%+v", w.tasks.said()), "green tea")
}

// watch follows a run on its own page, and comes back to the first one.
func (w *walk) watch() {
	w.press(`document.querySelector(".run-card a.see")`)
	w.until(`document.querySelector(".of")?.textContent === "Step 1 of 1"`)
	w.step(w.run, 2)
	w.web.Changed(w.run.SessionID)
	w.until(`document.querySelector(".of").textContent === "Step 2 of 2" && ` +
		`document.querySelector(".step .shot img")?.naturalWidth > 0`)
	w.press(`document.querySelector("#nav a[href='/ui']")`)
}

func (w *walk) answer() {
	t := w.rig.t
	q := w.waiting("", inquiry.Question{Body: &inquiry.Ask{Options: []string{"Small", "Large"}}})
	w.press(fmt.Sprintf(`document.querySelector("[data-session='%s'] a.see")`, q.SessionID))
	w.until(`document.querySelector(".step .shot img")?.naturalWidth > 0`)
	w.press(`document.querySelector(".talk .a a")`) // to the question
	w.until(`document.activeElement.dataset.id === "` + q.ID + `"`)
	w.press(card(q, ".option:nth-of-type(2)"))
	require.Equal(t, "Large", w.settled(q).Response.Reveal())
}

// settled is what came of a question whose card is gone.
func (w *walk) settled(q inquiry.Question) *inquiry.Resolution {
	w.until(card(q, "h2") + " === null")
	q, err := w.broker.Wait(w.rig.t.Context(), q.ID)
	require.NoError(w.rig.t, err)
	return q.Resolution
}

func (w *walk) approveAndEdit() {
	t := w.rig.t
	for _, how := range []string{inquiry.Approve, inquiry.Edit} {
		q := w.waiting("", about(inquiry.Critical))
		w.until(card(q, ".shot img") + "?.naturalWidth > 0")
		w.until(`((m, i) => Math.abs((m.left + m.right) / 2 - (i.left + i.width / 2)) < 2 && ` +
			`Math.abs((m.top + m.bottom) / 2 - (i.top + i.height * 0.9)) < 2)(` +
			card(q, ".mark") + ".getBoundingClientRect(), " +
			card(q, ".shot img") + ".getBoundingClientRect())")
		w.press(card(q, fmt.Sprintf(`[data-type=%q]`, how)))
		if how == inquiry.Edit {
			w.press(card(q, ".shot")) // its middle; on the keyboard it is moved from there
			w.do(chromedp.KeyEvent(kb.ArrowLeft))
			w.press(card(q, "button.main"))
		}
		d := w.settled(q).Decisions[0]
		require.Equal(t, how, d.Type)
		if how == inquiry.Edit {
			require.Less(t, d.EditedAction.Args["at"].(map[string]any)["x"], 0.49)
		}
	}
}

// takeOver takes the run over twice: the person can do it, and cannot.
func (w *walk) takeOver() {
	t := w.rig.t
	list, err := w.store.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	for _, o := range list { // the runs of the questions end
		if o.Latest.State == store.WaitingReply {
			w.ends(*o.Latest, store.Change{To: store.Completed, Answer: "done"})
		}
	}
	w.until(`document.querySelectorAll(".run-card").length === 1`)
	for i, c := range []struct {
		name string
		want inquiry.Type
	}{{"Done", inquiry.TypeDone}, {"Could not", inquiry.TypeCouldNot}} {
		w.press(named("Running", "button", "Take over"))
		w.waits(func() bool { return len(w.asked()) == i+1 })
		require.Contains(t, w.asked()[i], "takeover")
		q, err := w.broker.Open(t.Context(), inquiry.Question{Kind: inquiry.KindTakeover,
			SessionID: w.run.SessionID, RunID: w.run.ID, Text: "Please log in."})
		require.NoError(t, err)
		w.until(card(q, ".live-screen img") + "?.naturalWidth > 0")
		w.press(named("Running", "button", c.name))
		require.Equal(t, c.want, w.settled(q).Type)
		w.ends(w.run, store.Change{To: store.Running})
		w.until(named("Running", "button", "Take over") + ` !== undefined && ` + // nothing moves now
			`document.querySelector(".run-card .see img")?.naturalWidth > 0`)
	}
}

func (w *walk) stop() {
	w.do(js("{ const at = performance.now(); window.passed = 0; " +
		"performance.now = () => at + passed }"))
	stop, before := named("Running", "button", "Stop"), len(w.asked())
	w.press(stop)
	require.Len(w.rig.t, w.asked(), before, "a second press is wanted")
	for len(w.asked()) == before { // on a slow machine the first press is over by the second
		w.do(js("passed += 701"))
		w.press(stop)
		w.until(stop + " === undefined || !" + stop + ".disabled")
	}
	require.Contains(w.rig.t, w.asked()[before], "cancel")
}

// asked is what was asked of runs.
func (w *walk) asked() []string {
	w.runs.mu.Lock()
	defer w.runs.mu.Unlock()
	return append([]string{}, w.runs.calls...)
}

func (w *walk) lookUpAndPlay() {
	w.press(`document.querySelector("#nav a[href='/ui/answered']")`)
	w.until(`[...document.querySelectorAll(".results .answer")].some((e) => ` +
		`e.textContent === "answered by you: Large")`)
	w.press(`document.querySelector("#nav a[href='/ui/sessions']")`)
	w.press(`document.querySelector("#page .results a.name")`)
	w.until(`document.querySelector(".step .shot img")?.naturalWidth > 0`)
	w.press(named("", "button", "Play"))
	w.until(`document.querySelector(".play").ariaPressed === "false"`)
	require.Equal(w.rig.t, w.text(`document.querySelectorAll(".strip li").length`),
		w.text(`document.querySelector(".step .no").textContent`), "to the end")
}
