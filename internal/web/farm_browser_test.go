package web_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/web"
)

// over makes the yard the farm of a server.
func (y *yard) over(o *web.Options) {
	o.Farm = y
	if x, is := o.Tasks.(*toolbox); is {
		x.yard = y
	}
}

// twice presses a button that asks once more, with the time between that it wants.
func (p tab) twice(region, name string) {
	p.t.Helper()
	p.do(js("{ const at = performance.now(); window.passed = 0; " +
		"performance.now = () => at + passed }"))
	p.press(region, name)
	p.until(`[...document.querySelectorAll(".sure")].some((e) => e.textContent.startsWith("Press "))`)
	p.do(js("passed = 701"))
	p.press(region, name)
}

// goes shows another path of the page, without loading anew.
func (p tab) goes(path string) {
	p.t.Helper()
	p.do(js(fmt.Sprintf(`history.pushState(null, "", %q); dispatchEvent(new PopStateEvent("popstate"))`,
		path)))
}

func TestMachinesAreDrainedPhonesCordonedAndRunsRequeuedOnThePage(t *testing.T) {
	t.Parallel()
	y := &yard{}
	g := newRig(t, y.over)
	run := g.running("order tea", 1)
	p := g.login(chrometest.Chromium(t), "kitchen")
	phone := `[...document.querySelectorAll(".phones li")].find((e) => e.textContent.includes(%q))`
	p.until(fmt.Sprintf(phone, "At berlin") + `?.querySelector(".name").textContent === "C"`)
	require.Equal(t, "1", p.text(`[...document.querySelectorAll(".phones li")]`+
		`.filter((e) => e.textContent.includes("At ")).length`), "those here are at no other machine")

	p.goes("/ui/phones/C")
	p.press("", "Give it no new tasks")
	p.waits(func() bool { return len(y.noted()) == 1 })
	p.until(`document.querySelector(".phone-page .badge").textContent === "no new tasks"`)
	p.until(named("", "button", "Let it work again") + " !== undefined")
	p.goes("/ui")
	p.until(fmt.Sprintf(phone, "no new tasks") + `?.querySelector(".name").textContent === "C"`)
	p.until(`[...document.querySelectorAll("#phone option")].some((e) => ` +
		`e.textContent === "C (no new tasks)")`)
	p.goes("/ui/phones/C")
	p.press("", "Let it work again")
	p.waits(func() bool { return len(y.noted()) == 2 })
	p.until(`document.querySelector(".phone-page .badge").textContent === "free"`)
	require.Equal(t, []string{"cordon C", "cordon C off"}, y.noted())

	p.goes("/ui/settings")
	row := `[...document.querySelectorAll(".machines tbody tr")].find((e) => ` +
		`e.textContent.includes("berlin"))`
	p.until(row + ` !== undefined`)
	require.Regexp(t, `^berlin\s+worker\s+C\s+working`, p.text(row+".innerText"))
	require.Regexp(t, `1 min ago$`, p.text(row+".innerText"))
	require.Contains(t, p.text(`document.querySelector(".machines").innerText`),
		"2 tasks wait for a machine with their phone")
	p.press("Machines", "Drain berlin")
	p.do(js("window.pressed = " + named("Machines", "button", "Drain berlin")))
	y.goes(true)
	p.until(row + `.querySelector(".badge").textContent === "gone"`)
	require.Equal(t, "false", p.text("pressed.isConnected"), "who is next has not been pressed")
	y.goes(false)
	p.until(row + `.querySelector(".badge").textContent === "working"`)
	require.Len(t, y.noted(), 2, "it is asked once more")
	p.do(chromedp.Reload())
	p.until(row + ` !== undefined`)
	p.twice("Machines", "Drain berlin")
	p.until(row + `.querySelector(".badge").textContent === "draining"`)
	require.Equal(t, "drain w2", y.noted()[2])
	p.until(named("Machines", "button", "Drain berlin") + " === undefined")
	y.goes(true)
	p.until(row + `.querySelector(".badge").textContent === "gone"`)

	p.goes("/ui/sessions/" + run.SessionID)
	p.twice("", "Requeue")
	p.waits(func() bool { return len(y.noted()) == 4 })
	require.Equal(t, "requeue "+run.SessionID, y.noted()[3])
	y.mu.Lock()
	y.refuse = runs.Refuse(runs.InvalidArgument, "continue the session", "it cannot be taken up")
	y.mu.Unlock()
	g.ends(run, store.Change{To: store.Paused, Reason: agentloop.DeviceDisconnected})
	p.until(`document.querySelector(".head .badge").textContent === "Paused"`)
	p.twice("", "Requeue")
	p.until(`document.querySelector(".head > .problem").textContent.includes("it cannot be taken up")`)
	g.ends(run, store.Change{To: store.Running})
	g.ends(run, store.Change{To: store.Paused, Reason: agentloop.UserPaused})
	p.until(named("", "button", "Requeue") + " === undefined")
}

// With a store of its own a machine is no list, and hands nothing over; its phones can be cordoned
// as they can from the command line. A server without a farm, or one whose machines this person may
// not see, shows none of it.
func TestWithoutOtherMachinesThePageShowsNone(t *testing.T) {
	t.Parallel()
	for _, y := range []*yard{nil, {alone: true}} {
		g := newRig(t, nil)
		if y != nil {
			g = newRig(t, described, y.over)
		}
		run := g.running("order tea", 1)
		p := g.login(chrometest.Chromium(t), "kitchen")
		p.until(`document.querySelector(".phones .badge") !== null`)
		p.goes("/ui/sessions/" + run.SessionID)
		p.until(named("", "button", "Export") + " !== undefined")
		require.Equal(t, "true", p.text(named("", "button", "Requeue")+" === undefined"))
		p.goes("/ui/settings")
		p.until(`document.querySelector(".settings #audit") !== null`)
		require.Equal(t, "true", p.text(`document.querySelector(".machines") === null`))
		p.goes("/ui/phones/A")
		p.until(`document.querySelector(".phone-page .badge") !== null`)
		if y == nil {
			require.Equal(t, "true", p.text(`document.querySelector(".cordon") === null`))
			continue
		}
		p.press("", "Give it no new tasks")
		p.until(named("", "button", "Let it work again") + " !== undefined")
		require.Equal(t, []string{"cordon A"}, y.noted())
	}
}
