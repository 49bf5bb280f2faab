//go:build unix

package main

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/store"
)

// handOverScript opens the Shop, hands the phone over, and ends.
const handOverScript = `
- when: 'Say that it is paid'
  reply: "<THINK> x </THINK>\nexplain:end\taction:COMPLETE\treturn:it is paid\tsummary:[paid]"
- when: '\[handed over\]'
  reply: "<THINK> x </THINK>\nexplain:end\taction:COMPLETE\treturn:it is over\tsummary:[page over]"
- when: '\[shop opened\]'
  reply: "<THINK> x </THINK>\nexplain:ask\taction:INFO\tvalue:Please log in on the phone with the code, and tell me when you are done.\tsummary:[handed over]"
- when: 'Log in to the Shop'
  reply: "<THINK> x </THINK>\nexplain:open the Shop\taction:AWAKE\tvalue:Shop\tsummary:[shop opened]"
`

// hand is a person at the live picture of a page.
type hand struct {
	browserPage
	k *crashHarness
	q inquiry.Question
}

// sees is what has the id, once it is on the phone.
func (h hand) sees(id string) (n *sandbox.Node) {
	h.browserPage.t.Helper()
	h.k.becomes("showing "+id, func() bool { n = h.finds(id); return n != nil })
	return n
}

// finds is what has the id now; nil when nothing has.
func (h hand) finds(id string) *sandbox.Node {
	root := h.k.sim.Phone.Screen.UITree()
	return root.Find(func(n *sandbox.Node) bool {
		return strings.HasSuffix(n.ResourceID, ":id/"+id)
	})
}

// taps clicks the middle of what has the id on the picture.
func (h hand) taps(id string) {
	h.browserPage.t.Helper()
	n := h.sees(id)
	size := h.k.sim.Phone.Display.Size()
	h.clicks(float64(n.Center().X)/float64(size.X), float64(n.Center().Y)/float64(size.Y))
}

// number is what the expression comes to in the browser.
func (h hand) number(expression string) float64 {
	v, err := chromedp.Run(h.ctx, chromedp.Evaluate[float64](expression))
	require.NoError(h.browserPage.t, err)
	return v
}

// at is where a place of the picture is in the window.
func (h hand) at(x, y float64) (left, top float64) {
	h.runs(inCard(h.q, ".live-screen") + `.scrollIntoView({ block: "nearest" })`)
	img := inCard(h.q, ".live-screen img") + ".getBoundingClientRect()."
	return h.number(img+"left") + x*h.number(img+"width"),
		h.number(img+"top") + y*h.number(img+"height")
}

// clicks clicks a place of the picture with a mouse, and waits until the phone has got the touch.
func (h hand) clicks(x, y float64) {
	left, top := h.at(x, y)
	before := len(h.k.wire.touches())
	h.do(chromedp.MouseClickXY(left, top))
	h.k.becomes("touched", func() bool { return len(h.k.wire.touches()) > before })
}

// slides drags the thumb of the puzzle with the mouse to x, a share of the picture's width.
func (h hand) slides(x float64) {
	slider, size := h.sees("captcha_slider"), h.k.sim.Phone.Display.Size()
	y := float64(slider.Center().Y) / float64(size.Y)
	left, top := h.at(float64(slider.Bounds.Min.X+20)/float64(size.X), y)
	end, _ := h.at(x, y)
	before := len(h.k.wire.touches())
	mouse := func(kind input.DispatchMouseEventType, x float64) chromedp.Action[chromedp.Void] {
		return chromedp.MouseEvent(kind, x, top, chromedp.ButtonLeft, chromedp.ClickCount(1))
	}
	h.do(mouse(input.DispatchMouseEventTypeMousePressed, left),
		mouse(input.DispatchMouseEventTypeMouseMoved, end),
		mouse(input.DispatchMouseEventTypeMouseReleased, end))
	h.k.becomes("touched", func() bool { return len(h.k.wire.touches()) > before })
}

