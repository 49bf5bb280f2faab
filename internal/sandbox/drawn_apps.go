package sandbox

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// brightness are the ends of the scale, to be set, and to be left as they are.
func brightness(r *rand.Rand) (list []Task) {
	for _, end := range []struct{ id, value, en, zh string }{
		{"SystemBrightnessMax", "255", "Turn brightness to the max value.", "把亮度调到最大。"},
		{"SystemBrightnessMin", "1", "Turn brightness to the min value.", "把亮度调到最小。"},
	} {
		for _, id := range []string{end.id, end.id + "Verify"} {
			before := map[string]string{"1": "255", "255": "1"}[end.value]
			if id != end.id {
				before = end.value
			}
			list = append(list, drawn(r, id, 2, nil, end.en, end.zh, func(h *apps.Host) {
				h.Settings.Put(apps.System, "screen_brightness", before)
			}, func(h *apps.Host) []error {
				now, _ := h.Settings.Get(apps.System, "screen_brightness")
				return []error{want(now == end.value, "the brightness is %s, want %s", now,
					end.value)}
			})...)
		}
	}
	return list
}

// opened are tasks that end with an app in front.
func opened(r *rand.Rand) []Task {
	app := one(r, apps.More()[1:6]...)
	params := map[string]string{"app_name": app.EN}
	there := func(h *apps.Host) error {
		return want(h.Front == app.Package, "%s is in front, want %s", h.Front, app.Package)
	}
	list := drawn(r, "OpenAppTaskEval", 1, params,
		"Open the {app_name} app. Clear any pop-ups that may appear by granting all permissions "+
			"that are required.",
		"打开“"+app.ZH+"”，并关闭弹出的窗口。", nil, func(h *apps.Host) []error {
			return []error{there(h), want(app.EN != "Weather" || h.Data.Rated != "",
				"the app still asks to be rated")}
		})
	return append(list, drawn(r, "TurnOnWifiAndOpenApp", 2, params,
		"Turn on Wifi, then open the {app_name} app", "打开无线网络，然后打开“"+app.ZH+"”。",
		func(h *apps.Host) { h.Settings.Put(apps.Global, "wifi_on", "0") },
		func(h *apps.Host) []error {
			return []error{there(h), want(h.Settings.Bool(apps.Global, "wifi_on"), "Wi-Fi is off")}
		})...)
}

func copied(r *rand.Rand) []Task {
	params := map[string]string{"clipboard_content": one(r, "1234 Elm St, Springfield",
		"Acme Corp, Suite 200", "Flight 815, gate 23", "Order 77412")}
	return drawn(r, "SystemCopyToClipboard", 1, params,
		"Copy the following text to the clipboard: {clipboard_content}",
		"把这段文字复制到剪贴板：{clipboard_content}", nil,
		func(h *apps.Host) []error {
			return []error{want(h.Data.Clip == params["clipboard_content"],
				"the clipboard has %q", h.Data.Clip)}
		})
}

// stopwatches are to run, and to be paused.
func stopwatches(r *rand.Rand) []Task {
	list := drawn(r, "ClockStopWatchRunning", 1, nil, "Run the stopwatch.", "启动秒表。", nil,
		func(h *apps.Host) []error {
			return []error{want(!h.Data.Timers.Since.IsZero(), "the stopwatch does not run")}
		})
	return append(list, drawn(r, "ClockStopWatchPausedVerify", 1, nil, "Pause the stopwatch.",
		"暂停秒表。", func(h *apps.Host) {
			h.Data.Timers.Ran, h.Data.Timers.Started = 5*time.Second, true
		}, func(h *apps.Host) []error {
			w := h.Data.Timers
			return []error{want(w.Started && w.Since.IsZero(), "the stopwatch runs")}
		})...)
}

func newTimer(r *rand.Rand) []Task {
	params, set := map[string]string{}, ""
	for i, n := range r.Perm(9)[:6] { // each digit once, so that it is known which is which
		digit := strconv.Itoa(n + 1)
		params[[]string{"h1", "h2", "m1", "m2", "s1", "s2"}[i]] = digit
		set += digit
	}
	w := apps.Timers{Digits: set}
	return drawn(r, "ClockTimerEntry", 3, params, "Create a timer with {h1}{h2} hours, {m1}{m2} "+
		"minutes, and {s1}{s2} seconds. Do not start the timer.",
		"设置一个 {h1}{h2} 小时 {m1}{m2} 分 {s1}{s2} 秒的计时器，不要启动。", nil,
		func(h *apps.Host) []error {
			got := h.Data.Timers
			return []error{want(got.Digits == set && got.Ends.IsZero(),
				"the timer is at %s, want %s",
				got.Set(), w.Set())}
		})
}

var firstNames, lastNames = []string{"Nadia", "Omar", "Lucia", "Ivan", "Grace"},
	[]string{"Roth", "Haddad", "Moreno", "Petrov", "Okafor"}

