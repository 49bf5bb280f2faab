package web_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/patient"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
	"github.com/taploop/taploop/tools/schema"
)

// named is an expression for the control with a role's selector and an accessible name, within the
// region with that name, "" for the whole page.
func named(region, selector, name string) string {
	in := "document"
	if region != "" {
		in = fmt.Sprintf(`[...document.querySelectorAll("section")].find((s) => (s.getAttribute(`+
			`"aria-label") || document.getElementById(s.getAttribute("aria-labelledby"))`+
			`?.textContent) === %q)`, region)
	}
	return fmt.Sprintf(`[...(%s)?.querySelectorAll(%q) || []].find((e) => `+
		`!e.closest("[hidden]") && (e.getAttribute("aria-label") || `+
		`e.labels?.[0]?.textContent || e.textContent).trim() === %q)`, in, selector, name)
}

// choose chooses an option in one step: what the page draws meanwhile would put the select back.
func (p tab) choose(name, value string) {
	p.t.Helper()
	p.do(js(fmt.Sprintf(`{ const s = %s; s.value = %q; s.dispatchEvent(new Event("change", `+
		`{bubbles: true})) }`, named("", "select", name), value)))
}

func (p tab) press(region, name string) {
	p.t.Helper()
	p.until(named(region, "button", name) + " !== undefined")
	p.do(js(named(region, "button", name) + ".click()"))
}

// requests are schemas of what the page sends.
func requests(o *web.Options) {
	object := func(names ...string) *schema.Schema {
		all := map[string]*schema.Schema{"idempotency_key": {Type: "string"},
			"session_id": {Type: "string"}, "wait_seconds": {Type: "number"},
			"detached_ok": {Type: "boolean"}}
		for _, name := range names {
			all[name] = &schema.Schema{Type: "string"}
		}
		return &schema.Schema{Type: "object", Properties: all}
	}
	o.Requests = map[string]*schema.Schema{"Start": object("task", "device_id"),
		"Continue": object("task"), "Message": object("text"),
		"RunSkill": object("name", "device_id")}
	o.Requests["RunSkill"].Properties["params"] = &schema.Schema{Type: "object"}
}

// running is a session of the page's person whose run is under way, with so many steps.
func (g *rig) running(task string, steps int) store.Run {
	g.t.Helper()
	ctx := g.t.Context()
	_, run, err := g.store.Begin(ctx, store.Session{Serial: "emu-1"},
		store.Run{Task: task, MaxSteps: 20})
	require.NoError(g.t, err)
	run, err = g.store.Runs.Transition(ctx, run.ID, store.Change{To: store.Running})
	require.NoError(g.t, err)
	for i := range steps {
		g.step(run, i+1)
	}
	g.web.Changed(run.SessionID)
	return run
}

func (g *rig) ends(run store.Run, how store.Change) {
	g.t.Helper()
	_, err := g.store.Runs.Transition(g.t.Context(), run.ID, how)
	require.NoError(g.t, err)
	g.web.Changed(run.SessionID)
}

func TestEverythingOnTheHomePageHasItsName(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	run := g.running("order a pizza", 2)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(named("Running", "button", "Stop") + " !== undefined")
	for _, names := range [][]string{
		{"Waiting for you", "Running", "Phones", "Recent", "Task", "Phone", "Any free phone",
			"Start", "Stop", "Pause", "Say something", "Send", "Take over", "Continue"},
		{"等你回答", "运行中", "手机", "最近", "任务", "用哪台手机", "任意空闲手机", "开始",
			"停止", "暂停", "说点什么", "发送", "接管", "继续"},
	} {
		for _, region := range names[:4] {
			require.Equal(t, "true", p.text(named(region, "h2", region)+" !== undefined"), region)
		}
		p.until(named("", "textarea", names[4]) + " !== undefined")
		p.until(named("", "select", names[5]) + " !== undefined")
		require.Equal(t, names[6], p.text(named("", "select", names[5])+".options[0].textContent"))
		p.until(named("", "button", names[7]) + " !== undefined")
		for _, b := range []string{names[8], names[9], names[11], names[12]} {
			p.until(named(names[1], "button", b) + " !== undefined")
		}
		p.until(named(names[1], "input", names[10]) + " !== undefined")
		p.do(js(named(names[1], "button", names[9])+".focus()"), chromedp.KeyEvent("\r"))
		p.until(named(names[1], "button", names[13]) + " !== undefined")
		p.until("document.activeElement === " + named(names[1], "button", names[13]))
		g.ends(run, store.Change{To: store.Running})
		p.do(js(`document.getElementById("lang").click()`))
	}
}

