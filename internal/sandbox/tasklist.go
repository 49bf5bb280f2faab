package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

var tasks = []Task{
	{
		ID:     "dark-mode-wifi-off",
		Goal:   "Turn on the dark theme and turn Wi-Fi off.",
		GoalZH: "打开深色主题, 并关闭无线网络 (Wi-Fi)。",
		check: func(s *apps.Host) []error {
			return []error{
				want(s.Dark(), "dark theme is off, want it on"),
				want(!s.Settings.Bool(apps.Global, "wifi_on"), "Wi-Fi is on, want it off"),
			}
		},
	},
	{
		ID:     "alarm-0730",
		Goal:   "Set an alarm for 7:30 in the morning.",
		GoalZH: "设置一个早上 7:30 的闹钟。",
		check: func(s *apps.Host) []error {
			a := s.Data.Alarm(7, 30)
			return []error{
				want(a != nil, "there is no alarm at 07:30, only at %s", times(s.Data)),
				want(a == nil || a.On, "the alarm at 07:30 is switched off"),
				untouched(s, 6, 0, true), untouched(s, 8, 15, false),
			}
		},
	},
	{
		ID:     "note-groceries",
		Goal:   `Write a note with the title "Groceries" and the text "milk, eggs, bread".`,
		GoalZH: "新建一条便签, 标题是“购物”, 内容是“牛奶, 鸡蛋, 面包”。",
		check: func(s *apps.Host) []error {
			title, body := s.Say("Groceries", "购物"), s.Say("milk, eggs, bread", "牛奶, 鸡蛋, 面包")
			n := s.Data.Note(title)
			if n == nil {
				return []error{fmt.Errorf("there is no note %q, only %s", title, titles(s.Data))}
			}
			return []error{want(same(n.Body, body), "the note %q says %q, want %q", title, n.Body,
				body)}
		},
	},
	{
		ID:     "like-message",
		Goal:   "Like the last message of Tom in Messages.",
		GoalZH: "在短信里给小汤的最后一条消息点赞。",
		check: func(s *apps.Host) []error {
			var liked []string
			for _, t := range s.Data.Threads {
				for _, m := range t.Messages {
					if m.Liked {
						liked = append(liked, m.Text)
					}
				}
			}
			text := s.Say("See you on Sunday", "星期天见")
			return []error{want(slices.Equal(liked, []string{text}),
				"liked messages are %q, want only %q", liked, text)}
		},
	},
	{
		ID:     "message-late",
		Goal:   `Send Anna Berg the message "Running 10 minutes late".`,
		GoalZH: "给安娜发短信: 我晚到10分钟",
		check: func(s *apps.Host) []error {
			return sentOnce(s, s.Say("Anna Berg", "安娜"), s.Say("Running 10 minutes late",
				"我晚到10分钟"))
		},
	},
	{
		ID:     "live-captions",
		Goal:   "Turn on live captions. It is somewhere in the Settings.",
		GoalZH: "在设置里找到并打开“实时字幕”。",
		check: func(s *apps.Host) []error {
			errs := []error{want(s.Settings.Bool(apps.Secure, "odi_captions_enabled"),
				"live captions are off, want them on")}
			for _, other := range []string{"reduce_bright_colors_activated",
				"high_text_contrast_enabled", "touch_exploration_enabled"} {
				errs = append(errs, want(!s.Settings.Bool(apps.Secure, other),
					"the setting %s was switched on too", other))
			}
			return errs
		},
	},
	{
		ID: "cart-merino",
		Goal: "In the Shop, put one Merino T-shirt in size M, navy, into the cart. Do not " +
			"order it.",
		GoalZH: "在商城把一件美利奴羊毛T恤 (M码, 藏青色) 加入购物车, 不要下单。",
		check:  func(s *apps.Host) []error { return inCart(s, "merino", "M", "navy") },
	},
	{
		ID:     "notes-order",
		Goal:   `Move the note "Packing list" to the top of the notes.`,
		GoalZH: "把便签“行李清单”移到最上面。",
		check: func(s *apps.Host) []error {
			first := s.Say("Packing list", "行李清单")
			return []error{want(len(s.Data.Notes) == 3 && s.Data.Notes[0].Title == first,
				"the notes are %s, want all three, %q first", titles(s.Data), first)}
		},
	},
	{
		ID:     "alarms-tidy",
		Goal:   "Switch the alarm at 6:00 off, but keep it, and delete the one at 8:15.",
		GoalZH: "关掉 6:00 的闹钟 (不要删除), 并删除 8:15 的闹钟。",
		check: func(s *apps.Host) []error {
			return []error{untouched(s, 6, 0, false), want(s.Data.Alarm(8, 15) == nil,
				"the alarm at 08:15 is still there")}
		},
	},
	{
		ID: "note-dentist",
		Goal: `Dr. Lee Dental wrote when my check-up is. Write a note with the title "Dentist" ` +
			"that holds the day and the time.",
		GoalZH: "李医生口腔诊所发短信告诉了我检查时间。新建一条标题为“牙医”的便签, 写上星期几和时间。",
		check: func(s *apps.Host) []error {
			title, day := s.Say("Dentist", "牙医"), s.Say("tuesday", "星期二")
			n := s.Data.Note(title)
			if n == nil {
				return []error{fmt.Errorf("there is no note %q, only %s", title, titles(s.Data))}
			}
			body := strings.ToLower(n.Body)
			return []error{
				want(strings.Contains(body, day), "the note %q says %q, want the day (%s)", title,
					n.Body, day),
				want(strings.Contains(body, "14:20") || strings.Contains(body, "2:20"),
					"the note %q says %q, want the time (14:20)", title, n.Body),
			}
		},
	},
	{
		ID: "cart-runner-ask",
		Goal: "In the Shop, put one pair of black Runner sneakers into the cart in my size. " +
			"Ask me for my size first; do not order.",
		GoalZH: "在商城把一双黑色的轻跑运动鞋按我的尺码加入购物车。先问我穿什么尺码, 不要下单。",
		Reply:  "42",
		check:  func(s *apps.Host) []error { return inCart(s, "runner", "42", "black") },
	},
	{
		ID:     "shop-login",
		Goal:   "Log in to the Shop with the phone number 5550123. The code comes as a message.",
		GoalZH: "用手机号 5550123 登录商城, 验证码会以短信发来。",
		check: func(s *apps.Host) []error {
			return []error{
				want(s.Data.Shop.User == "5550123", "the Shop's customer is %q, want \"5550123\"",
					s.Data.Shop.User),
				want(len(s.Data.Shop.Orders) == 0, "something was ordered"),
			}
		},
	},
}

