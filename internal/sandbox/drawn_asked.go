package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// asked are tasks whose goal leaves something out, or has it wrong, and does not say so: the user
// has to be asked. They are after tasks of MobileWorld, with parameters that are drawn.
func asked(r *rand.Rand) (list []Task) {
	ask := func(id string, grade int, params map[string]string, en, zh, reply string,
		prepare func(*apps.Host), check func(*apps.Host) []error) {
		t := drawn(r, id, grade, params, en, zh, prepare, check)
		t[0].Reply = filled(reply, params)
		list = append(list, t...)
	}
	askAlarms(r, ask)
	askMessages(r, ask)
	askRoommates(r, ask)
	askEvents(r, ask)
	askNumbers(r, ask)
	askShop(r, ask)
	return list
}

// asking makes a task. Reply is what the user says, whatever the question.
type asking func(id string, grade int, params map[string]string, en, zh, reply string,
	prepare func(*apps.Host), check func(*apps.Host) []error)

func askAlarms(r *rand.Rand, ask asking) {
	for _, a := range [][4]string{
		{"AskAlarmTime", "Please set a wake-up alarm for me.", "请给我设一个起床闹钟。",
			"The alarm should be set for {hour}:{minute}."},
		{"AskAlarmMistaken", "Please set a morning wake-up alarm for me at 9:45 p.m.",
			"请给我设一个晚上 9:45 的起床闹钟。", "I just gave the incorrect information by mistake, " +
				"the alarm should be set for {hour}:{minute}."},
	} {
		hour, minute := 9+r.IntN(3), 20+5*r.IntN(5)
		params := map[string]string{"hour": fmt.Sprintf("%02d", hour), "minute": fmt.Sprint(minute)}
		ask(a[0], 1, params, a[1], a[2], a[3], nil, func(h *apps.Host) []error {
			got := h.Data.Alarm(hour, minute)
			return []error{want(got != nil && got.On, "no alarm at %02d:%d is on", hour, minute)}
		})
	}
}

// says wants a message to a number with a text in it, in any case.
func says(h *apps.Host, number, text string) error {
	return sent(h, number, func(m *apps.SMS) bool {
		return strings.Contains(strings.ToLower(m.Text), strings.ToLower(text))
	})
}

func askMessages(r *rand.Rand, ask asking) {
	params := map[string]string{"number": number(r), "time": fmt.Sprintf("%d:30", 9+r.IntN(3))}
	ask("AskInterview", 2, params, "Send a message to Kevin to inform him \"Your interview is "+
		"scheduled for tomorrow morning at {time}\".",
		"给凯文发短信：“Your interview is scheduled for tomorrow morning at {time}”。",
		"The phone number of Kevin is {number}.", nil, func(h *apps.Host) []error {
			return []error{says(h, params["number"],
				"Your interview is scheduled for tomorrow morning at "+params["time"])}
		})
	company := map[string]string{"number": number(r)}
	others := 0
	ask("AskWhichMessages", 2, company, "Delete all messages sent from my company.",
		"删除我公司发来的所有短信。", "My company is TechCorp and the phone number is {number}.",
		func(h *apps.Host) {
			for _, text := range []string{"The sprint retrospective notes are in the shared doc.",
				"Thanks! Added my thoughts on the deployment issues we had."} {
				h.Data.Receive(company["number"], company["number"], text, h.Now())
			}
			strangers(r, 1, number(r), true)(h)
			others = len(h.Data.Threads) - 1
		}, func(h *apps.Host) []error {
			return []error{want(h.Data.Thread(company["number"]) == nil, "the messages are there"),
				want(len(h.Data.Threads) == others, "%d conversations are left",
					len(h.Data.Threads))}
		})
	boss := map[string]string{"number": number(r)}
	ask("AskConflict", 3, boss, "I've received a one-on-one meeting invitation from my boss. "+
		"Please check my calendar and reply 'OK' if it's clear. If there's a scheduling conflict, "+
		"please notify the person in the conflict event by SMS: "+
		"'Sorry, I can't attend the meeting.'",
		"老板发短信约我单独谈话。请查看日历，没有冲突就回复“OK”；有冲突就给冲突日程里的人发短信："+
			"“Sorry, I can't attend the meeting.”",
		"The name of my boss is Marry. The person in the conflict event is Sam Smith. His phone "+
			"number is {number}.", func(h *apps.Host) {
			h.Data.Receive("Marry", "+15051234567", "Hi! Are you available for a one-on-one "+
				"meeting with me on the 20th at 9:10?", h.Now())
			event(h, "Meeting with Sam Smith", 20, 9)
		}, func(h *apps.Host) []error {
			return []error{says(h, boss["number"], "Sorry, I can't attend the meeting")}
		})
}

