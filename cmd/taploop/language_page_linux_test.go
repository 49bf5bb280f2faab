package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/golden"
	"github.com/taploop/taploop/internal/store"
)

// inChineseOnly is a model that speaks Chinese, however its run ends.
var inChineseOnly = modelRule(`\[已同意\]`, `COMPLETE\treturn:安娜知道了。`, "完成") +
	modelRule(`\[弹窗\]`, `CLICK\tpoint:450,532`, "已同意") +
	modelRule(`\[已说\]`, `CLICK\tpoint:879,893`, "弹窗") +
	modelRule(`\[已打开\]`, `INFO\tvalue:哪位安娜？`, "已说") +
	modelRule(`写信给安娜`, `AWAKE\tvalue:Messages`, "已打开") +
	modelRule(`\[看过\]`, `COMPLETE\treturn:做好了。`, "完成") +
	modelRule(`看一下`, `CLICK\tpoint:500,500`, "看过") +
	modelRule(`做不到的`, `ABORT\tvalue:没有办法。`, "放弃") +
	modelRule(`找一个应用`, `AWAKE\tvalue:没有的应用`, "找过") +
	modelRule(`一直等`, `WAIT\tvalue:0.1`, "等过") +
	modelRule(`\[问过\]`, `COMPLETE\treturn:登录好了。`, "完成") +
	modelRule(`登录一下`, `INFO\tvalue:短信验证码是多少？`, "问过") +
	"- when: '不该说的|不知道|could not be read'\n  reply: 不知道\n"

// heard is what a person reads or hears of a page, without what models and phones wrote.
const heard = `(() => { for (const d of document.querySelectorAll("details")) d.open = true;
	const ours = document.body.cloneNode(true);
	for (const e of ours.querySelectorAll("pre, code, .try .kept")) e.remove();
	document.body.append(ours);
	const said = ours.innerText + [...ours.querySelectorAll("*")].filter((e) => e.checkVisibility())
		.flatMap((e) => ["aria-label", "placeholder", "title", "alt"].map((a) => "\n" + (e.getAttribute(a) || "")))
		.join("") + "\n" + document.title;
	ours.remove();
	return said; })()`

// ofOthers are the words of phones, models and clients on these pages.
var ofOthers = []string{"Sandbox", "Ann", "English", "“Allow”", "Messages", "scripted",
	"Allow Messages to access your contacts?", "nope",
	"explain:... action:CLICK point:512,92 summary:... on one line, with a TAB between the fields",
	"explain:...\taction:CLICK\tpoint:512,92\tsummary:... on one line, with a TAB between the fields", "action",
	"Book a seat", "Where?[2J", "Where?", "window", "aisle", "“travel”", "“pay_seat”", "travel", "pay seat", "seat", "Booked."}