// want is nil when ok, else an error with the text.
func want(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func times(d *apps.Data) string {
	return fmt.Sprintf("%q", text.Each(d.Alarms, (*apps.Alarm).Time))
}

func titles(d *apps.Data) string {
	return fmt.Sprintf("%q", text.Each(d.Notes, func(n *apps.Note) string { return n.Title }))
}

// untouched wants an alarm to be there, on or off.
func untouched(s *apps.Host, hour, minute int, on bool) error {
	a := s.Data.Alarm(hour, minute)
	if a == nil {
		return fmt.Errorf("the alarm at %02d:%02d is gone", hour, minute)
	}
	return want(a.On == on, "the alarm at %s: on is %t, want %t", a.Time(), a.On, on)
}

// same compares texts as a person would: spaces at the ends and the kind of comma do not count.
func same(a, b string) bool {
	fold := strings.NewReplacer("，", ",", ", ", ",", "、", ",", "。", ".")
	return strings.EqualFold(fold.Replace(strings.TrimSpace(a)), fold.Replace(b))
}

// sentOnce wants one message sent since the setup, that text to that contact, and none to anybody
// else.
func sentOnce(s *apps.Host, to, text string) []error {
	fresh := apps.Seed(s.Now(), s.Lang)
	var errs []error
	for _, t := range s.Data.Threads {
		sent, before := s.Data.Sent(t.Name), fresh.Sent(t.Name)
		added := sent[min(len(before), len(sent)):]
		if t.Name != to {
			errs = append(errs, want(len(added) == 0, "a message went to %s: %q", t.Name, added))
			continue
		}
		errs = append(errs, want(len(added) == 1 && same(added[0], text),
			"messages sent to %s: %q, want %q exactly once", to, added, text))
	}
	if s.Data.Thread(to) == nil {
		errs = append(errs, fmt.Errorf("the conversation with %s is gone", to))
	}
	return errs
}

// inCart wants exactly one piece of a product in the cart, nothing else there, and nothing ordered.
func inCart(s *apps.Host, product, size, color string) []error {
	var got []string
	for _, it := range s.Data.Shop.Cart {
		got = append(got, fmt.Sprintf("%d %s %s %s", it.Count, it.Product.ID, it.Size, it.Color))
	}
	piece := fmt.Sprintf("1 %s %s %s", product, size, color)
	return []error{
		want(slices.Equal(got, []string{piece}), "the cart holds %q, want only %q", got, piece),
		want(len(s.Data.Shop.Orders) == 0, "something was ordered and paid"),
	}
}

// Task is something to do on the phone, with a check on the phone's state.
type Task struct {
	ID     string
	Goal   string // for an English phone
	GoalZH string // for a Chinese phone: names and texts are as its apps show them
	// a person's answer when asked in the middle, "" when there is no need to ask
	Reply string
	Grade int // how hard it is, from 1 to 3, of a drawn task
	// what a drawn task names, by the names of its parameters
	Params map[string]string
	// changes what the apps store after a reset, nil for no change
	prepare func(*apps.Host)
	check   func(*apps.Host) []error
}

// GoalIn returns the goal in the language of the phone.
func (t Task) GoalIn(lang string) string { return apps.In(words.Match(lang), t.Goal, t.GoalZH) }

// Setup puts the phone back as new, at the home screen, with what the task needs.
func (t Task) Setup(p *Simulator) {
	p.Reset()
	if t.prepare != nil {
		p.core.do(func() { t.prepare(p.core.sys) })
	}
}

// Check reports everything that is not as the goal wants it, or nil. It looks at the phone's state
// only, never at what a model said, and may be called at any time.
func (t Task) Check(p *Simulator) error {
	return look(p.core, func() error { return errors.Join(t.check(p.core.sys)...) })
}

// Tasks lists the tasks by rising difficulty.
func (p *Simulator) Tasks() []Task { return slices.Clone(tasks) }

// Task returns the task of that ID and whether there is one.
func (p *Simulator) Task(id string) (Task, bool) {
	i := slices.IndexFunc(tasks, func(t Task) bool { return t.ID == id })
	if i < 0 {
		return Task{}, false
	}
	return tasks[i], true
}

// Reset puts settings, apps and what they store back as on a new phone: unlocked, at the home
// screen. Size, density and storage stay.
func (p *Simulator) Reset() {
	p.core.do(func() {
		p.core.sys = newSystem(&p.core.opts)
		p.Lock.lockState = lockState{}
		p.Keyboard.keyboardState = keyboardState{}
		p.Apps.reset()
	})
}
