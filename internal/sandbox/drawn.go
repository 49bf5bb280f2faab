package sandbox

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// Drawn lists tasks whose parameters, and what else is on the phone, are drawn by the seed. The
// phone has to have the further apps. Tasks whose names begin with System, Clock, SimpleSms,
// Contacts, Turn and Open have the names and the rules of AndroidWorld's; for those that begin with
// Ask, the user knows what the goal leaves out.
func (p *Simulator) Drawn(seed uint64) []Task {
	var list []Task
	for _, draw := range families {
		list = append(list, draw(rand.New(rand.NewPCG(seed, uint64(len(list)))))...)
	}
	return list
}

// families make tasks of a kind each.
var families = []func(*rand.Rand) []Task{switched, brightness, wifiAndBluetooth, opened, copied,
	timed, newContact, sms, forwarded, newAlarm, alarmOff, alarmGone, newNote, toContact, cart,
	newEvent, visited, asked}

// one is a value of the list.
func one[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// filled is a text with the values of parameters in the place of their names.
func filled(text string, params map[string]string) string {
	for name, v := range params {
		text = strings.ReplaceAll(text, "{"+name+"}", v)
	}
	return text
}

// drawn is a task whose goals have its parameters in braces. The lists of the phone are shuffled
// before.
func drawn(r *rand.Rand, id string, grade int, params map[string]string, en, zh string,
	prepare func(*apps.Host), check func(*apps.Host) []error) []Task {
	seed := r.Uint64()
	return []Task{{ID: id, Grade: grade, Params: params, Goal: filled(en, params),
		GoalZH: filled(zh, params), check: check, prepare: func(s *apps.Host) {
			r := rand.New(rand.NewPCG(seed, 1))
			d := s.Data
			r.Shuffle(len(d.Notes), func(i, j int) {
				d.Notes[i], d.Notes[j] = d.Notes[j], d.Notes[i]
			})
			r.Shuffle(len(d.Threads), func(i, j int) {
				d.Threads[i], d.Threads[j] = d.Threads[j], d.Threads[i]
			})
			if prepare != nil {
				prepare(s)
			}
		}}}
}

// switched turns settings on or off. Settings that only have to be verified are already right.
func switched(r *rand.Rand) (list []Task) {
	for _, s := range []struct {
		id, namespace, key, en, zh, on, off string
		grade                               int
	}{
		{"SystemWifiTurn", apps.Global, "wifi_on", "wifi", "无线网络", "1", "0", 1},
		{"SystemBluetoothTurn", apps.Global, "bluetooth_on", "bluetooth", "蓝牙", "1", "0", 1},
		{"AirplaneModeTurn", apps.Global, "airplane_mode_on", "Airplane mode", "飞行模式", "1", "0", 1},
		{"DarkThemeTurn", apps.Secure, "ui_night_mode", "Dark theme", "深色主题", "2", "1", 2},
		{"LocationTurn", apps.Secure, "location_mode", "Use location", "使用位置信息", "3", "0", 2},
		{"MagnificationTurn", apps.Secure, "accessibility_display_magnification_enabled",
			"Magnification", "放大", "1", "0", 3},
	} {
		for _, on := range []bool{true, false} {
			for _, verify := range []bool{false, true} {
				if verify && s.grade > 1 {
					continue
				}
				value, other, word, zh := s.on, s.off, "On", "打开"
				if !on {
					value, other, word, zh = s.off, s.on, "Off", "关闭"
				}
				id := s.id + word
				if verify {
					id, other = id+"Verify", value
				}
				list = append(list, drawn(r, id, s.grade, nil,
					"Turn "+s.en+" "+strings.ToLower(word)+".", zh+s.zh+"。",
					func(h *apps.Host) { h.Settings.Put(s.namespace, s.key, other) },
					func(h *apps.Host) []error {
						if s.key == "wifi_on" {
							return []error{wifiIs(h, on)}
						}
						now, _ := h.Settings.Get(s.namespace, s.key)
						return []error{want(now == value, "%s is %s, want %s", s.key, now, value)}
					})...)
			}
		}
	}
	return list
}

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

// drawTime draws the parameters of an alarm that is not on the phone.
func drawTime(r *rand.Rand) (map[string]string, apps.Alarm) {
	a := apps.Alarm{Hour: 10 + r.IntN(13), Minute: 5 * (1 + r.IntN(11)), On: true}
	if a.Minute == a.Hour {
		a.Minute += 5
	}
	return map[string]string{"hour": fmt.Sprintf("%02d", a.Hour),
		"minute": fmt.Sprintf("%02d", a.Minute), "time": a.Time()}, a
}

func newAlarm(r *rand.Rand) []Task {
	params, a := drawTime(r)
	delete(params, "time")
	return drawn(r, "ClockAlarmSet", 1, params, "Set an alarm for {hour}:{minute}.",
		"设置一个 {hour}:{minute} 的闹钟。", nil, func(h *apps.Host) []error {
			got := h.Data.Alarm(a.Hour, a.Minute)
			return []error{want(got != nil && got.On, "no alarm at %s is on", a.Time()),
				want(len(h.Data.Alarms) == 3, "there are %d alarms, want 3", len(h.Data.Alarms))}
		})
}

// withAlarm is a task about an alarm that was added.
func withAlarm(r *rand.Rand, id, en, zh string, left int, on bool) []Task {
	params, a := drawTime(r)
	params = map[string]string{"time": params["time"]}
	other := apps.Alarm{Hour: 9, Minute: 5 * r.IntN(12), On: r.IntN(2) == 0}
	return drawn(r, id, 2, params, en, zh, func(h *apps.Host) {
		h.Data.Alarms = append(h.Data.Alarms, new(a), new(other))
	}, func(h *apps.Host) []error {
		got := h.Data.Alarm(a.Hour, a.Minute)
		return []error{want(len(h.Data.Alarms) == left, "there are %d alarms", len(h.Data.Alarms)),
			want((got != nil) == (left == 4) && (got == nil || got.On == on),
				"the alarm at %s is not as wanted", a.Time())}
	})
}

func alarmOff(r *rand.Rand) []Task {
	return withAlarm(r, "ClockAlarmOff", "Switch off the alarm at {time}.",
		"关掉 {time} 的闹钟。", 4, false)
}

func alarmGone(r *rand.Rand) []Task {
	return withAlarm(r, "ClockAlarmDelete", "Delete the alarm at {time}.", "删除 {time} 的闹钟。", 3,
		false)
}

func newNote(r *rand.Rand) []Task {
	params := map[string]string{"title": one(r, "Garden", "Call back", "Trip", "Books", "Dr. Wu"),
		"text": one(r, "roses and tulips", "ask for the price", "9:30 at the gate", "two, for Tom")}
	return drawn(r, "NotesCreate", 1, params, `Write a note "{title}" with the text "{text}".`,
		"新建便签“{title}”，内容是“{text}”。", nil, func(h *apps.Host) []error {
			n := h.Data.Note(params["title"])
			return []error{want(n != nil && n.Body == params["text"], "there is no such note")}
		})
}

var smsTexts = []string{"on my way", "see you at 8", "call me, please", "it is done", "thank you!"}

func toContact(r *rand.Rand) []Task {
	who := one(r, [2]string{"Mom", "妈妈"}, [2]string{"Tom", "小汤"}, [2]string{"Anna Berg", "安娜"})
	params := map[string]string{"who": who[0], "text": one(r, smsTexts...)}
	return drawn(r, "SmsSendToContact", 1, params, `Send {who} the message "{text}".`,
		"给"+who[1]+"发短信“{text}”。", nil, func(h *apps.Host) []error {
			return sentOnce(h, h.Say(who[0], who[1]), params["text"])
		})
}

func cart(r *rand.Rand) []Task {
	params := map[string]string{"size": one(r, "S", "M", "L")}
	return drawn(r, "ShopCart", 3, params,
		"In the Shop, put one Merino T-shirt in size {size}, navy, into the cart.",
		"在商城把一件美利奴羊毛T恤 ({size}码, 藏青色) 加入购物车。", nil, func(h *apps.Host) []error {
			return inCart(h, "merino", params["size"], "navy")
		})
}

func newEvent(r *rand.Rand) []Task {
	params := map[string]string{"title": one(r, "Yoga", "Parents' evening", "Oil change", "Chess"),
		"day": fmt.Sprint(22 + r.IntN(7)), "hour": fmt.Sprintf("%02d", 10+r.IntN(12))}
	return drawn(r, "CalendarAddEvent", 3, params,
		`Put "{title}" into the calendar, on the {day} of this month at {hour}:00.`,
		"在日历里添加“{title}”，时间是本月 {day} 日 {hour}:00。", nil, func(h *apps.Host) []error {
			return []error{planned(h, params["title"], params["day"], params["hour"])}
		})
}

// planned wants an event on a day of this month, at a full hour, of any title if it is "".
func planned(h *apps.Host, title, day, hour string) error {
	e := apps.First(h.Data.Events, func(e *apps.Event) bool {
		return (title == "" || e.Title == title) && fmt.Sprint(e.At.Day()) == day &&
			e.At.Month() == h.Now().Month() && e.At.Format("15:04") == hour+":00"
	})
	return want(e != nil, "there is no such event on the %s at %s:00", day, hour)
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
