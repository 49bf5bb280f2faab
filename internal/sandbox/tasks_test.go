package sandbox

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// write types what the language needs: key by key, or through the ADB keyboard.
func (h *hand) write(en, zh string) {
	h.t.Helper()
	if h.phone.core.opts.Locale == "en" {
		h.keys(en)
		return
	}
	old := h.phone.Keyboard.IME()
	h.useIME(adbIME)
	require.True(h.t, h.phone.Keys.Broadcast("ADB_INPUT_B64",
		map[string]string{"msg": base64.StdEncoding.EncodeToString([]byte(zh))}))
	h.useIME(old)
}

func (h *hand) useIME(id string) {
	h.phone.Settings.PutSetting("secure", "default_input_method", id)
}

func (h *hand) say(en, zh string) string { return h.phone.core.sys.Say(en, zh) }

func (h *hand) reader(en, zh string) {
	h.t.Helper()
	h.open(messagesApp)
	h.touch(h.say(en, zh))
}

// walks solve each task by touch alone.
var walks = map[string]func(h *hand){
	"dark-mode-wifi-off": func(h *hand) {
		h.touchAll("icon_settings", "row_network", "pref_wifi_on", "up")
		h.scrollTo("row_display")
		h.touchAll("row_display", "pref_ui_night_mode")
	},
	"alarm-0730": func(h *hand) {
		h.touchAll("icon_clock", "add_alarm", "hour_07", "minute_30", "save_alarm")
	},
	"note-groceries": func(h *hand) {
		h.touchAll("icon_notes", "new_note")
		h.write("Groceries", "购物")
		h.touch("edit_body")
		h.write("milk, eggs, bread", "牛奶, 鸡蛋, 面包")
		h.touch("save")
	},
	"like-message": func(h *hand) {
		h.touchAll("icon_messages", h.say("Tom", "小汤"))
		c := h.see(h.say("See you on Sunday", "星期天见")).Center()
		h.phone.Touch.Tap(c.X, c.Y)
		h.wait(150 * time.Millisecond)
		h.phone.Touch.Tap(c.X+5, c.Y)
	},
	"message-late": func(h *hand) {
		h.touchAll("icon_messages", "start_chat", "permission_allow_button", "recipient")
		h.write("ann", "安娜")
		h.touchAll("contact", "compose_message_text")
		h.write("Running 10 minutes late", "我晚到10分钟")
		h.touch("send_message_button")
	},
	"live-captions": func(h *hand) {
		h.touch("icon_settings")
		h.scrollTo("row_accessibility")
		h.touch("row_accessibility")
		h.scrollTo("pref_odi_captions_enabled")
		h.touch("pref_odi_captions_enabled")
	},
	"cart-merino": func(h *hand) {
		h.touchAll("icon_shop", "search")
		h.write("merino", "羊毛")
		h.touchAll("search_button", "product", "size_M", "colour_navy", "add_to_cart")
	},
	"notes-order": func(h *hand) {
		h.touch("icon_notes")
		from := h.see(h.say("Reorder Packing list", "排序 行李清单")).Center()
		to := h.see("note").Center()
		h.phone.Touch.Swipe(from.X, from.Y, to.X, to.Y, time.Second)
	},
	"alarms-tidy": func(h *hand) {
		h.touchAll("icon_clock", h.say("Alarm 06:00", "闹钟 06:00"))
		h.press("08:15")
		h.touch("delete")
	},
	"note-dentist": func(h *hand) {
		h.reader("Dr. Lee Dental", "李医生口腔诊所")
		require.NoError(h.t, h.phone.Keys.Key(KeyHome))
		h.touchAll("icon_notes", "new_note")
		h.write("Dentist", "牙医")
		h.touch("edit_body")
		h.write("Tuesday 14:20", "星期二 14:20")
		require.NoError(h.t, h.phone.Keys.Key(KeyBack)) // hides the keyboard
		require.NoError(h.t, h.phone.Keys.Key(KeyBack)) // leaves, which saves
	},
	"cart-runner-ask": func(h *hand) {
		task, _ := h.phone.Task("cart-runner-ask")
		h.touchAll("icon_shop", "category_shoes", "product", "size_"+task.Reply, "colour_black",
			"add_to_cart")
	},
	"shop-login": func(h *hand) {
		h.touchAll("icon_shop", "account", "log_in", "login_number")
		h.phone.Keys.Text("5550123")
		h.touch("send_code")
		h.wait(3 * time.Second)
		code := h.newestCode()
		for _, d := range code {
			h.key(string(d))
		}
		h.key("enter")
	},
}

// newestCode is the code in the last message.
func (h *hand) newestCode() (code string) {
	h.phone.Inspect(func(d *apps.Data) {
		for _, word := range strings.FieldsFunc(d.Threads[0].Last().Text, func(r rune) bool {
			return r < '0' || r > '9'
		}) {
			code = word
		}
	})
	require.Len(h.t, code, 6)
	return code
}

func TestEveryTaskIsOpenOnANewPhoneAndDoneAfterItsWalk(t *testing.T) {
	for _, locale := range []string{"en", "zh"} {
		for _, task := range New(nil).Tasks() {
			t.Run(locale+"/"+task.ID, func(t *testing.T) {
				h := hold(t, &Options{Locale: locale})
				walk := walks[task.ID]
				require.NotNil(t, walk, "no walk for task %s", task.ID)
				require.Error(t, task.Check(h.phone),
					"the check holds before anything was done")
				walk(h)
				require.NoError(t, task.Check(h.phone))
				task.Setup(h.phone)
				require.Error(t, task.Check(h.phone), "a second setup does not undo the task")
			})
		}
	}
}

