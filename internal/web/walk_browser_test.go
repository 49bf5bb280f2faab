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

// walkers are a mouse, the keyboard alone, and a finger.
var walkers = map[string]hand{
	"mouse": func(p tab, control string) {
		x, y := p.middle(control)
		p.do(chromedp.MouseClickXY(x, y))
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
	"touch": func(p tab, control string) {
		x, y := p.middle(control)
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
	},
}

// The walks come one after the other: the keyboard is the focused tab's.
func TestThePageIsWalked(t *testing.T) {
	browser := chrometest.Chromium(t)
	for name, press := range walkers {
		t.Run(name, func(t *testing.T) {
			g := newRig(t, requests)
			p := g.login(browser, "kitchen")
			if name == "touch" {
				p.look("light", 390, 844)
			}
			w := &walk{g, p, press}
			w.startAndSteer()
			w.answerAndApprove()
			w.takeOverAndStop()
			w.lookUpAndPlay()
		})
	}
}

type walk struct {
	*rig
	tab
	hand
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
	w.running("order tea", 1)
	w.until(`document.querySelector(".run-card .now")?.textContent === "1. open the menu"`)
	w.types(named("Running", "input", "Say something"), "green tea")
	w.press(named("Running", "button", "Send"))
	w.waits(func() bool { return len(w.tasks.said()) == 2 })
	require.Contains(w.rig.t, fmt.Sprintf("%+v", w.tasks.said()), "green tea")
}

func (w *walk) answerAndApprove() {
	t := w.rig.t
	q := w.waiting("", inquiry.Question{Body: &inquiry.Ask{Options: []string{"Small", "Large"}}})
	w.press(card(q, ".option:nth-of-type(2)"))
	w.until(card(q, "h2") + " === null")
	q, err := w.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.Equal(t, "Large", q.Resolution.Response.Reveal())

	q = w.waiting("", about(inquiry.Critical))
	w.until(card(q, ".shot img") + "?.naturalWidth > 0")
	w.until(`((m, i) => Math.abs((m.left + m.right) / 2 - (i.left + i.width / 2)) < 2 && ` +
		`Math.abs((m.top + m.bottom) / 2 - (i.top + i.height * 0.9)) < 2)(` +
		card(q, ".mark") + ".getBoundingClientRect(), " +
		card(q, ".shot img") + ".getBoundingClientRect())")
	w.press(card(q, `[data-type="approve"]`))
	w.until(card(q, "h2") + " === null")
	q, err = w.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.EqualValues(t, "approve", q.Resolution.Decisions[0].Type)
}

func (w *walk) takeOverAndStop() {
	t := w.rig.t
	list, err := w.store.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	for _, o := range list { // the runs of the two questions end
		if o.Latest.State == store.WaitingReply {
			w.ends(*o.Latest, store.Change{To: store.Completed, Answer: "done"})
		}
	}
	w.until(`document.querySelectorAll(".run-card").length === 1`)
	w.press(named("Running", "button", "Take over"))
	w.waits(func() bool { return len(w.asked()) == 1 })
	w.do(js("{ const at = performance.now(); window.passed = 0; " +
		"performance.now = () => at + passed }"))
	stop := named("Running", "button", "Stop")
	w.press(stop)
	require.Len(t, w.asked(), 1, "a second press is wanted")
	for len(w.asked()) < 2 { // on a slow machine the first press is over by the second
		w.do(js("passed += 701"))
		w.press(stop)
		w.until(stop + " === undefined || !" + stop + ".disabled")
	}
	require.Contains(t, w.asked()[0], "takeover")
	require.Contains(t, w.asked()[1], "cancel")
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
	require.Equal(w.rig.t, "1", w.text(`document.querySelector(".step .no").textContent`))
}
