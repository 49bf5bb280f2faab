package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/guard"
)

// tap is a tap on a button of an app.
func tap(app, text string, more ...string) guard.Subject {
	s := guard.Subject{Action: "CLICK", App: app, Task: "look around",
		Element: &guard.Element{Text: text}, Screen: append([]string{text}, more...)}
	return s
}

func button(text string) guard.Subject {
	s := tap("com.app", text)
	s.Element.Class = "android.widget.Button"
	return s
}

func icon(app, id string, near ...string) guard.Subject {
	return guard.Subject{Action: "CLICK", App: app, Element: &guard.Element{ResourceID: id},
		Near: near, Screen: near, Task: "look around"}
}

func enterIn(field string) guard.Subject {
	return guard.Subject{Action: "HOT_KEY", App: "com.shop", Args: map[string]any{"key": "enter"},
		Element: &guard.Element{Text: field}, Screen: []string{"Pay now"}}
}

func builtin(t *testing.T) *guard.Policy {
	t.Helper()
	p, err := guard.New(&guard.Options{})
	require.NoError(t, err)
	return p
}

func TestBuiltInRulesAskAboutHarm(t *testing.T) {
	said := tap("com.game", "")
	said.Said, said.Element = "tap the pay icon", nil
	enter := guard.Subject{Action: "HOT_KEY", App: "com.shop", Args: map[string]any{"key": "enter"},
		Screen: []string{"Total", "Pay ¥30"}, Element: &guard.Element{ResourceID: "a:id/coupon"}}
	typed := guard.Subject{Action: "TYPE", App: "com.mail", Typed: "x",
		Element: &guard.Element{Password: true}}
	bankTyped := typed
	bankTyped.App = "com.icbc"
	slide := tap("com.shop", "Slide to pay")
	slide.Action = "SLIDE"
	whole := tap("com.eg.android.AlipayGphone", "")
	whole.Element = &guard.Element{WholeScreen: true, Text: "Alipay"}
	missing := guard.Subject{Action: "CLICK", App: "com.unionpay"}
	secure := guard.Subject{Action: "CLICK", App: "com.x", Secure: true}
	tool := guard.Subject{Action: "drop_table", Destructive: true}
	pad := tap("com.tencent.mm", "4", "请输入支付密码")
	for _, c := range []struct {
		s    guard.Subject
		want guard.Severity
	}{
		{tap("com.shop", "Pay now"), guard.Critical},
		{tap("com.shop", "Agree & pay $30.00"), guard.Critical},
		{tap("com.shop", "立即支付 ¥30"), guard.Critical},
		{tap("com.shop", "支 付"), guard.Critical},
		{tap("com.shop", "P\u200bay n\u00adow"), guard.Critical},
		{tap("com.shop", "PAY"), guard.Critical},
		{tap("com.shop", "\uff30\uff21\uff39"), guard.Critical},
		{tap("com.shop", "P a y  n o w"), guard.Critical},
		{tap("com.shop", "Рay now"), guard.Critical}, // its first letter is Cyrillic
		{tap("com.shop", "ᴘᴀʏ ɴᴏᴡ"), guard.Critical},
		{tap("com.shop", "\x1b[31mPay"), guard.Critical},
		{button(strings.Repeat("and so on ", 30) + "pay now"), guard.Critical},
		{tap("com.acme.home", "Pay now"), guard.Critical},
		{tap("com.shop.launcher", "Pay now"), guard.Critical},
		{tap("com.shop", "OK", "Total $39.00"), guard.Critical},
		{tap("com.shop", "Continue", "Total $39.00"), guard.Critical},
		{tap("com.shop", "Google Pay", "Total $39"), guard.Critical},
		{tap("com.shop", "微信支付", "应付 ¥35"), guard.Critical},
		{tap("com.shop", "Start free trial"), guard.Critical},
		{tap("com.shop", "Subscribe", "$9.99 per month"), guard.Critical},
		{tap("com.android.settings", "Continue",
			"This will reset everything to factory defaults"), guard.Critical},
		{enterIn("research notes"), guard.Critical}, {enterIn("Search"), guard.Critical},
		{tap("com.google.android.dialer", "Delete contact"), guard.Sensitive},
		{tap("com.android.settings", "Reset all settings"), guard.Sensitive},
		{tap("com.notes", "刪除"), guard.Sensitive}, {tap("com.chat", "發送"), guard.Sensitive},
		{tap("com.shop", "No problem, pay now"), guard.Critical},
		{tap("com.shop", "Don't pay later, pay now"), guard.Critical},
		{tap("com.shop", "Pay now (payment options)"), guard.Critical},
		{tap("com.shop", "Place order"), guard.Critical},
		{tap("com.ride", "Confirm", "Pick-up: home", "Total", "$12.40"), guard.Critical},
		{tap("com.ride", "确认", "合计", "¥12"), guard.Critical},
		{tap("com.app", "Upgrade for $9.99 a month"), guard.Critical},
		{button("Tap here to see all of the details of this and then pay now"), guard.Critical},
		{button("Pay now" + strings.Repeat(" and so on", 50)), guard.Critical},
		{tap("com.android.launcher3", "Uninstall"), guard.Sensitive},
		{tap("com.shop", "提交订单"), guard.Critical},
		{tap("com.shop", "Buy now"), guard.Critical},
		{tap("com.shop", "OK", "You will be charged $5"), guard.Critical},
		{tap("com.shop", "确定", "确认支付 30 元?"), guard.Critical},
		{tap("com.shop", "Transfer"), guard.Critical},
		{tap("com.tencent.mm", "转账"), guard.Critical},
		{tap("com.icbc", "Confirm"), guard.Critical},
		{tap("com.android.settings", "Erase all data (factory reset)"), guard.Critical},
		{tap("com.android.settings", "恢复出厂设置"), guard.Critical},
		{tap("com.android.settings", "Activate this device admin app"), guard.Critical},
		{tap("com.paypal.android.p2pmobile", "Visa 4242\nConfirm"), guard.Critical},
		{tap("com.android.vending", "$4.99"), guard.Critical},
		{icon("com.shop", "com.shop:id/btn_pay"), guard.Critical},
		{icon("com.shop", "com.shop:id/confirmPayment"), guard.Critical},
		{tap("com.shop", "Pay\u200bnow"), guard.Critical},
		{tap("com.shop", "Buy\u200bit\u2060now"), guard.Critical},
		{tap("com.shop", "Place\u200border"), guard.Critical},
		{tap("com.shop", "PayNow"), guard.Critical}, {tap("com.shop", "PAYNOW"), guard.Critical},
		{tap("com.shop", "Pay_now"), guard.Critical},
		{tap("com.shop", "SendMoney to Anna"), guard.Critical},
		{tap("com.shop", "🅿🅰🆈"), guard.Critical}, {tap("com.shop", "🅟🅐🅨"), guard.Critical},
		{tap("com.shop", "🇵🇦🇾"), guard.Critical},
		{icon("com.shop", "com.shop:id/btn_place_order"), guard.Critical},
		{icon("com.shop", "com.shop:id/place_order_button"), guard.Critical},
		{icon("com.shop", "com.shop:id/btn_order"), guard.Critical},
		{icon("com.shop", "com.shop:id/btn_buy"), guard.Critical},
		{icon("com.shop", "com.shop:id/iv_buynow"), guard.Critical},
		{icon("com.shop", "com.shop:id/paynow"), guard.Critical},
		{icon("com.shop", "com.shop:id/paybtn"), guard.Critical},
		{icon("com.shop", "com.shop:id/ll_pay_container"), guard.Critical},
		{icon("com.shop", "com.shop:id/tv_transfer"), guard.Critical},
		{icon("com.android.settings", "com.android.settings:id/wipe_data"), guard.Critical},
		{icon("com.notes", "com.notes:id/iv_delete"), guard.Sensitive},
		{icon("com.chat", "com.chat:id/img_send"), guard.Sensitive},
		{icon("com.shop", "", "Pay"), guard.Critical},
		{icon("com.eg.android.AlipayGphone", ""), guard.Critical},
		{said, guard.Critical}, {enter, guard.Critical}, {bankTyped, guard.Critical},
		{slide, guard.Critical}, {whole, guard.Critical}, {missing, guard.Critical},
		{pad, guard.Critical},
		{tap("com.notes", "Delete"), guard.Sensitive},
		{tap("com.notes", "全部删除"), guard.Sensitive},
		{tap("com.notes", "Yes", "Delete this note?"), guard.Sensitive},
		{tap("com.notes", "OK", "This cannot be undone"), guard.Sensitive},
		{tap("com.mail", "Send"), guard.Sensitive},
		{tap("com.mail", "发送"), guard.Sensitive},
		{tap("com.social", "Post"), guard.Sensitive},
		{tap("com.android.permissioncontroller", "While using the app"), guard.Sensitive},
		{tap("com.android.permissioncontroller", "Whatever"), guard.Sensitive},
		{tap("com.google.android.packageinstaller", "Install"), guard.Sensitive},
		{tap("com.android.vending", "Uninstall"), guard.Sensitive},
		{tap("com.social", "Log out"), guard.Sensitive},
		{tap("com.social", "退出登录"), guard.Sensitive},
		{tap("com.social", "Change password"), guard.Sensitive},
		{icon("com.notes", "com.notes:id/action_delete"), guard.Sensitive},
		{icon("com.chat", "com.chat:id/send_message_button"), guard.Sensitive},
		{typed, guard.Sensitive}, {secure, guard.Sensitive}, {tool, guard.Sensitive},
	} {
		d := builtin(t).Decide(c.s)
		require.Equal(t, guard.Ask, d.Verdict, "%+v %+v", c.s, c.s.Element)
		require.Equal(t, c.want, d.Severity, "%+v: %s", c.s.Element, d.Reason)
		require.NotEmpty(t, d.Reason)
		require.Equal(t, guard.Decisions, d.Allowed)
		require.True(t, strings.HasPrefix(d.Rule, "built-in: "), d.Rule)
	}
}