func newContact(r *rand.Rand) []Task {
	params := map[string]string{"first": one(r, firstNames...), "last": one(r, lastNames...),
		"number": number(r)}
	name := params["first"] + " " + params["last"]
	list := drawn(r, "ContactsAddContact", 1, params,
		"Create a new contact for {first} {last}. Their number is {number}.",
		"新建联系人 {first} {last}，电话是 {number}。", nil, func(h *apps.Host) []error {
			c := h.Data.Contact(name)
			return []error{want(c != nil && c.Number == params["number"],
				"there is no such contact")}
		})
	draft := map[string]string{"first": params["first"], "last": params["last"],
		"phone": params["number"], "phone_label": one(r, "Home", "Work")}
	return append(list, drawn(r, "ContactsNewContactDraft", 2, draft,
		"Go to the new contact screen and enter the following details: First Name: {first}, "+
			"Last Name: {last}, Phone: {phone}, Phone Label: {phone_label}. Do NOT hit save.",
		"打开新建联系人页面并填写：名字 {first}，姓氏 {last}，电话 {phone}，标签 {phone_label}。不要保存。",
		nil,
		func(h *apps.Host) []error {
			c := h.Data.Draft
			return []error{want(h.Data.Contact(name) == nil, "it was saved"), want(c != nil &&
				*c == apps.Contact{First: params["first"], Last: params["last"],
					Number: draft["phone"], Label: draft["phone_label"]},
				"the draft is not as wanted")}
		})...)
}

// latest are tasks about messages of the moment.
func latest(r *rand.Rand) (list []Task) {
	params := map[string]string{"message": one(r, smsTexts...)}
	from := number(r)
	list = drawn(r, "SimpleSmsReplyMostRecent", 2, params,
		"Reply to the most recent text message using Simple SMS Messenger with message: {message}",
		"回复最近收到的短信，内容是：{message}", nil, func(h *apps.Host) []error {
			got := h.Data.Sent(from)
			return []error{want(len(got) == 1 && got[0] == params["message"], "sent: %q", got)}
		})
	list[0].prepare = after(list[0].prepare, func(h *apps.Host) {
		h.Data.Receive(from, from, "Who is this?", h.Now())
	})
	clip := map[string]string{"number": number(r)}
	text := one(r, "5th of May", "Room 12", "ABC-778")
	return append(list, drawn(r, "SimpleSmsSendClipboardContent", 2, clip,
		"Send a message to {number} with the clipboard content in Simple SMS Messenger",
		"把剪贴板内容用短信发给 {number}。",
		func(h *apps.Host) { h.Data.Clip = text }, func(h *apps.Host) []error {
			got := h.Data.Sent(clip["number"])
			return []error{want(len(got) == 1 && got[0] == text, "sent: %q", got)}
		})...)
}

// after is a preparation that ends with f.
func after(prepare, f func(*apps.Host)) func(*apps.Host) {
	return func(h *apps.Host) {
		prepare(h)
		f(h)
	}
}

func forwarded(r *rand.Rand) []Task {
	from, to := number(r), number(r)
	address := one(r, "123 Main St", "456 Elm Street", "789 Pine Lane")
	params := map[string]string{"from": from, "to": to}
	list := drawn(r, "SimpleSmsSendReceivedAddress", 3, params,
		"Text the address of the event to {to} that {from} just sent me in Simple SMS Messenger",
		"把 {from} 刚发来的活动地址用短信发给 {to}。", func(h *apps.Host) {
			h.Data.Receive(from, from, address, h.Now())
		}, func(h *apps.Host) []error {
			got := h.Data.Sent(to)
			return []error{want(len(got) == 1 && got[0] == address, "sent: %q", got)}
		})
	name, text := number(r), one(r, smsTexts...)
	return append(list, drawn(r, "SimpleSmsResend", 2, map[string]string{"name": name},
		"Resend the message I just sent to {name} in Simple SMS Messenger", "把我刚发给 {name} 的短信再发一次。",
		func(h *apps.Host) { h.Data.Send(name, name, text, h.Now()) },
		func(h *apps.Host) []error {
			got := h.Data.Sent(name)
			return []error{want(len(got) == 2 && got[1] == text, "sent: %q", got)}
		})...)
}

func newEvent(r *rand.Rand) []Task {
	params := map[string]string{"title": one(r, "Yoga", "Parents' evening", "Oil change", "Chess"),
		"day": fmt.Sprint(22 + r.IntN(7)), "hour": fmt.Sprintf("%02d", 10+r.IntN(12))}
	return drawn(r, "CalendarAddEvent", 3, params,
		`Put "{title}" into the calendar, on the {day} of this month at {hour}:00.`,
		"在日历里添加“{title}”，时间是本月 {day} 日 {hour}:00。", nil, func(h *apps.Host) []error {
			e := h.Data.Event(params["title"])
			return []error{want(e != nil && fmt.Sprint(e.At.Day()) == params["day"] &&
				e.At.Month() == h.Now().Month() && e.At.Format("15:04") == params["hour"]+":00",
				"there is no such event")}
		})
}

func visited(r *rand.Rand) []Task {
	recipe := one(r, [3]string{"Lentil soup for four", "lentils.example"},
		[3]string{"Rye bread without kneading", "bread.example"})
	return drawn(r, "BrowserOpenPage", 2, map[string]string{"recipe": recipe[0]},
		`Open the recipe "{recipe}" in the Browser.`, "在浏览器里打开菜谱“{recipe}”。", nil,
		func(h *apps.Host) []error {
			n := len(h.Data.Visited)
			return []error{want(n > 0 && h.Data.Visited[n-1] == recipe[1], "visited: %q",
				h.Data.Visited)}
		})
}