// gap is where the page's picture of the phone has the gap of the puzzle, as a share of its width;
// 0 while there is none.
func (h hand) gap() float64 {
	return h.number(`(() => {
		const img = ` + inCard(h.q, ".live-screen img") + `, c = document.createElement("canvas");
		[c.width, c.height] = [img.naturalWidth, img.naturalHeight];
		if (!c.width) return 0; // the next picture is being read
		const ctx = c.getContext("2d");
		ctx.drawImage(img, 0, 0);
		const d = ctx.getImageData(0, 0, c.width, c.height).data;
		let sum = 0, n = 0;
		for (let i = 0; i < d.length; i += 4) {
			if (Math.abs(d[i] - 0x4a) + Math.abs(d[i + 1] - 0x0d) + Math.abs(d[i + 2] - 0x4f) > 50) continue;
			sum += i / 4 % c.width;
			n++;
		}
		return n < 50 ? 0 : sum / n / c.width;
	})()`)
}

// solves puts the piece of the puzzle into its gap, where the picture shows it; past it at first.
func (h hand) solves() {
	var gap float64
	shown := func() bool { gap = h.gap(); return gap > 0 }
	h.k.becomes("showing the puzzle", shown)
	first := gap
	h.slides(gap - 0.15)
	h.k.becomes("showing another puzzle", func() bool {
		return shown() && math.Abs(gap-first) > 0.02
	})
	require.NotNil(h.browserPage.t, h.finds("captcha_slider"), "it was past the gap")
	h.slides(gap)
}

// types presses keys on the picture, and waits until the phone has got them. The page sends what
// was typed once no key comes for a while: its clock stands meanwhile, so that a slow machine is no
// pause.
func (h hand) types(text string) {
	h.runs("window.due = []; window.later = setTimeout; " +
		"setTimeout = (...timer) => { due.push(timer) }")
	h.do(chromedp.KeyEvent(text))
	h.runs("setTimeout = later; due.forEach((timer) => later(...timer))")
	h.k.becomes("typed into", func() bool { return strings.Contains(h.k.wire.sent.String(), text) })
}

// A person logs in through the page of a real server, in a real browser, solving a captcha, with a
// code that is sent to the phone, and pays on a page that forbids pictures. The agent does nothing
// meanwhile, and nothing of what was typed is kept anywhere.
func TestAPersonLogsInThroughThePage(t *testing.T) {
	t.Parallel()
	browser := chrometest.Chromium(t)
	k := crashHarnessOn(t, "shop-login", "", 1, handOverScript)
	k.sim.Phone.Edit(func(d *apps.Data) { d.Shop.Wary = true })
	s := k.follow(k.call("ask_agent_wait", map[string]any{"session_id": k.session}))
	require.Equal(t, store.WaitingTakeover, s.State, "%s", s.words)
	require.Equal(t, "TAKEOVER_NEEDED", string(s.Reason))
	q, err := k.store.Questions.Get(t.Context(), s.Question.ID)
	require.NoError(t, err)
	require.False(t, q.Secret, "it asks for an act")
	h := hand{k.opens(browser, "kitchen"), k, q}
	h.until(inCard(q, ".live-screen img") + ".naturalWidth > 0")
	k.becomes("felt", func() bool {
		k.sim.Phone.Touch.Finger(1, 1)
		return h.number(inCard(q, ".live-hand")+".textContent.length") > 0
	})
	asked, touched := len(k.prompts), len(k.wire.touches())

	h.taps("account")
	h.taps("log_in")
	h.taps("login_number")
	h.types("5550123")
	h.taps("send_code")
	h.solves()
	code := ""
	k.becomes("sent a code", func() bool {
		k.sim.Phone.Inspect(func(d *apps.Data) {
			if chat := d.Thread("Shop"); chat != nil {
				code = regexp.MustCompile(`\d{6}`).FindString(chat.Messages[0].Text)
			}
		})
		return code != ""
	})
	h.taps("login_code")
	h.types(code)
	h.taps("log_in")
	k.becomes("logged in", func() bool { return k.task.Check(k.sim.Phone) == nil })

	require.Len(t, k.wire.touches(), touched+10, "what the person did, and nothing else: %q",
		k.wire.touches())
	require.Len(t, k.prompts, asked, "the model was asked nothing")
	h.runs(inCard(q, ".words textarea") + `.value = "I am in."`)
	h.runs(inCard(q, "button.main") + ".click()")
	h.gone(q)
	k.ended(store.Completed)
	last := asText(k.prompted(`\[handed over\]`))
	require.Contains(t, last, "the other side took the phone over")
	require.Contains(t, last, "I am in.")
	require.Len(t, k.wire.touches(), touched+10)
	require.Equal(t, []string{"page kitchen I am in."}, k.did(store.AuditAnswered))
	pin := h.paysUnseen()
	k.leavesNothingOf(code, pin)
}