// Typing touches the place that it names first, a line break may be the enter key, and the enter
// key presses what has the focus.
func TestTypingMayPressButtons(t *testing.T) {
	at := map[string]any{"at": map[string]any{"x": 0.5, "y": 0.9}}
	pay := &guard.Element{Text: "Pay now", Class: "android.widget.Button"}
	icon := &guard.Element{ResourceID: "com.shop:id/btn_pay", Class: "android.widget.ImageButton"}
	note := &guard.Element{Text: "Send a message", Class: "android.widget.EditText"}
	screen := []string{"Total", "$30.00", "Pay now"}
	enter := map[string]any{"key": "ENTER"}
	for _, c := range []struct {
		s    guard.Subject
		want guard.Verdict
	}{
		{guard.Subject{Action: "TYPE", Args: at, Typed: "x", Element: pay}, guard.Ask},
		{guard.Subject{Action: "TYPE", Args: at, Typed: "x", Element: icon}, guard.Ask},
		{guard.Subject{Action: "TYPE", Typed: "x\ny", Element: note, Screen: screen}, guard.Ask},
		{guard.Subject{Action: "TYPE", Typed: "x\ry", Element: note, Screen: screen}, guard.Ask},
		{guard.Subject{Action: "HOT_KEY", Args: enter, Element: icon}, guard.Ask},
		{guard.Subject{Action: "HOT_KEY", Args: enter, Element: pay}, guard.Ask},
		{guard.Subject{Action: "TYPE", Args: at, Typed: "x", Element: note}, guard.Allow},
		{guard.Subject{Action: "TYPE", Typed: "milk\neggs", Element: note,
			Screen: []string{"Shopping", "Delete"}}, guard.Allow},
		{guard.Subject{Action: "TYPE", Typed: "x", Element: pay}, guard.Allow},
	} {
		c.s.App = "com.shop"
		require.Equal(t, c.want, builtin(t).Decide(c.s).Verdict, "%+v %+v", c.s, c.s.Element)
	}
}

