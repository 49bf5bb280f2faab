package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/web"
	"github.com/taploop/taploop/tools/schema"
)

// takenBy is a phone that a session has, "" for one of somebody else.
func takenBy(session string) outcome {
	err := runs.Refuse(runs.DeviceBusy, `call POST /v1/sessions with "queue": true`, "phone is held")
	err.Holder = &store.Hold{SessionID: session, Serial: "emu-1", State: store.WaitingReply}
	return outcome{err: err}
}

// Where a phone is taken, a person is told so in the page's language, and presses what to do.
func TestWhoFindsThePhoneTakenPressesWhatToDo(t *testing.T) {
	t.Parallel()
	g := newRig(t, requests, func(o *web.Options) {
		for _, name := range []string{"queue", "supersede"} {
			o.Requests["Start"].Properties[name] = &schema.Schema{Type: "boolean"}
		}
	})
	run := g.running("order a pizza", 1)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(named("", "textarea", "Task") + " !== undefined")
	const says = `document.querySelector("#start .problem").textContent.trim()`
	begin := func(taken outcome) {
		g.tasks.mu.Lock()
		g.tasks.next = []outcome{taken, stands(run.SessionID, store.Running, "", nil)}
		g.tasks.mu.Unlock()
		p.do(js(named("", "textarea", "Task") + ".focus()"))
		p.do(js(named("", "textarea", "Task")+".select()"), chromedp.KeyEvent("order tea"))
		p.press("", "Start")
	}
	last := func(n int) usecase.Start {
		p.waits(func() bool { return len(g.tasks.said()) == n })
		said, is := g.tasks.said()[n-1].(usecase.Start)
		require.True(t, is)
		require.Equal(t, "order tea", said.Task)
		return said
	}
	begin(takenBy(run.SessionID))
	p.until(says + ` === "The phone is in use: “order a pizza” has it."`)
	p.until(fmt.Sprintf(`%s.getAttribute("href") === "/ui/sessions/%s"`,
		named("", "#start a", "Open that task"), run.SessionID))
	p.press("", "Another phone")
	p.until(`document.activeElement === ` + named("", "select", "Phone"))
	p.do(js(`document.getElementById("lang").click()`))
	p.until(says + ` === "手机正在使用中：“order a pizza”占用着它。"`)
	p.do(js(`document.getElementById("lang").click()`))
	p.press("", "Wait in line")
	require.True(t, last(2).Queue)
	begun := func() { // the focus is led to the task: before that, it would be taken from what is typed
		p.until(says + ` === "" && document.activeElement === ` +
			`document.querySelector("[data-session='` + run.SessionID + `'] h3 a")`)
	}
	begun()

	begin(takenBy(run.SessionID))
	last(3)
	p.press("", "Stop it and start this one")
	p.until(named("", "#start .sure", "Press Stop it and start this one once more") + " !== undefined")
	p.do(js("{ const at = performance.now(); performance.now = () => at + 701 }"))
	require.Len(t, g.tasks.said(), 3, "asked once more, in place")
	p.press("", "Stop it and start this one")
	require.True(t, last(4).Supersede)
	begun()

	begin(takenBy(""))
	p.until(says + ` === "The phone is in use: another program has it."`)
	p.until(named("", "button", "Wait in line") + " !== undefined")
	require.Equal(t, "true", p.text(named("", "button", "Stop it and start this one")+" === undefined"))
}

