package web_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/chrometest"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/consent"
	"github.com/taploop/taploop/internal/store"
)

func TestAnActionIsDecidedOnOnThePage(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	press := func(q inquiry.Question, decision string) {
		p.do(js(card(q, `button[data-type="`+decision+`"]`) + ".click()"))
	}

	q := about(inquiry.Critical)
	inquiry.As[inquiry.Approval](q).Element = "<b>Pay</b>"
	q = g.waiting("ann", q)
	p.until(card(q, ".mark") + " !== null")
	require.Equal(t, "50% 90%", p.text(card(q, ".mark")+".style.left + ' ' + "+
		card(q, ".mark")+".style.top"))
	require.Contains(t, p.text(card(q, ".why")+".textContent"), "Under the finger: <b>Pay</b>")
	require.Contains(t, p.text(card(q, ".why")+".textContent"), "it spends money")
	p.until(card(q, ".shot img[src]") + " !== null")
	p.do(js(card(q, ".shot") + ".click()"))
	require.Equal(t, "50% 90%", p.text(`document.querySelector("dialog[open] .mark").style.left + `+
		`" " + document.querySelector("dialog[open] .mark").style.top`), "it is marked there, too")
	p.do(js(`document.querySelector("dialog").click()`))
	require.Equal(t, `tap "Pay"`, p.text(card(q, "legend")+".textContent"))
	press(q, "approve")
	require.Equal(t, []inquiry.Decision{{Type: inquiry.Approve}}, g.decided(q))

	q = g.waiting("ann", about(inquiry.Sensitive))
	p.until(card(q, ".decide") + " !== null")
	press(q, "edit")
	p.do(js(card(q, ".json") + ".click()"))
	require.Contains(t, p.text(card(q, "textarea")+".value"), `"name": "CLICK"`)
	p.do(js(card(q, "textarea")+".select()"), chromedp.KeyEvent("nonsense"))
	p.send(q)
	require.Equal(t, "This cannot be read as an action.",
		p.text(card(q, ".problem")+".textContent"))
	p.do(js(card(q, "textarea")+".select()"),
		chromedp.KeyEvent(`{"name":"TYPE","args":{"text":"7"}}`))
	p.send(q)
	require.Equal(t, []inquiry.Decision{{Type: inquiry.Edit, EditedAction: &inquiry.EditedAction{
		Name: "TYPE", Args: map[string]any{"text": "7"}}}}, g.decided(q))

	two := about(inquiry.Routine)
	both := inquiry.As[inquiry.Approval](two)
	both.ActionRequests = append(both.ActionRequests, both.ActionRequests[0])
	two = g.waiting("ann", two)
	p.until(card(two, ".action + .action") + " !== null")
	p.do(js(card(two, ".action:first-of-type [data-type=approve]") + ".click()"))
	p.send(two)
	require.Equal(t, "Decide about each action.", p.text(card(two, ".problem")+".textContent"))
	p.do(js(card(two, ".action + .action [data-type=reject]")+".click()"),
		chromedp.KeyEvent("not both"))
	p.send(two)
	require.Equal(t, []inquiry.Decision{{Type: inquiry.Approve},
		{Type: inquiry.Reject, Message: "not both"}}, g.decided(two))
}

// A call of a tool has no picture: what it does is in its arguments, which are shown, and which an
// edit leaves as they are to the digit where it does not change them.
func TestTheArgumentsOfACallAreShownOnThePage(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	var args inquiry.Args
	require.NoError(t, json.Unmarshal([]byte(`{"chat":1234567890123456789,"hid\u200bden":"a\u00ad\u202eb`+
		`\r\n\udb40\udd01","text":"<b>hi</b>"}`),
		&args))
	q, err := g.broker.Open(t.Context(), inquiry.Question{Kind: inquiry.KindApproval, Client: "ann",
		Text: `May "TYPE" of "mail" be called?`,
		Body: &inquiry.Approval{ActionRequests: []inquiry.ActionRequest{{Name: "TYPE", Args: args}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "TYPE",
				AllowedDecisions: inquiry.DecisionTypes}}},
	})
	require.NoError(t, err)
	p.until(card(q, ".decide") + " !== null")
	require.Equal(t, "{\n \"chat\": 1234567890123456789,\n \"hid\\u200bden\": \"a\\u00ad\\u202eb"+
		"\\r\\n\\udb40\\udd01\",\n \"text\": \"<b>hi</b>\"\n}", p.text(card(q, "pre")+".textContent"))
	p.do(js(card(q, `button[data-type="edit"]`) + ".click()"))
	require.Equal(t, "hidden", p.text(card(q, ".field:nth-child(2) label")+".textContent"))
	require.Equal(t, "ab\n", p.text(card(q, ".field:nth-child(2) textarea")+".value"))
	p.do(js(card(q, ".field:nth-child(3) textarea") + ".value = '<b>ho</b>'"))
	p.do(js(`document.getElementById("lang").click()`)) // an edit outlives it
	p.send(q)
	args["text"] = "<b>ho</b>"
	require.Equal(t, []inquiry.Decision{{Type: inquiry.Edit, EditedAction: &inquiry.EditedAction{
		Name: "TYPE", Args: args}}}, g.decided(q))
}