func TestBuiltInRulesLeaveTheRestAlone(t *testing.T) {
	scroll := tap("com.shop", "Pay now")
	scroll.Action = "SCROLL"
	swipe := tap("com.shop", "Pay now")
	swipe.Action = "SLIDE"
	search := guard.Subject{Action: "TYPE", App: "com.shop", Args: map[string]any{"submit": true},
		Typed: "shoes", Element: &guard.Element{ResourceID: "com.shop:id/search_src_text"},
		Screen: []string{"Buy now"}}
	disguised := search
	for _, shows := range [][]string{{"Total", "$30.00", "Pay now"}, {"Coupon", "Pay $12"},
		{"合计", "¥30"}, {"支付 ¥30"}, {"Confirm payment to Anna?"}} {
		disguised.Screen = shows
		require.Equal(t, guard.Critical, builtin(t).Decide(disguised).Severity, shows)
	}
	for _, s := range []guard.Subject{
		scroll, swipe, search, {Action: "BACK", App: "com.icbc"}, {Action: "HOME"},
		{Action: "AWAKE", Args: map[string]any{"app": "Alipay"}},
		tap("com.shop", "Details"), tap("com.shop", "Add to cart"), tap("com.shop", "Checkout"),
		tap("com.shop", "Payment methods"), tap("com.shop", "支付方式"), tap("com.shop", "待付款"),
		tap("com.shop", "Payments"), tap("com.shop", "My orders"), tap("com.shop", "Order history"),
		tap("com.shop", "Cancel", "Delete this note?", "OK"), tap("com.shop", "取消", "确认支付?"),
		tap("com.shop", "OK", "Order placed", "Paid ¥30"), tap("com.notes", "Don't delete"),
		tap("com.android.permissioncontroller", "Don't allow"),
		tap("com.android.permissioncontroller", "拒绝"),
		tap("com.google.android.packageinstaller", "Cancel"),
		tap("com.android.launcher3", "Best Buy"), tap("com.android.launcher3", "支付宝"),
		tap("com.chat", "Mom\nYou: please pay me and delete this\n12:00"),
		tap("com.social", "Posts"), tap("com.social", "Sent"), tap("com.social", "New post"),
		tap("com.social", "Forgot password?"), tap("com.weather", "Clear sky"),
		tap("com.mail", "Recently deleted"), tap("com.login", "Send code"),
		tap("com.login", "发送验证码"),
		tap("com.android.calculator2", "delete", "1", "2", "3", "4", "5", "6", "7", "8", "9"),
		tap("com.shop", "Google Pay"),
		icon("com.shop", "com.shop:id/payment_summary", "Total"), icon("com.shop", ""),
		tap("com.news", "The best places of the whole wide town to buy shoes"),
		tap("com.ride", "Next", "Total", "$12.40"), tap("com.shop", "Confirm", "Your address"),
		tap("com.icbc", "Balance"), tap("com.android.vending", "Open"),
		tap("com.settings", "Installed apps"), tap("com.social", "Subscribe"),
	} {
		d := builtin(t).Decide(s)
		require.Equal(t, guard.Allow, d.Verdict, "%+v %+v: %s", s, s.Element, d.Reason)
	}
}

