package sandbox

import (
	"fmt"
	"math/rand/v2"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// asked are tasks whose goal leaves out one of their parameters: the user has to be asked for it.
func asked(r *rand.Rand) (list []Task) {
	ask := func(id string, grade int, params map[string]string, reply, en, zh string,
		check func(*apps.Host) []error) {
		t := drawn(r, id, grade, params, en, zh, nil, check)
		t[0].Reply = reply
		list = append(list, t...)
	}
	askAlarms(r, ask)
	askMessages(r, ask)
	askContacts(r, ask)
	askEvents(r, ask)
	askNotes(r, ask)
	askShop(r, ask)
	return list
}

// asking makes a task. The user knows reply.
type asking func(id string, grade int, params map[string]string, reply, en, zh string,
	check func(*apps.Host) []error)

func askAlarms(r *rand.Rand, ask asking) {
	params, a := drawTime(r)
	delete(params, "time")
	ask("AskAlarmTime", 1, params, a.Time(), "Set an alarm for when I have to get up. Ask me when.",
		"按我起床的时间设一个闹钟，先问我几点。", func(h *apps.Host) []error {
			got := h.Data.Alarm(a.Hour, a.Minute)
			return []error{want(got != nil && got.On, "no alarm at %s is on", a.Time())}
		})
	gone := one(r, "06:00", "08:15")
	ask("AskWhichAlarm", 2, map[string]string{"time": gone}, gone,
		"Delete one of my two alarms. Ask me which.", "删除我的两个闹钟之一，先问我删哪个。",
		func(h *apps.Host) []error {
			return []error{want(len(h.Data.Alarms) == 1 && h.Data.Alarms[0].Time() != gone,
				"the alarms are %s", times(h.Data))}
		})
}

func askMessages(r *rand.Rand, ask asking) {
	who, text := one(r, "Mom", "Tom", "Anna Berg"), one(r, smsTexts...)
	sent := func(h *apps.Host) []error { return sentOnce(h, who, text) }
	params := map[string]string{"who": who, "text": text}
	ask("AskWhatToWrite", 1, params, params["text"], "Send {who} a message. Ask me what to write.",
		"给 {who} 发短信，内容先问我。", sent)
	ask("AskToWhom", 1, params, params["who"], `Send the message "{text}". Ask me to whom.`,
		"发送短信“{text}”，先问我发给谁。", sent)
	params = map[string]string{"number": number(r), "message": text}
	ask("AskNumberToText", 2, params, params["number"],
		"Send the plumber the message: {message}. Ask me for the number.",
		"给水管工发短信：{message}。号码先问我。", func(h *apps.Host) []error {
			got := h.Data.Sent(params["number"])
			return []error{want(len(got) == 1 && got[0] == text, "sent: %q", got)}
		})
}

func askContacts(r *rand.Rand, ask asking) {
	params := map[string]string{"first": one(r, firstNames...), "last": one(r, lastNames...),
		"number": number(r)}
	saved := func(h *apps.Host) []error {
		c := h.Data.Contact(params["first"] + " " + params["last"])
		return []error{want(c != nil && c.Number == params["number"], "there is no such contact")}
	}
	ask("AskContactNumber", 1, params, params["number"],
		"Create a contact for {first} {last}. Ask me for the number.",
		"新建联系人 {first} {last}，电话先问我。", saved)
	ask("AskContactLastName", 2, params, params["last"],
		"Create a contact for {first} with the number {number}. Ask me for the last name.",
		"新建联系人 {first}，电话 {number}，姓氏先问我。", saved)
}

func askEvents(r *rand.Rand, ask asking) {
	params := map[string]string{"title": one(r, "Yoga", "Chess"), "day": fmt.Sprint(22 + r.IntN(7)),
		"hour": fmt.Sprintf("%02d", 10+r.IntN(12))}
	there := func(h *apps.Host) []error {
		e := h.Data.Event(params["title"])
		return []error{want(e != nil && fmt.Sprint(e.At.Day()) == params["day"] &&
			e.At.Format("15:04") == params["hour"]+":00", "there is no such event")}
	}
	ask("AskEventDay", 3, params, params["day"],
		`Put "{title}" into the calendar at {hour}:00, on a day `+
			"of this month. Ask me which day.", "在日历里添加“{title}”，{hour}:00，日期先问我（本月）。", there)
	ask("AskEventHour", 3, params, params["hour"],
		`Put "{title}" into the calendar on the {day} of this `+
			"month. Ask me for the hour.", "在日历里添加“{title}”，本月 {day} 日，几点先问我。", there)
}

func askNotes(r *rand.Rand, ask asking) {
	params := map[string]string{"title": one(r, "Garden", "Books"),
		"text": one(r, "roses and tulips", "two, for Tom")}
	written := func(h *apps.Host) []error {
		n := h.Data.Note(params["title"])
		return []error{want(n != nil && n.Body == params["text"], "there is no such note")}
	}
	ask("AskNoteText", 1, params, params["text"], `Write a note "{title}". Ask me for the text.`,
		"新建便签“{title}”，内容先问我。", written)
	ask("AskNoteTitle", 1, params, params["title"],
		`Write a note with the text "{text}". Ask me for the `+
			"title.", "新建内容是“{text}”的便签，标题先问我。", written)
}

func askShop(r *rand.Rand, ask asking) {
	params := map[string]string{"size": one(r, "S", "M", "L"), "colour": one(r, "navy", "grey")}
	bought := func(h *apps.Host) []error {
		return inCart(h, "merino", params["size"], params["colour"])
	}
	ask("AskSize", 3, params, params["size"],
		"In the Shop, put one Merino T-shirt in {colour} into the "+
			"cart. Ask me for the size; do not order.", "在商城把一件美利奴羊毛T恤 ({colour}) 加入购物车，尺码先问我。",
		bought)
	ask("AskColour", 3, params, params["colour"],
		"In the Shop, put one Merino T-shirt in size {size} into "+
			"the cart. Ask me for the colour; do not order.",
		"在商城把一件美利奴羊毛T恤 ({size}码) 加入购物车，颜色先问我。", bought)
}