func TestATaskIsBegunSteeredAndStoppedOnTheHomePage(t *testing.T) {
	t.Parallel()
	g := newRig(t, requests)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(named("", "textarea", "Task") + " !== undefined")
	p.do(js(named("", "textarea", "Task")+".focus()"), chromedp.KeyEvent("order tea"))
	p.press("", "Start")
	p.waits(func() bool { return len(g.tasks.said()) == 1 })
	require.Contains(t, fmt.Sprintf("%+v", g.tasks.said()[0]), "order tea")

	run := g.running("order tea", 1)
	p.until(`document.querySelector(".run-card .now")?.textContent === "1. went back: open the menu"`)
	p.do(js(named("Running", "input", "Say something")+".focus()"), chromedp.KeyEvent("green tea"))
	p.press("Running", "Send")
	p.waits(func() bool { return len(g.tasks.said()) == 2 })
	require.Contains(t, fmt.Sprintf("%+v", g.tasks.said()[1]), "green tea")
	g.step(run, 2)
	g.web.Changed(run.SessionID)
	p.until(`document.querySelector(".run-card .now")?.textContent.startsWith("2. ")`)
	const facts = `document.querySelector(".run-card .facts").textContent`
	p.until(facts + `.includes("2,468 tokens")`)
	p.do(chromedp.Reload())
	p.until(`document.querySelector(".run-card .facts")?.textContent.includes("2,468 tokens")`)
	g.ends(run, store.Change{To: store.Paused, Reason: agentloop.ModelError,
		Err: "the model is away"})
	p.until(`document.querySelector(".run-card .problem").textContent === "the model is away"`)
	g.ends(run, store.Change{To: store.Running})

	p.do(js("{ const at = performance.now(); window.passed = 0; " +
		"performance.now = () => at + passed }"))
	p.press("Running", "Stop")
	p.until(`document.querySelector(".sure").textContent === "Press Stop once more"`)
	require.Empty(t, g.runs.calls)
	p.do(js("passed = 701"))
	p.press("Running", "Stop")
	p.waits(func() bool {
		now, err := g.store.Runs.Get(t.Context(), run.ID)
		return err == nil && now.State == store.Cancelled
	})
	g.web.Changed(run.SessionID)
	p.until(`document.querySelector(".results .badge")?.textContent === "Stopped"`)
	p.until(`document.querySelector(".run-card") === null`)
}

// What is sent once more because no answer came is the same request: it begins no second task.
func TestATaskWhoseAnswerWasLostIsNotBegunTwice(t *testing.T) {
	t.Parallel()
	g := newRig(t, requests)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(named("", "textarea", "Task") + " !== undefined")
	p.do(js(`{ const f = fetch; let lost = false; fetch = async (url, o) => { const r = await f(url, o); `+
		`if (url !== "/v1/sessions" || o.method !== "POST" || lost) return r; lost = true; throw new Error("away") } }`),
		js(named("", "textarea", "Task")+".focus()"), chromedp.KeyEvent("order tea"))
	for n := range 3 {
		p.press("", "Start")
		p.waits(func() bool { return len(g.tasks.said()) == n+1 })
		p.until(named("", "button", "Start") + "?.disabled === false")
	}
	var keys []string
	for _, x := range g.tasks.said() {
		said, is := x.(usecase.Start)
		require.True(t, is)
		keys = append(keys, said.Key)
	}
	require.NotEmpty(t, keys[0])
	require.Equal(t, keys[0], keys[1])
	require.NotEqual(t, keys[1], keys[2], "that one was answered")
}