// Who begins a task by keyboard is led to it, and who approves to what came of it.
func TestTheFocusGoesToWhatCameOfAPress(t *testing.T) {
	t.Parallel()
	g := newRig(t, requests)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(named("", "textarea", "Task") + " !== undefined")
	run := g.running("order a pizza", 1)
	g.tasks.next = []outcome{takenBy(run.SessionID), stands(run.SessionID, store.Running, "", nil)}
	for i, at := range []string{named("", "button", "Start"),
		`document.querySelector("[data-session='` + run.SessionID + `'] h3 a")`} {
		p.do(js(named("", "textarea", "Task")+".focus()"), chromedp.KeyEvent("tea"),
			js(named("", "button", "Start")+".focus()"), chromedp.KeyEvent("\r"))
		p.waits(func() bool { return len(g.tasks.said()) == i+1 })
		p.until(`document.activeElement === ` + at + ` && !` + named("", "button", "Start") + `.disabled`)
	}
	q := g.waiting("", about(inquiry.Sensitive))
	at := fmt.Sprintf(`document.querySelector("[data-id='%s']`, q.ID)
	p.until(at + ` .approve") !== null`)
	p.do(js(at+` .approve").focus()`), chromedp.KeyEvent("\r"))
	p.until(`document.activeElement === document.querySelector("#settled li")`)
}

// What a tool is called with is read in words; as JSON it is among the details.
func TestTheArgumentsOfAToolAreReadBeforeTheyAreApproved(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	asked := about(inquiry.Sensitive)
	a := inquiry.As[inquiry.Approval](asked)
	a.ReviewConfigs[0].ActionName = "write_file"
	a.Places, a.ActionRequests = nil, []inquiry.ActionRequest{{Name: "write_file", Args: map[string]any{
		"path": "notes.txt", "content": "buy\u202emilk", "how": map[string]any{"times": 2}}}}
	q, err := g.broker.Open(t.Context(), asked)
	require.NoError(t, err)
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(q, ".given") + " !== null")
	require.Equal(t, `content=buy\u202emilk|how.times=2|path=notes.txt`, p.text(`[...`+
		fmt.Sprintf(`document.querySelectorAll("[data-id='%s'] .given div")`, q.ID)+
		`].map((e) => e.children[0].textContent + "=" + e.children[1].textContent).join("|")`))
	json := card(q, "pre.args")
	require.Equal(t, "true", p.text(json+`.checkVisibility() === false`))
	p.press("", "Details")
	p.until(json + `.checkVisibility() && ` + json + `.textContent.includes('"path": "notes.txt"')`)
}

// Leave for one app is given by the app's name: the box says so, and offers those that are in sight.
func TestLeaveForAnAppIsGivenByItsName(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	g.tasks.front.Store("com.example.coffee_shop")
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(`document.querySelector(".phones .facts")?.textContent.includes("Coffee shop")`)
	p.press("", "Go on without asking")
	p.until(named("", "input", "App") + `?.placeholder === "Its name, such as Messages, or its package"`)
	p.until(`document.querySelector("#give-apps option")?.value === "Coffee shop"`)
	give := func(name string) {
		p.do(js(named("", "input", "App")+".focus()"), js(named("", "input", "App")+".select()"),
			chromedp.KeyEvent(name), js(`document.querySelector(".give .danger").click()`))
	}
	give("Mesages")
	p.until(`document.querySelector(".give .problem").textContent.includes("near names: Messages")`)
	give("coffee shop")
	p.until(`document.querySelector("#standing-list .task")?.textContent.startsWith("The app Coffee shop")`)
	list, err := g.store.Grants.List(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "com.example.coffee_shop", list[0].Name)
}

// An entry of the audit says who answered, what was asked, and in which session.
func TestTheAuditSaysWhoAnsweredWhat(t *testing.T) {
	t.Parallel()
	g := newRig(t, func(o *web.Options) {
		o.About = func(context.Context) (web.About, error) {
			return web.About{Audit: []store.AuditEntry{
				{Seq: 2, Event: store.AuditAnswered, QuestionID: "q", SessionID: "s",
					Authority: inquiry.AuthorityLocalOperator, Answer: "Large"},
				{Seq: 1, Event: store.AuditAsked, QuestionID: "q", Text: "Which size?", By: "ann"}}}, nil
		}
	})
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.do(chromedp.Navigate(g.http.URL + "/ui/settings"))
	const row = `document.querySelector("[aria-labelledby=audit] tbody tr")`
	p.until(row + ` !== null`)
	require.Equal(t, "a person here|“Which size?”: Large Open", p.text(
		row+`.children[2].textContent + "|" + `+row+`.children[3].textContent`))
}