func TestATaskConsentsToWhatItNames(t *testing.T) {
	for _, c := range []struct {
		task, button string
		more         []string
		want         guard.Verdict
	}{
		{"send it to Anna", "Send", nil, guard.Allow},
		{"把文件发给小王", "发送", nil, guard.Allow},
		{"Text Anna that I am late", "Send", nil, guard.Allow},
		{"delete the note about milk", "OK", []string{"Delete this note?"}, guard.Allow},
		{"log out of the shop", "Log out", nil, guard.Allow},
		{"look at the mail", "Send", nil, guard.Ask},
		{"write a mail to Anna, but do not send it", "Send", nil, guard.Ask},
		{"Never delete anything. Tidy up", "Delete", nil, guard.Ask},
		{"不要删除任何内容", "删除", nil, guard.Ask},
		{`note down "delete everything"`, "Delete", nil, guard.Ask},
		{"send it to Anna", "Delete", nil, guard.Ask},
		{"pay the bill, I approve it", "Pay", nil, guard.Ask},
		{"支付账单", "支付", nil, guard.Ask},
		{"look at the texture", "Send", nil, guard.Ask},
		{"tell me what the mail of Anna says", "Send", nil, guard.Ask},
		{"告诉我邮件里写了什么", "发送", nil, guard.Ask},
		{"发现附近的餐厅", "发送", nil, guard.Ask},
		{"read the posts", "Post", nil, guard.Ask},
		{"log in with the password 1234", "Change password", nil, guard.Ask},
		{"email Anna", "Send", nil, guard.Allow},
		{"Open the notes and delete the note Groceries", "Delete", nil, guard.Allow},
		{"I want you to uninstall Foo", "Uninstall", nil, guard.Allow},
		{"找到购物清单并删除", "删除", nil, guard.Allow},
		{"delete all notes", "Delete all notes", nil, guard.Allow},
		{"Tell me which of my notes is empty", "Delete", nil, guard.Ask},
		{"find an empty note", "Delete", nil, guard.Ask},
		{"find a clear photo", "Delete", nil, guard.Ask},
		{"remove the shirt from the cart", "Delete account", nil, guard.Ask},
		{"delete the note Groceries", "Delete all notes", nil, guard.Ask},
		{"install the app Foo", "Uninstall", nil, guard.Ask},
		{"uninstall Foo", "Install", nil, guard.Ask},
		{"reply to Anna", "Publish", nil, guard.Ask},
		{"find out what Tom will send me", "Send", nil, guard.Ask},
		{"看看小王要发送给我什么", "发送", nil, guard.Ask},
		{"send it to Anna. No, do not send it", "Send", nil, guard.Ask},
		{"send nothing to Anna", "Send", nil, guard.Ask},
		{"write to Anna; I will send it myself", "Send", nil, guard.Ask},
		{"reply to Anna, I'll send it", "Send", nil, guard.Ask},
		{"写好短信,由我发送", "发送", nil, guard.Ask},
		{"给小王写短信,我自己来发送", "发送", nil, guard.Ask},
		{"发送什么都不要", "发送", nil, guard.Ask},
		{"delete nothing", "Delete", nil, guard.Ask},
		{"delete it never", "Delete", nil, guard.Ask},
		{"check what was deleted; delete none of them", "Delete", nil, guard.Ask},
		{"Delete? No. Only look.", "Delete", nil, guard.Ask},
		{"删除?不。只看一看", "删除", nil, guard.Ask},
		{"I want to send it to Anna", "Send", nil, guard.Ask},
		{"delete the first note, no others are there", "Delete", nil, guard.Allow},
		{"Get the latest news", "Install", nil, guard.Ask},
		{"Update my status", "Install", nil, guard.Ask},
		{"Get the Spotify app", "Install", nil, guard.Allow},
		{"Give me a summary of the news", "Allow", nil, guard.Ask},
		{"Turn on dark mode", "Allow", nil, guard.Ask},
		{"Turn on the location", "Allow", nil, guard.Allow},
		{"Give the app access to my photos", "Allow", nil, guard.Allow},
		{"Mail app: find the newest mail", "Send", nil, guard.Ask},
		{"Text colour should be blue", "Send", nil, guard.Ask},
		{"Let me know the price", "Send", nil, guard.Ask},
		{"Let Anna know the price", "Send", nil, guard.Allow},
		{"Share price of Apple", "Post", nil, guard.Ask},
		{"Post office opening hours", "Post", nil, guard.Ask},
		{"Post about the holidays", "Post", nil, guard.Allow},
	} {
		s := tap("com.app", c.button, c.more...)
		s.Task = c.task
		d := builtin(t).Decide(s)
		require.Equal(t, c.want, d.Verdict, "%s: %s (%s)", c.task, c.button, d.Reason)
		if d.Verdict == guard.Allow {
			require.Contains(t, d.Reason, "the task asks for it")
		}
		anyway, err := guard.New(&guard.Options{AskAnyway: true})
		require.NoError(t, err)
		require.Equal(t, guard.Ask, anyway.Decide(s).Verdict)
	}
}