// The app in front has a name, and is the present one for whoever looks.
func TestAPhoneOnThePageSaysWhatIsInFrontNow(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	g.tasks.front.Store("com.android.launcher3")
	p := g.login(chrometest.Chromium(t), "kitchen")
	says := `document.querySelector(".phones .facts")?.textContent.includes(%q)`
	p.until(fmt.Sprintf(says, "In front: the home screen"))
	p.do(js(`document.querySelector(".phones").scrollIntoView()`)) // else it is asked seldom
	quickest := time.Hour
	for first := time.Now(); quickest >= 2*time.Second && time.Since(first) < patient.Lid; {
		for pkg, name := range map[string]string{"com.tencent.mm": "WeChat",
			"com.example.coffee_shop": "Coffee shop"} {
			g.tasks.front.Store(pkg)
			began := time.Now()
			p.until(fmt.Sprintf(says, "In front: "+name))
			quickest = min(quickest, time.Since(began))
		}
	}
	require.Less(t, quickest, 2*time.Second)
	p.do(js(`document.getElementById("lang").click()`))
	g.tasks.front.Store("com.miui.home")
	p.until(fmt.Sprintf(says, "前台应用：主屏幕"))
}

// What a phone shows costs it commands: home asks for it often only while a phone that no run drives
// is in view.
func TestHomeAsksNoPhoneThatNobodyLooksAt(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	g.tasks.front.Store("com.miui.home")
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(`document.querySelector(".phones [data-free]")` + " !== null")
	looks := func() (n int64) { // while phones are listed twelve times, which takes 18 s
		before, first := g.tasks.looked.Load(), g.tasks.listed.Load()
		p.waits(func() bool { return g.tasks.listed.Load() >= first+12 })
		return g.tasks.looked.Load() - before
	}
	p.do(js(`document.querySelector(".phones").style.display = "none"`))
	require.LessOrEqual(t, looks(), int64(3), "it is out of view")
	p.do(js(`document.querySelector(".phones").style.display = ""`),
		js(`document.querySelector(".phones").scrollIntoView()`))
	require.Greater(t, looks(), int64(8), "it is in view")
	_, run, err := g.store.Begin(t.Context(), store.Session{Serial: "A"}, store.Run{Task: "tea"})
	require.NoError(t, err)
	g.web.Changed(run.SessionID)
	p.until(`document.querySelector(".phones [data-free]") === null`)
	require.LessOrEqual(t, looks(), int64(3), "a run drives it")
}

func TestASkillIsRunFromItsForm(t *testing.T) {
	t.Parallel()
	g := newRig(t, requests)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(js(`document.querySelector("#nav a[href='/ui/skills']").click()`))
	p.until(`document.querySelectorAll(".skills li").length === 2`)
	require.Contains(t, p.text(`document.querySelector(".skills").innerText`), "line 3: no steps")
	p.do(js(`document.querySelector(".skills button").click()`))
	p.until(`document.activeElement === ` + named("", "textarea", "Title"))
	p.do(chromedp.KeyEvent("Dentist"))
	p.do(js(`document.querySelector("#skill-note-kind").value = "list"`))
	p.press("", "Start")
	p.waits(func() bool { return len(g.tasks.said()) == 1 })
	said, is := g.tasks.said()[0].(usecase.RunSkill)
	require.True(t, is)
	require.JSONEq(t, `{"title":"Dentist","copies":1,"kind":"list"}`, string(said.Params))
}

// said is the requests so far.
func (x *toolbox) said() []any {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]any{}, x.calls...)
}