// askRoommates are two tasks: the roommates are among the contacts, or one of them is not.
func askRoommates(r *rand.Rand, ask asking) {
	for n, id := range []string{"AskRoommates", "AskRoommatesUnknown"} {
		names := []string{"Ella King", "Grace Hall", "Catherine Lin"}
		params := map[string]string{"first": number(r), "second": number(r), "third": number(r)}
		numbers := []string{params["first"], params["second"], params["third"]}
		known := 3 - n
		reply := "My roommates information: The phone number of Ella King is {first}. The phone " +
			"number of Grace Hall is {second}. The phone number of Catherine Lin is {third}. "
		reply += []string{"They are in the Contacts app.",
			"Only Ella and Grace are in the Contacts app."}[n]
		ask(id, 3, params, "Text 'hello' to each of my new roommates.", "给我的每个新室友发短信“hello”。",
			reply, func(h *apps.Host) {
				for i := range known {
					h.Data.Save(&apps.Contact{First: names[i], Number: numbers[i]})
				}
			}, func(h *apps.Host) (errs []error) {
				for _, to := range numbers {
					errs = append(errs, says(h, to, "hello"))
				}
				return errs
			})
	}
}

// event puts an event into the calendar, at a full hour of a day of this month.
func event(h *apps.Host, title string, day, hour int) {
	now := h.Now()
	h.Data.Events = append(h.Data.Events, &apps.Event{Title: title,
		At: now.AddDate(0, 0, day-now.Day()).Truncate(24 * time.Hour).Add(
			time.Duration(hour) * time.Hour)})
}

func askEvents(r *rand.Rand, ask asking) {
	kept := []string{"Morning run", "Personal time off", "Team standup"}
	params := map[string]string{"who": one(r, "Sam", "Ruth", "Noor")}
	ask("AskWhichEvent", 2, params, "My schedule on the 20th of this month is a bit full, please "+
		"remove a few events.", "我这个月20号的日程有点满，请删掉一些。",
		"Please delete the meeting with {who}, and nothing else.", func(h *apps.Host) {
			for i, title := range append(kept, "Meeting with "+params["who"]) {
				event(h, title, 20, 8+2*i)
			}
		}, func(h *apps.Host) (errs []error) {
			for _, title := range kept {
				errs = append(errs, want(h.Data.Event(title) != nil, "%q is gone", title))
			}
			return append(errs, want(h.Data.Event("Meeting with "+params["who"]) == nil,
				"the meeting with %s is still there", params["who"]))
		})
	lunch := map[string]string{"who": line(r, "given_names"), "day": fmt.Sprint(22 + r.IntN(7)),
		"hour": fmt.Sprint(11 + r.IntN(3))}
	from := number(r)
	ask("AskLunch", 3, lunch, `I've received a lunch invitation via text message; please reply `+
		`"OK" and schedule a lunch event at 10:00 on the 21st of this month.`,
		"我收到了午餐邀请的短信；请回复“OK”，并在日历里添加本月21日 10:00 的午餐。",
		"I just gave the incorrect information by mistake, it should be at {hour}:00 on the {day}.",
		func(h *apps.Host) {
			h.Data.Receive(lunch["who"], from, filled("Hi! Would you like to join me for lunch on "+
				"the {day} at {hour}:00? Looking forward to it!", lunch), h.Now())
		}, func(h *apps.Host) []error {
			return []error{says(h, from, "OK"), planned(h, "", lunch["day"], lunch["hour"])}
		})
}

func askNumbers(r *rand.Rand, ask asking) {
	params := map[string]string{"name": fullName(r), "number": number(r)}
	ask("AskContactNumber", 1, params, "Create a new contact named {name} with the number of "+
		"their company.", "新建联系人 {name}，电话是其公司的号码。",
		"The number of the company is {number}.", nil, func(h *apps.Host) []error {
			return []error{saved(h, params["name"], params["number"])}
		})
	kevin, grace := map[string]string{"number": number(r)}, number(r)
	ask("AskPhoneNumber", 2, kevin, "Send Kevin's phone number to Grace Hall.",
		"把凯文的电话号码发给 Grace Hall。", "The phone number of Kevin is {number}. Grace can be found "+
			"in the Contacts app.", func(h *apps.Host) {
			h.Data.Save(&apps.Contact{First: "Grace", Last: "Hall", Number: grace})
		}, func(h *apps.Host) []error {
			return []error{sent(h, grace, func(m *apps.SMS) bool {
				return strings.Contains(apps.Digits(m.Text), apps.Digits(kevin["number"]))
			})}
		})
}

func askShop(r *rand.Rand, ask asking) {
	params := map[string]string{"size": one(r, "S", "M", "L")}
	ask("AskSize", 3, params, "In the Shop, put one navy Merino T-shirt in the size that I "+
		"usually wear into the cart.", "在商城把一件我平时穿的尺码的藏青色美利奴羊毛T恤加入购物车。",
		"I wear size {size}.", nil, func(h *apps.Host) []error {
			return inCart(h, "merino", params["size"], "navy")
		})
	left := apps.Products[6:10] // two of the home and the technical ones each
	gone := left[r.IntN(len(left))]
	ask("AskWhichItem", 2, map[string]string{"product": gone.EN},
		"I want to remove one of the products in the cart of the Shop.", "我想把商城购物车里的一件商品删掉。",
		"Please remove the {product}.", func(h *apps.Host) {
			for _, p := range left {
				h.Data.Shop.Cart = append(h.Data.Shop.Cart, &apps.Item{Product: p, Count: 1})
			}
		}, func(h *apps.Host) []error {
			ids := []string{}
			for _, it := range h.Data.Shop.Cart {
				ids = append(ids, it.Product.ID)
			}
			return []error{want(len(ids) == len(left)-1 && !slices.Contains(ids, gone.ID),
				"the cart holds %q", ids)}
		})
}