func TestReasonsAreChineseForChinese(t *testing.T) {
	p, err := guard.New(&guard.Options{Lang: "zh"})
	require.NoError(t, err)
	require.Equal(t, `可能会付款：手指下是 "支付"`, p.Decide(tap("com.x", "支付")).Reason)
	require.Equal(t, `it may pay money: "pay" is under the finger`,
		builtin(t).Decide(tap("com.x", "Pay")).Reason)
}

func BenchmarkDecide(b *testing.B) {
	p, err := guard.New(&guard.Options{})
	require.NoError(b, err)
	s := tap("com.shop", "OK")
	for i := range 200 {
		s.Screen = append(s.Screen, fmt.Sprintf("an offer of the day, number %d, for you", i))
	}
	for b.Loop() {
		p.Decide(s)
	}
}

// label is a button of a page as its arrangement shows it.
func label(text string, l guard.Layout) guard.Subject {
	s := tap("com.app", text, l.Words...)
	s.Layout = &l
	return s
}

// What the arrangement of a screen says counts in any language.
func TestTheArrangementOfAScreenIsJudgedInAnyLanguage(t *testing.T) {
	p := builtin(t)
	ends := guard.Layout{Button: true, Primary: true}
	beside := func(sum string) guard.Layout {
		l := ends
		l.Words = []string{sum}
		return l
	}
	tile := guard.Layout{Peer: true}
	card := ends
	card.Fields = []string{"Číslo karty"}
	for _, c := range []struct {
		s    guard.Subject
		want guard.Severity
	}{
		{label("Confirm", beside("Amount $500.00")), guard.Critical},
		{label("Dokončit", beside("Celkem 1 290 Kč")), guard.Critical},
		{label("Jatka", beside("25,00 €")), guard.Critical},
		{label("确定", beside("金额 ¥500.00")), guard.Critical},
		{label("تم", beside("٥٠٠ ر.س")), guard.Critical},
		{label("OK", beside("790 pts")), guard.Critical},
		{label("$9.99", ends), guard.Critical},
		{label("Hotovo", card), guard.Critical},
		{label("Add to cart", beside("$30")), guard.Routine},
		{label("Přidat do košíku", beside("299 Kč")), guard.Routine},
		{label("OK", beside("Level 3")), guard.Routine},
		{label("See translation", beside("Imum3D")), guard.Routine},
		{label("Pay", tile), guard.Routine},
		{label("Pay now", tile), guard.Critical},
		{label("5", guard.Layout{Pad: true}), guard.Sensitive},
		{label("ลบ", guard.Layout{Pad: true}), guard.Routine},
		{label("Clear", guard.Layout{Clears: true}), guard.Routine},
		{label("Clear", guard.Layout{}), guard.Sensitive},
		{label("一键下单", ends), guard.Critical},
		{label("Release payment", ends), guard.Critical},
		{label("Book ride", ends), guard.Critical},
		{label("Tap to order", ends), guard.Critical},
		{label("下单记录", ends), guard.Routine},
		{label("Order history", ends), guard.Routine},
		{label("待收货", ends), guard.Routine},
		{label("Call now", ends), guard.Sensitive},
		{label("Выйти", ends), guard.Sensitive},
	} {
		require.Equal(t, c.want, p.Decide(c.s).Severity, "%s %+v", c.s.Element.Text, *c.s.Layout)
	}
	said := label("Next", ends)
	said.Act = "tap Pay now to pay $30"
	require.Equal(t, guard.Critical, p.Decide(said).Severity, "what the model says only raises")
	said.Act = "open the page about payments"
	require.Equal(t, guard.Routine, p.Decide(said).Severity)
}