// paysUnseen has the agent meet a page that forbids pictures, which a person deals with through the
// page: nothing is to be seen of it, but it takes what is typed. It gives what was typed.
func (h hand) paysUnseen() (pin string) {
	t, k := h.browserPage.t, h.k
	k.sim.Phone.Edit(func(d *apps.Data) {
		pin = "70731284"
		d.Shop.WalletPIN = pin
		d.Shop.Cart = append(d.Shop.Cart, &apps.Item{Product: apps.Products[0], Count: 1})
	})
	require.NoError(t, k.sim.Phone.Keys.Key(sandbox.KeyBack)) // from the account
	for _, way := range [][2]string{{"cart", "checkout"}, {"checkout", "pay"},
		{"pay", "wallet_pin"}} {
		k.becomes("showing "+way[1], func() bool {
			switch n := h.finds(way[0]); {
			case h.finds(way[1]) != nil:
			case n != nil:
				k.sim.Phone.Touch.Tap(n.Center().X, n.Center().Y)
			default: // the message with the code came down over the button, and was opened
				require.NoError(t, k.sim.Phone.Apps.Launch("com.taploop.sandbox.shop"))
			}
			return h.finds(way[1]) != nil
		})
	}
	s := k.follow(k.call("ask_agent_continue", map[string]any{"session_id": k.session,
		"task": "Say that it is paid"}))
	require.Equal(t, store.WaitingTakeover, s.State, "%s", s.words)
	h.q.ID = s.Question.ID
	h.until(inCard(h.q, ".live-said") + `?.textContent.includes("forbids pictures")`)
	touched := len(k.wire.touches())
	h.runs(inCard(h.q, ".live-type input") + ".focus()")
	h.do(chromedp.KeyEvent(pin))
	h.runs(inCard(h.q, ".live-type button") + ".click()")
	h.until(inCard(h.q, ".live-type input") + `.value === ""`)
	h.runs(inCard(h.q, `[data-key="enter"]`) + ".click()")
	orders := 0
	k.becomes("paid", func() bool {
		k.sim.Phone.Inspect(func(d *apps.Data) { orders = len(d.Shop.Orders) })
		return orders > 0
	})
	h.until(inCard(h.q, ".live-said") + ".hidden") // there is something to be seen again
	h.runs(inCard(h.q, "button.main") + ".click()")
	h.gone(h.q)
	k.ended(store.Completed)
	require.Len(t, k.wire.touches(), touched+1, "the person's, and nothing else")
	require.Equal(t, 1, orders)
	return pin
}

// leavesNothingOf checks that what was typed is in no file, log or prompt, and that the audit has
// counts.
func (k *crashHarness) leavesNothingOf(typed ...string) {
	t := k.testEnv.t
	audit, err := k.store.Audit.List(t.Context(), store.AuditFilter{Event: store.AuditByHand})
	require.NoError(t, err)
	counts := map[string]int{} // by run and kind; a run that takes long has several entries
	for _, e := range audit {
		require.Equal(t, "kitchen", e.By)
		for kind := range strings.SplitSeq(e.Text, ", ") {
			kind, n, _ := strings.Cut(kind, " ")
			count, err := strconv.Atoi(n)
			require.NoError(t, err, e.Text)
			counts[e.RunID+" "+kind] += count
		}
	}
	login, pay := audit[0].RunID, audit[len(audit)-1].RunID
	require.NotEqual(t, login, pay)
	require.Equal(t, map[string]int{login + " swipe": 2, login + " tap": 6, login + " text": 2,
		pay + " key": 1, pay + " text": 1}, counts)
	require.NoError(t, k.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, k.ends(), "%s", k.stderr)
	h := &leakScan{t: t, found: map[string][]byte{}}
	h.files(k.dir)
	h.add("log", []byte(k.stderr.String()))
	for _, p := range k.prompts {
		h.add("prompts", []byte(p))
	}
	for _, words := range typed {
		require.Empty(t, h.places(words))
	}
	require.NotEmpty(t, h.places("I am in."), "what is no secret is found")
}