// What would happen stands above the buttons in the reader's language, and another place is chosen
// on the picture.
func TestAConsentIsInHumanWordsOnThePage(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	q := about(inquiry.Critical)
	inquiry.As[inquiry.Approval](q).Act = &consent.Act{Verb: "CLICK", Label: "Allow",
		App: "com.example.notes", Says: "Allow Notes to send messages?",
		Because: map[string]string{"en": "it spends money", "zh": "可能会付款"}}
	q = g.waiting("ann", q)
	p.until(card(q, ".shot img[src]") + " !== null")
	require.Equal(t, "Allow Notes to send messages?", p.text(card(q, "h2")+".textContent"))
	require.Equal(t, "The agent wants to tap “Allow” in Notes",
		p.text(card(q, ".wants")+".textContent"))
	heard := card(q, "fieldset legend") + ".textContent"
	require.Equal(t, "Allow Notes to send messages?", p.text(heard))
	require.Equal(t, "1", p.text(card(q, "")+`.textContent.split("it spends money").length - 1`))
	p.do(js(`document.getElementById("lang").click()`))
	require.Equal(t, "助手想要点按“Allow”（应用：Notes）", p.text(card(q, ".wants")+".textContent"))
	require.Equal(t, "可能会付款", p.text(card(q, ".reason")+".textContent"))
	p.do(js(`document.getElementById("lang").click()`))
	const off = `((m, i) => (m.%[3]s + m.%[4]s / 2 - i.%[3]s) / i.%[4]s)(` +
		`%[1]s.getBoundingClientRect(), %[2]s.getBoundingClientRect())`
	for _, width := range []int64{390, 1280} {
		p.look("light", width, 844)
		mark, img := card(q, ".mark"), card(q, ".shot img")
		require.InDelta(t, 0.5, p.number(fmt.Sprintf(off, mark, img, "left", "width")), 0.01,
			"across at %d", width)
		require.InDelta(t, 0.9, p.number(fmt.Sprintf(off, mark, img, "top", "height")), 0.01,
			"down at %d", width)
	}
	place := `((m) => Math.round(parseFloat(m.left)) + "% " + ` +
		`Math.round(parseFloat(m.top)) + "%")(` + card(q, ".mark") + `.style)`
	move := func() {
		p.do(js(card(q, `[data-type="edit"]`) + ".click()"))
		p.do(js(card(q, ".shot img") + `.scrollIntoView({block: "center"})`))
		img := card(q, ".shot img") + ".getBoundingClientRect()"
		p.do(chromedp.MouseClickXY(p.number(img+".left")+p.number(img+".width")*0.25,
			p.number(img+".top")+p.number(img+".height")*0.5))
		require.Equal(t, "25% 50%", p.text(place))
	}
	move()
	p.do(js(card(q, `[data-type="approve"]`) + ".click()"))
	require.Equal(t, "50% 90%", p.text(place), "what would be approved is shown first")
	pending, err := g.broker.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.True(t, pending.Open())
	move()
	p.do(js(`document.getElementById("lang").click()`)) // an edit outlives it
	require.Equal(t, "25% 50%", p.text(place))
	p.do(js(card(q, ".json") + ".click()")) // says what the picture does
	p.send(q)
	at, is := g.decided(q)[0].EditedAction.Args["at"].(map[string]any)
	require.True(t, is)
	require.InDelta(t, 0.25, at["x"], 0.01)
	require.InDelta(t, 0.5, at["y"], 0.01)
	p.until(`document.querySelector("#settled span")?.textContent === ` +
		`"“Allow Notes to send messages?”：你 已回答：修改"`)
}

// wellKnown are acts on screens as well-known apps have them, and what stands above the buttons.
var wellKnown = []struct {
	act consent.Act
	en  string
	zh  string
}{
	{consent.Act{Verb: "CLICK", Label: "Send", App: "com.whatsapp", Name: "WhatsApp"},
		"Send in WhatsApp?", "在“WhatsApp”中Send？"},
	{consent.Act{Verb: "CLICK", Label: "Pay $25.00 to Anna", App: "com.paypal.android.p2pmobile",
		Name: "PayPal"}, "Pay $25.00 to Anna?", "Pay $25.00 to Anna？"},
	{consent.Act{Verb: "CLICK", Label: "While using the app",
		App:  "com.google.android.permissioncontroller",
		Says: "Allow Maps to access this device's location?"},
		"Allow Maps to access this device's location?",
		"Allow Maps to access this device's location?"},
	{consent.Act{Verb: "CLICK", Label: "立即支付", App: "com.eg.android.AlipayGphone",
		Name: "支付宝"}, "立即支付?", "立即支付？"},
	{consent.Act{Verb: "CLICK", Label: "确定", App: "com.tencent.mm", Name: "微信",
		Says: "删除这条聊天记录？"}, "删除这条聊天记录？", "删除这条聊天记录？"},
	{consent.Act{Verb: "CLICK", Label: "Löschen", App: "com.example.gallery",
		Name: "Fotos"}, "Löschen in Fotos?", "在“Fotos”中Löschen？"},
	{consent.Act{Verb: "CLICK", Label: "Confirmar", App: "es.bizum", Name: "Bizum",
		Says: "¿Enviar 30 € a Luis?"}, "¿Enviar 30 € a Luis?", "¿Enviar 30 € a Luis?"},
	{consent.Act{Verb: "TYPE", Typed: "On my way", Label: "Message",
		App: "com.google.android.apps.messaging", Name: "Messages"},
		"Type “On my way” into “Message”?", "在“Message”中输入“On my way”吗？"},
	{consent.Act{Verb: "LONGPRESS", Label: "Uninstall", App: "com.android.vending"},
		"Uninstall in Play Store?", "在“谷歌商店”中Uninstall？"},
	{consent.Act{Server: "files", Tool: "write_file", Object: "notes.txt"},
		"files wants to write notes.txt", "files 想要写入 notes.txt"},
}