// What the rules ask about, what leads somewhere and what says yes or no is known. All else is
// unknown, also a label that says no in a language by its ending alone, a verb that the place of
// its button took back, and a yes to what a dialog asks.
func TestALabelIsKnownOrNot(t *testing.T) {
	for _, known := range []string{"", "Pay now", "Cancel", "OK", "加入购物车", "Удалить"} {
		require.False(t, builtin(t).Unknown(tap("com.x", known)), known)
	}
	for _, unknown := range []string{"Frobnicate", "Vyřídit", "გაგზავნა", "Trust me", "取消挂号",
		"Choose and consent"} {
		require.True(t, builtin(t).Unknown(tap("com.x", unknown)), unknown)
	}
	send := tap("com.x", "Send")
	send.Layout = &guard.Layout{Peer: true}
	require.True(t, builtin(t).Unknown(send))

	yes := tap("com.x", "OK", "Swap the frobs?", "Cancel")
	yes.Layout = &guard.Layout{Dialog: true, Title: "Frobs", Words: []string{"Swap the frobs?"}}
	require.True(t, builtin(t).Unknown(yes))
	require.Equal(t, "Swap the frobs?: ok", yes.Label())
	yes.Layout.Alone = true
	require.False(t, builtin(t).Unknown(yes), "there is nothing to decide")
}

func TestAFieldForAPINIsOneByItsNameToo(t *testing.T) {
	named := func(name string, names ...string) guard.Decision {
		return builtin(t).Decide(guard.Subject{Action: "TYPE", App: "com.x", Typed: "1234",
			Element: &guard.Element{Class: "android.widget.EditText", Text: name},
			Layout:  &guard.Layout{Names: names}})
	}
	for _, name := range []string{"PIN", "支付密码", "Geheimzahl", "UPI PIN", "暗証番号", "Heslo", "Jelszó",
		"Mot de passe", "Salasana", "Κωδικός πρόσβασης", "סיסמה", "パスワード", "비밀번호", "পাসওয়ার্ড"} {
		assert.Equal(t, guard.Ask, named(name).Verdict, name)
		assert.Equal(t, named("", name).Rule, named(name).Rule, name)
	}
	s := guard.Subject{Action: "TYPE", App: "com.x", Typed: "a new word",
		Element: &guard.Element{Class: "android.widget.EditText", Text: "Password"}}
	assert.Equal(t, guard.Allow, builtin(t).Decide(s).Verdict, "what everybody can read is none")
	for _, name := range []string{"Pinterest", "Name", "Shopping list", "Pink", "Forgot password?",
		"Search", "Titel"} {
		assert.Equal(t, guard.Allow, named(name).Verdict, name)
	}
}
