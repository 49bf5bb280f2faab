package sandbox

import (
	"embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// lists are the values from which AndroidWorld draws parameters, one a line.
//
//go:embed drawn
var lists embed.FS

// line draws a value of a list.
func line(r *rand.Rand, list string) string {
	b, _ := lists.ReadFile("drawn/" + list + ".txt") // embedded
	return one(r, strings.Split(strings.TrimSpace(string(b)), "\n")...)
}

func number(r *rand.Rand) string { return fmt.Sprintf("+1%010d", r.Int64N(10_000_000_000)) }

func fullName(r *rand.Rand) string { return line(r, "given_names") + " " + line(r, "family_names") }

// inFront wants an app in front, on one of its pages, or on any where page is "".
func inFront(h *apps.Host, pkg, page string) error {
	return want(h.Front == pkg && (page == "" || h.Page == page), "%s%s is in front, want %s%s",
		h.Front, h.Page, pkg, page)
}

// wifiIs wants Wi-Fi on or off. Under airplane mode, 2 is on as well.
func wifiIs(h *apps.Host, on bool) error {
	now, _ := h.Settings.Get(apps.Global, "wifi_on")
	return want((now == "1" || now == "2") == on && (on || now == "0"), "wifi_on is %s", now)
}

func wifiAndBluetooth(r *rand.Rand) []Task {
	return drawn(r, "TurnOffWifiAndTurnOnBluetooth", 2, nil,
		"Turn off WiFi, then enable bluetooth", "关闭无线网络，然后打开蓝牙。",
		func(h *apps.Host) {
			h.Settings.Put(apps.Global, "wifi_on", "1")
			h.Settings.Put(apps.Global, "bluetooth_on", "0")
		}, func(h *apps.Host) []error {
			return []error{wifiIs(h, false),
				want(h.Settings.Bool(apps.Global, "bluetooth_on"), "Bluetooth is off")}
		})
}

// openable are the apps that a task opens, as AndroidWorld names them.
var openable = [][3]string{{"camera", "相机", "com.android.camera2"},
	{"clock", "时钟", "com.android.deskclock"}, {"contacts", "通讯录", "com.android.contacts"},
	{"settings", "设置", "com.android.settings"}, {"dialer", "拨号", "com.android.dialer"}}

// opened are tasks that end with an app in front.
func opened(r *rand.Rand) []Task {
	app := one(r, openable...)
	params := map[string]string{"app_name": app[0]}
	list := drawn(r, "OpenAppTaskEval", 1, params,
		"Open the {app_name} app. Clear any pop-ups that may appear by granting all permissions "+
			"that are required.",
		"打开“"+app[1]+"”，并关闭弹出的窗口。", nil, func(h *apps.Host) []error {
			return []error{inFront(h, app[2], "")}
		})
	return append(list, drawn(r, "TurnOnWifiAndOpenApp", 2, params,
		"Turn on Wifi, then open the {app_name} app", "打开无线网络，然后打开“"+app[1]+"”。",
		func(h *apps.Host) { h.Settings.Put(apps.Global, "wifi_on", "0") },
		func(h *apps.Host) []error {
			return []error{inFront(h, app[2], ""), wifiIs(h, true)}
		})...)
}

func copied(r *rand.Rand) []Task {
	params := map[string]string{"clipboard_content": line(r, "clipboard")}
	return drawn(r, "SystemCopyToClipboard", 1, params,
		"Copy the following text to the clipboard: {clipboard_content}",
		"把这段文字复制到剪贴板：{clipboard_content}",
		func(h *apps.Host) { h.Data.Clip = "~~~RESET~~~" },
		func(h *apps.Host) []error {
			return []error{want(alike(params["clipboard_content"], h.Data.Clip),
				"the clipboard has %q", h.Data.Clip)}
		})
}

// timed are tasks of the stopwatch and the timer, with what these have to show.
func timed(r *rand.Rand) []Task {
	watch := func(id, en, zh string, runs bool) []Task {
		return drawn(r, id, 1, nil, en, zh, nil, func(h *apps.Host) []error {
			return []error{inFront(h, "com.taploop.sandbox.timers", ".Timers"),
				want(h.Data.Timers.Since.IsZero() != runs, "the stopwatch runs: %t", !runs)}
		})
	}
	hours, minutes, seconds := r.IntN(24), r.IntN(60), r.IntN(60)
	params := map[string]string{"hours": fmt.Sprint(hours), "minutes": fmt.Sprint(minutes),
		"seconds": fmt.Sprint(seconds)}
	set := fmt.Sprintf("%02d:%02d:%02d", hours, minutes, seconds)
	list := append(watch("ClockStopWatchRunning", "Run the stopwatch.", "启动秒表。", true),
		watch("ClockStopWatchPausedVerify", "Pause the stopwatch.", "暂停秒表。", false)...)
	return append(list, drawn(r, "ClockTimerEntry", 3, params, "Create a timer with {hours} "+
		"hours, {minutes} minutes, and {seconds} seconds. Do not start the timer.",
		"设置一个 {hours} 小时 {minutes} 分 {seconds} 秒的计时器，不要启动。", nil,
		func(h *apps.Host) []error {
			w := h.Data.Timers
			return []error{inFront(h, "com.taploop.sandbox.timers", ".Timer"),
				want(w.Set() == set && w.Ends.IsZero(), "the timer is at %s, want %s", w.Set(),
					set)}
		})...)
}

// saved wants a contact of that name and number.
func saved(h *apps.Host, name, number string) error {
	c := apps.First(h.Data.Contacts, func(c *apps.Contact) bool {
		return c.Name() == name && apps.Digits(c.Number) == apps.Digits(number)
	})
	return want(c != nil, "there is no contact %s with the number %s", name, number)
}

func newContact(r *rand.Rand) []Task {
	params := map[string]string{"name": fullName(r), "number": number(r)}
	list := drawn(r, "ContactsAddContact", 1, params,
		"Create a new contact for {name}. Their number is {number}.",
		"新建联系人 {name}，电话是 {number}。", func(h *apps.Host) { h.Data.Contacts = nil },
		func(h *apps.Host) []error {
			return []error{saved(h, params["name"], params["number"])}
		})
	draft := map[string]string{"first": line(r, "first_names"), "last": line(r, "last_names"),
		"phone":       fmt.Sprintf("%d-%d-%d", 100+r.IntN(900), 100+r.IntN(900), 1000+r.IntN(9000)),
		"phone_label": one(r, "Home", "Work")}
	return append(list, drawn(r, "ContactsNewContactDraft", 2, draft,
		"Go to the new contact screen and enter the following details: First Name: {first}, "+
			"Last Name: {last}, Phone: {phone}, Phone Label: {phone_label}. Do NOT hit save.",
		"打开新建联系人页面并填写：名字 {first}，姓氏 {last}，电话 {phone}，标签 {phone_label}。不要保存。",
		nil,
		func(h *apps.Host) []error {
			c := h.Data.Draft
			return []error{inFront(h, "com.android.contacts", ".ContactEditor"),
				want(c != nil && alike(c.First, draft["first"]) && alike(c.Last, draft["last"]) &&
					apps.Digits(c.Number) == apps.Digits(draft["phone"]) &&
					c.Label == draft["phone_label"], "the draft is %+v", c)}
		})...)
}

// texted is a task that has a message sent to a number. The phone has no messages but those that
// arrive sets up. Scored is how recent the message has to be, and that Messages is in front.
func texted(r *rand.Rand, id string, grade int, params map[string]string, en, zh string,
	arrive func(*apps.Host)) []Task {
	return drawn(r, id, grade, params, en, zh, noMessages(arrive), func(h *apps.Host) []error {
		return []error{inFront(h, "com.android.messaging", ""), sent(h, params["number"],
			func(m *apps.SMS) bool {
				return alike(m.Text, params["message"]) && h.Now().Sub(m.At) <= 5*time.Minute
			})}
	})
}

func noMessages(arrive func(*apps.Host)) func(*apps.Host) {
	return func(h *apps.Host) {
		h.Data.Threads = nil
		h.Settings.Put(apps.Global, "airplane_mode_on", "0")
		if arrive != nil {
			arrive(h)
		}
	}
}

// sent wants a message to a number for which ok holds.
func sent(h *apps.Host, number string, ok func(*apps.SMS) bool) error {
	list := h.Data.SentTo(number)
	return want(apps.First(list, ok) != nil, "of %d messages to %s none is as wanted", len(list),
		number)
}

func sms(r *rand.Rand) []Task {
	params := func() map[string]string {
		return map[string]string{"number": number(r), "message": line(r, "sentences")}
	}
	plain, reply, newest, clip := params(), params(), params(), params()
	list := texted(r, "SimpleSmsSend", 2, plain,
		"Send a text message using Simple SMS Messenger to {number} with message: {message}",
		"给 {number} 发短信，内容是：{message}", nil)
	list = append(list, texted(r, "SimpleSmsReply", 1, reply,
		"Reply to {number} with message: {message} in Simple SMS Messenger",
		"回复 {number}，内容是：{message}", strangers(r, 1+r.IntN(5), reply["number"], false))...)
	list = append(list, texted(r, "SimpleSmsReplyMostRecent", 2, newest,
		"Reply to the most recent text message using Simple SMS Messenger with message: {message}",
		"回复最近收到的短信，内容是：{message}", strangers(r, r.IntN(6), newest["number"], true))...)
	return append(list, texted(r, "SimpleSmsSendClipboardContent", 2, clip,
		"Send a message to {number} with the clipboard content in Simple SMS Messenger",
		"把剪贴板内容用短信发给 {number}。",
		func(h *apps.Host) { h.Data.Clip = clip["message"] })...)
}

// strangers are so many messages of numbers that are not known, with one of a number among them, or
// after them.
func strangers(r *rand.Rand, n int, number string, last bool) func(*apps.Host) {
	seed, at := r.Uint64(), n
	if !last {
		at = r.IntN(n + 1)
	}
	return func(h *apps.Host) {
		r := rand.New(rand.NewPCG(seed, 2))
		for i := range n + 1 {
			from := fmt.Sprintf("+1%010d", r.Int64N(10_000_000_000))
			if i == at {
				from = number
			}
			h.Data.Receive(from, from, line(r, "sentences"),
				h.Now().Add(time.Duration(i-n)*time.Second))
		}
	}
}

func forwarded(r *rand.Rand) []Task {
	params := map[string]string{"name1": fullName(r), "number": number(r),
		"message": line(r, "addresses"), "name2": fullName(r)}
	for params["name2"] == params["name1"] {
		params["name2"] = fullName(r)
	}
	from := number(r)
	list := texted(r, "SimpleSmsSendReceivedAddress", 3, params,
		"Text the address of the event to {name1} that {name2} just sent me in Simple SMS "+
			"Messenger",
		"把 {name2} 刚发来的活动地址用短信发给 {name1}。", func(h *apps.Host) {
			h.Data.Save(&apps.Contact{First: params["name1"], Number: params["number"]})
			h.Data.Save(&apps.Contact{First: params["name2"], Number: from})
			h.Data.Receive(params["name2"], from, params["message"], h.Now())
		})
	again := map[string]string{"name": fullName(r), "number": number(r),
		"message": line(r, "sentences")}
	return append(list, drawn(r, "SimpleSmsResend", 2, again,
		"Resend the message I just sent to {name} in Simple SMS Messenger",
		"把我刚发给 {name} 的短信再发一次。", noMessages(func(h *apps.Host) {
			h.Data.Save(&apps.Contact{First: again["name"], Number: again["number"]})
			h.Data.Send(again["name"], again["number"], again["message"], h.Now())
			h.Data.Receive(again["name"], again["number"],
				"Sorry, there was a glitch, what was the last message you sent me?", h.Now())
		}), func(h *apps.Host) []error {
			all := h.Data.SentTo("")
			other := func(m *apps.SMS) bool { return !alike(m.Text, again["message"]) }
			return []error{want(len(all) == 2 && apps.First(all, other) == nil &&
				len(h.Data.SentTo(again["number"])) == 2, "%d messages were sent", len(all)-1)}
		})...)
}

// alike compares texts as AndroidWorld does: in any case, nine tenths of their signs are in the
// same order, by the longest parts that they have in common.
func alike(a, b string) bool {
	x, y := []rune(strings.ToLower(a)), []rune(strings.ToLower(b))
	all := float64(len(x) + len(y))
	if 2*float64(min(len(x), len(y))) < 0.9*all {
		return false
	}
	return all == 0 || 2*float64(common(x, y)) >= 0.9*all
}

// common counts the signs of the longest common part, and of those on its left and its right.
func common(a, b []rune) int {
	best, ai, bi := 0, 0, 0
	before := make([]int, len(b)+1) // lengths of the parts that end at the sign before in a
	for i := range a {
		now := make([]int, len(b)+1)
		for j := range b {
			if a[i] == b[j] {
				if now[j+1] = before[j] + 1; now[j+1] > best {
					best, ai, bi = now[j+1], i+1, j+1
				}
			}
		}
		before = now
	}
	if best == 0 {
		return 0
	}
	return common(a[:ai-best], b[:bi-best]) + best + common(a[ai:], b[bi:])
}