// A page and a program are told the same, each in its language.
func TestTheHeadlineIsTheSameOnThePageAndOverHTTP(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	p := g.login(chrometest.Chromium(t), "kitchen")
	var asked []inquiry.Question
	for _, c := range wellKnown {
		q := about(inquiry.Sensitive)
		inquiry.As[inquiry.Approval](q).Act = &c.act
		asked = append(asked, g.waiting("ann", q))
	}
	for _, lang := range []string{"en", "zh"} {
		for i, c := range wellKnown {
			want := map[string]string{"en": c.en, "zh": c.zh}[lang]
			p.until(card(asked[i], "h2") + " !== null")
			require.Equal(t, want, p.text(card(asked[i], "h2")+".textContent"))
			require.Equal(t, want, p.text(fmt.Sprintf(
				`document.querySelector('[data-open="%s"] .what').textContent`, asked[i].ID)))
			told := g.get("/v1/inquiries/"+asked[i].ID, g.boss).json(t)["consent"].(map[string]any)
			require.Equal(t, want, told[lang].(map[string]any)["headline"])
			require.NotContains(t, p.text(card(asked[i], ".wants")+".textContent"), "com.")
		}
		p.do(js(`document.getElementById("lang").click()`))
	}
}

// What comes later leaves the focus on the open question, with what was typed.
func TestAQuestionThatComesLaterLeavesTheOpenOneOpen(t *testing.T) {
	t.Parallel()
	g := approvals(t, inquiry.Options{})
	open := g.waiting("ann", inquiry.Question{Text: "Which milk?"})
	p := g.login(chrometest.Chromium(t), "kitchen")
	for _, size := range [][2]int64{{1280, 844}, {390, 844}, {390, 2600}} {
		p.look("light", size[0], size[1])
		p.until(card(open, ".shot img") + "?.naturalWidth > 0")
		p.middle(card(open, "textarea"))
		p.do(js(card(open, "textarea")+".focus()"), chromedp.KeyEvent("oat "))
		p.until(card(g.waiting("ann", about(inquiry.Critical)), "h2") + " !== null")
		require.Equal(t, "true", p.text(`document.activeElement === `+card(open, "textarea")))
		require.Contains(t, p.text(card(open, "textarea")+".value"), "oat")
	}
}

// decided waits until the question is settled, and returns what was decided.
func (g *rig) decided(q inquiry.Question) []inquiry.Decision {
	g.t.Helper()
	q, err := g.broker.Wait(g.t.Context(), q.ID)
	require.NoError(g.t, err)
	require.Equal(g.t, "page", q.Resolution.Channel)
	return q.Resolution.Decisions
}

func TestACardSaysThatWhatRanItsTaskHasEnded(t *testing.T) {
	t.Parallel()
	g := newRig(t, nil)
	mine := g.waiting("ann", about(inquiry.Routine))
	here := g.store
	dead, err := store.Open(t.Context(), g.dir, nil)
	require.NoError(t, err)
	g.store = dead // of a process of its own
	q := g.waiting("ann", inquiry.Question{})
	g.store = here
	p := g.login(chrometest.Chromium(t), "kitchen")
	p.until(card(q, "") + " !== null && " + card(mine, "") + " !== null")
	shown := func(q inquiry.Question) string {
		return p.text(`[...` + card(q, "") + `.querySelectorAll(".wants:not([hidden])")]` +
			`.map((e) => e.textContent).join(" ")`)
	}
	const said = "The program that ran this task has ended. Once you answer, this server goes on with it."
	require.NotContains(t, shown(q), said)
	p.do(js(card(q, "textarea") + `.value = "half an answer"`))

	require.NoError(t, dead.Close())
	require.NoError(t, g.broker.Sweep(t.Context(), time.Now()))
	p.until(`!` + card(q, ".left") + `.hidden`)
	require.Contains(t, shown(q), said)
	require.NotContains(t, shown(mine), said)
	require.Equal(t, "half an answer", p.text(card(q, "textarea")+".value"))
	p.do(chromedp.Reload())
	p.until(card(q, ".left") + ` !== null && !` + card(q, ".left") + `.hidden`)
}