func TestTasksAreNamedAndWorded(t *testing.T) {
	list := New(nil).Tasks()
	require.GreaterOrEqual(t, len(list), 8)
	seen := map[string]bool{}
	for _, task := range list {
		require.False(t, seen[task.ID], "two tasks %s", task.ID)
		seen[task.ID] = true
		require.NotEmpty(t, task.Goal)
		require.Regexp(t, `\p{Han}`, task.GoalZH)
	}
	require.Len(t, walks, len(list), "a walk without a task")
}

// Each is nearly right: the check must say what is wrong.
func TestChecksRefuseWhatIsNearlyRight(t *testing.T) {
	for name, c := range map[string]struct {
		task string
		do   func(h *hand)
		want string
	}{
		"dark only": {"dark-mode-wifi-off", func(h *hand) {
			h.phone.Settings.PutSetting("secure", "ui_night_mode",
				"2")
		}, "Wi-Fi is on, want it off"},
		"alarm switched off again": {"alarm-0730", func(h *hand) {
			walks["alarm-0730"](h)
			h.touch("Alarm 07:30")
		}, "the alarm at 07:30 is switched off"},
		"alarm at half past seven in the evening": {"alarm-0730", func(h *hand) {
			h.touchAll("icon_clock", "add_alarm", "hour_19", "minute_30", "save_alarm")
		}, `there is no alarm at 07:30, only at ["06:00" "08:15" "19:30"]`},
		"another alarm changed instead": {"alarm-0730", func(h *hand) {
			h.touchAll("icon_clock", "06:00", "hour_07", "minute_30", "save_alarm")
		}, "the alarm at 06:00 is gone"},
		"wrong text": {"note-groceries", func(h *hand) {
			h.touchAll("icon_notes", "new_note")
			h.keys("Groceries")
			h.touch("edit_body")
			h.keys("milk, eggs")
			h.touch("save")
		}, `the note "Groceries" says "milk, eggs", want "milk, eggs, bread"`},
		"sent twice": {"message-late", func(h *hand) {
			walks["message-late"](h)
			h.touch("compose_message_text")
			h.keys("Running 10 minutes late")
			h.touch("send_message_button")
		}, `want "Running 10 minutes late" exactly once`},
		"sent to another one as well": {"message-late", func(h *hand) {
			walks["message-late"](h)
			h.phone.Edit(func(d *apps.Data) {
				d.Send("Tom", "", "Running 10 minutes late", morning)
			})
		}, "a message went to Tom"},
		"typed and not sent": {"message-late", func(h *hand) {
			h.reader("Anna Berg", "")
			h.touch("compose_message_text")
			h.keys("Running 10 minutes late")
		}, "messages sent to Anna Berg: []"},
		"neighbour switched on too": {"live-captions", func(h *hand) {
			walks["live-captions"](h)
			h.phone.Settings.PutSetting("secure", "reduce_bright_colors_activated", "1")
		}, "reduce_bright_colors_activated was switched on too"},
		"wrong size": {"cart-runner-ask", func(h *hand) {
			h.touchAll("icon_shop", "category_shoes", "product", "size_41", "colour_black",
				"add_to_cart")
		}, `the cart holds ["1 runner 41 black"]`},
		"two pieces": {"cart-merino", func(h *hand) {
			walks["cart-merino"](h)
			h.touch("add_to_cart")
		}, `the cart holds ["2 merino M navy"]`},
		"ordered as well": {"cart-merino", func(h *hand) { walks["cart-merino"](h); h.buy() },
			"something was ordered and paid"},
		"note without the time": {"note-dentist", func(h *hand) {
			h.touchAll("icon_notes", "new_note")
			h.keys("Dentist")
			h.touch("edit_body")
			h.keys("on Tuesday")
			h.touch("save")
		}, "want the time (14:20)"},
		"wrong code": {"shop-login", func(h *hand) {
			h.touchAll("icon_shop", "account", "log_in", "login_number")
			h.phone.Keys.Text("5550123")
			h.touch("send_code")
			h.phone.Keys.Text("000000\n")
		}, `the Shop's customer is "", want "5550123"`},
		"deleted instead of switched off": {"alarms-tidy", func(h *hand) {
			h.touch("icon_clock")
			for _, alarm := range []string{"08:15", "06:00"} {
				h.press(alarm)
				h.touch("delete")
			}
		}, "the alarm at 06:00 is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, nil)
			task, ok := h.phone.Task(c.task)
			require.True(t, ok)
			task.Setup(h.phone)
			c.do(h)
			require.ErrorContains(t, task.Check(h.phone), c.want)
		})
	}
}

// buy pays for what is in the cart.
func (h *hand) buy() {
	h.t.Helper()
	h.touchAll("cart", "checkout", "login_number")
	h.phone.Keys.Text("5550123")
	h.touch("send_code")
	h.wait(3 * time.Second)
	h.phone.Keys.Text(h.newestCode())
	h.wait(6 * time.Second)
	h.touchAll("log_in", "pay")
	require.True(h.t, h.phone.Screen.Foreground().Secure)
	h.phone.Keys.Text("2580\n")
	h.see("Order placed")
}