func TestASessionIsWatchedAndPlayedBack(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	run := g.running("book a train", 3)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(chromedp.Navigate(g.http.URL + "/ui/sessions/" + run.SessionID))
	at := `document.querySelector(".of")?.textContent`
	p.until(at + ` === "Step 3 of 3"`)
	g.step(run, 4)
	g.web.Changed(run.SessionID)
	p.until(at + ` === "Step 4 of 4"`)
	for _, c := range [][2]string{{"Home", "Step 1 of 4"}, {"ArrowRight", "Step 2 of 4"},
		{"ArrowLeft", "Step 1 of 4"}, {"End", "Step 4 of 4"}, {"Home", "Step 1 of 4"},
		{" ", "Step 4 of 4"}} {
		p.do(js(fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent("keydown", `+
			`{key: %q, bubbles: true}))`, c[0])))
		p.until(fmt.Sprintf("%s === %q", at, c[1]))
	}
	g.down.Store(true) // a picture that the server cannot give now comes later
	p.do(js(`document.querySelector(".strip button").click()`))
	p.until(at + ` === "Step 1 of 4" && !document.querySelector(".step .shot img[src]")`)
	p.waits(func() (picture bool) {
		g.refused.Range(func(path, _ any) bool {
			picture = strings.Contains(path.(string), "/frames/")
			return !picture
		})
		return picture
	})
	g.down.Store(false)
	p.until(`document.querySelector(".step .shot img")?.naturalWidth > 0`)
	const facts = `[...document.querySelectorAll(".step .say > .facts span")].map((e) => e.textContent).join()`
	require.Equal(t, "model 12 s,look 2 s,1,234 tokens,WeChat", p.text(facts))
	p.do(js(`document.getElementById("lang").click()`))
	p.until(facts + ` === "模型 12 秒,截图 2 秒,1,234 个 token,微信"`)
	p.do(js(`document.getElementById("lang").click()`))
	g.ends(run, store.Change{To: store.Completed, Answer: "The train leaves at 9:04."})
	p.until(`document.querySelector(".head .result.good")?.textContent === ` +
		`"The train leaves at 9:04."`)
	p.until(named("", "button", "Play") + " !== undefined")
}

// A session that is gone, one that this person may not see and a server that does not answer are
// told apart, and what was read stays while the server is away.
func TestASessionThatCannotBeReadSaysWhy(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	run := g.running("book a train", 3)
	p := g.login(chrometest.Chromium(t), "kitchen")
	goes := func(id string) chromedp.Action[chromedp.Void] {
		return js(fmt.Sprintf(`history.pushState(null, "", "/ui/sessions/%s"); `+
			`dispatchEvent(new PopStateEvent("popstate"))`, id))
	}
	const said = `document.querySelector("#page .none")?.textContent`
	p.do(goes("nosuch"))
	p.until(said + ` === "There is no such session, or it was deleted."`)
	p.do(answers("/trajectory", 403, "it is another's"), goes("other"))
	p.until(said + ` === "it is another's"`)
	p.do(answers("/trajectory", 0, ""), goes("third"))
	p.until(said + `?.startsWith("The server does not answer.")`)
	p.do(answers("/nothing", 0, ""), goes(run.SessionID))
	at := `document.querySelector(".of")?.textContent === "Step 3 of 3"`
	p.until(at)
	p.do(js("globalThis.asked = 0"), js(`globalThis.before = fetch; fetch = (url, o) => `+
		`url.endsWith("/trajectory") ? (asked++, Promise.reject(new Error("away"))) : before(url, o)`),
		js(hide(true)), js(hide(false)))
	p.until("asked > 0")
	p.until(at)
	p.do(js("fetch = real"))
	g.ends(run, store.Change{To: store.Completed, Answer: "done"})
	require.NoError(t, g.store.Delete(t.Context(), run.SessionID, store.AuditEntry{})) // as in another tab
	p.do(js(hide(true)), js(hide(false)))
	p.until(said + ` === "There is no such session, or it was deleted."`)
}