// A Chinese page holds no English of ours, whoever began what is told: here everything was written by
// commands and a server that speak English.
func TestAChinesePageHoldsNoEnglishOfRunsBegunInEnglish(t *testing.T) {
	t.Parallel()
	x := newHostEnv(t, seatScript+inChineseOnly)
	b := x.testEnv
	require.NoError(t, writeFile(filepath.Join(b.dir, "deny.yaml"),
		"guard: {rules: [{name: 不许, action: CLICK, decision: deny}]}\n"))
	b.serve()
	browser := chrometest.Chromium(t)
	w := stranger{(&crashHarness{testEnv: b}).opens(browser, "Ann")}
	w.runs(`document.getElementById("lang").click()`)
	wrong := map[string]string{}
	read := func(where string) {
		t.Helper()
		for _, line := range golden.Foreign(t, w.text(heard), ofOthers...) {
			if wrong[line] == "" {
				wrong[line] = where
			}
		}
	}
	read("home, empty")
	for _, args := range [][]string{{"run", "看一下", "--verify", "elements"},
		{"run", "看一下“主屏幕”，再写信给“安娜”", "--verify", "elements"},
		{"run", "看一下 Wi-Fi 是不是打开", "--verify", "both"}, {"run", "做不到的"},
		{"run", "一直等", "--max-steps", "2"}, {"run", "不该说的"},
		{"run", "找一个应用", "--max-steps", "2"}, {"run", "再看一下", "--config", "deny.yaml"},
		{"run", "无人回答", "--set", "model.base_url=http://127.0.0.1:1/v1", "--set", "model.retries=0"},
		{"token", "create", "--name", "jia-1"}, {"token", "create", "--person", "--name", "yi-1"},
	} {
		_, errs, code := b.run(args...)
		require.NotContains(t, []int{exitError, exitUsage}, code, "%q: %s", args, errs)
	}
	w.goes("", "textbox", "任务", "写信给安娜")
	w.goes("", "button", "开始", "\r")
	w.finds(0, "textbox", "你的回答")
	read("home, asked")
	w.goes("等你回答", "textbox", "你的回答", "吴安娜")
	w.goes("等你回答", "button", "发送", "\r")
	w.finds(0, "button", "同意")
	read("home, to approve")
	w.goes("", "textbox", "任务", "写信给安娜")
	w.goes("", "button", "开始", "\r")
	w.until(`document.querySelector(".taken a") !== null`)
	read("home, taken")
	w.goes("等你回答", "button", "同意", "\r")
	x.isHelped(w, read)
	for _, args := range [][]string{{"--all"}, {"--app", "Messages", "--times", "3"}} {
		b.run(append([]string{"yolo", "on"}, args...)...)
	}
	db, _ := b.folder()
	list, err := db.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	origin := w.text("location.origin")
	for _, path := range []string{"/ui", "/ui/sessions", "/ui/answered", "/ui/settings", "/ui/skills",
		"/ui/phones/sandbox-1", "/ui/nope", "/ui/sessions/nope", "/ui/phones/nope"} {
		w.do(chromedp.Navigate(origin + path))
		w.until(fmt.Sprintf(`location.pathname === %q && document.getElementById("link").textContent === "实时"`, path))
		w.until(`document.querySelector("main").innerText.length > 2`)
		read(path)
	}
	for _, o := range list {
		path := "/ui/sessions/" + o.Session.ID
		w.do(chromedp.Navigate(origin + path))
		w.until(fmt.Sprintf(`location.pathname === %q && document.querySelector(".head") !== null`, path))
		for i := range o.Session.Steps {
			w.runs(fmt.Sprintf(`document.querySelectorAll(".strip button")[%d].click()`, i))
			w.until(fmt.Sprintf(`document.querySelector(".step .no").textContent === "%d"`, i+1))
			read(path)
		}
	}
	for line, where := range wrong {
		t.Errorf("%s  <%s>", line, where)
	}
}

// isHelped has a person seen to a goal of agents, to a secret, and to a phone that was taken over.
func (x *hostEnv) isHelped(w stranger, read func(where string)) {
	goal := x.spawn("host", "--mcp", x.file, "Book a seat")
	w.until(`document.querySelectorAll(".option").length === 2`)
	read("home, a goal asks")
	w.runs(`document.querySelectorAll(".option")[1].click()`)
	w.finds(0, "button", "同意")
	read("home, a call to approve")
	w.goes("等你回答", "button", "同意", "\r")
	require.Zero(x.t, goal.ends(), "%s", goal.stderr)

	w.runs(`document.getElementById("task").select()`) // of the task that found the phone taken
	w.goes("", "textbox", "任务", "登录一下")
	w.goes("", "button", "开始", "\r")
	w.until(`document.querySelector("article input[type=password]") !== null`)
	read("home, a secret")
	w.runs(`document.querySelector("article input[type=password]").focus()`)
	w.do(chromedp.KeyEvent("4711\r"))
	w.until(`document.querySelector("article") === null && ` +
		`document.getElementById("recent-list").innerText.includes("登录好了")`)
	read("home, the secret was said")

	w.goes("", "textbox", "任务", "一直等一等")
	w.goes("", "button", "开始", "\r")
	w.goes("运行中", "button", "接管", "\r")
	w.until(`document.querySelector("article .live-screen img")?.naturalWidth > 0`)
	read("home, taken over")
	w.goes("运行中", "button", "做不到", "\r")
	w.until(`document.querySelector("article") === null`)
	_, errs, code := x.run("stop")
	require.Zero(x.t, code, errs)
}
