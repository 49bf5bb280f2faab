package sandbox

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// drawnTask is a drawn task for which ok holds, of the first seed that has one.
func drawnTask(t *testing.T, id string, ok func(Task) bool) Task {
	t.Helper()
	for seed := range uint64(100) {
		for _, task := range New(nil).Drawn(seed) {
			if task.ID == id && (ok == nil || ok(task)) {
				return task
			}
		}
	}
	require.FailNow(t, "no such task", id)
	return Task{}
}

// ruled is a phone at a task whose state is changed by hand.
type ruled struct {
	*Simulator
	Task
	now time.Time
}

func (r *ruled) send(number, text string) {
	r.Edit(func(d *apps.Data) { d.Send(number, number, text, r.now) })
}

func (r *ruled) open(t *testing.T, app string) { require.NoError(t, r.Apps.Launch(app)) }

// What AndroidWorld's rules let pass, and what they do not.
func TestDrawnTasksAreScoredAsAndroidWorldScoresThem(t *testing.T) {
	const messages, people = "com.android.messaging", "com.android.contacts"
	set := func(value string) func(*ruled) {
		return func(r *ruled) { r.Settings.PutSetting("global", "wifi_on", value) }
	}
	clip := func(change func(string) string) func(*ruled) {
		return func(r *ruled) {
			r.Edit(func(d *apps.Data) { d.Clip = change(r.Params["clipboard_content"]) })
		}
	}
	sent := func(change func(*ruled) string, front string, later time.Duration) func(*ruled) {
		return func(r *ruled) {
			r.open(t, front)
			r.send(r.Params["number"][:5]+"-"+r.Params["number"][5:8]+" "+r.Params["number"][8:],
				change(r))
			r.now = r.now.Add(later)
		}
	}
	text := func(r *ruled) string { return r.Params["message"] }
	loud := func(r *ruled) string { return strings.ToUpper(strings.TrimRight(text(r), ".!")) }
	for name, c := range map[string]struct {
		id   string
		do   func(*ruled)
		done bool
	}{
		"2 is on":            {"SystemWifiTurnOn", set("2"), true},
		"2 is not off":       {"SystemWifiTurnOff", set("2"), false},
		"0 is off":           {"SystemWifiTurnOff", set("0"), true},
		"nothing is not off": {"SystemWifiTurnOff", set(""), false},
		"copied":             {"SystemCopyToClipboard", clip(strings.ToUpper), true},
		"copied, but a sign": {"SystemCopyToClipboard",
			clip(func(s string) string { return s[1:] }), true},
		"copied by half": {"SystemCopyToClipboard",
			clip(func(s string) string { return s[len(s)/2:] }), false},
		"sent":           {"SimpleSmsSend", sent(text, messages, 5*time.Minute), true},
		"sent loudly":    {"SimpleSmsSend", sent(loud, messages, 0), true},
		"sent, and left": {"SimpleSmsSend", sent(text, people, 0), false},
		"sent long ago": {"SimpleSmsSend", sent(text, messages, 5*time.Minute+time.Second),
			false},
		"something else sent": {"SimpleSmsReply",
			sent(func(*ruled) string { return "Hi." }, messages, 0), false},
		"sent twice": {"SimpleSmsReply", func(r *ruled) {
			sent(text, messages, 0)(r)
			sent(text, messages, 0)(r)
		}, true},
		"resent in another app": {"SimpleSmsResend", sent(text, people, time.Hour), true},
		"resent something else": {"SimpleSmsResend",
			sent(func(*ruled) string { return "Hi." }, people, 0), false},
		"resent twice": {"SimpleSmsResend", func(r *ruled) {
			sent(text, messages, 0)(r)
			sent(text, messages, 0)(r)
		}, false},
		"saved": {"ContactsAddContact", func(r *ruled) {
			r.Edit(func(d *apps.Data) {
				d.Save(&apps.Contact{First: r.Params["name"],
					Number: "(" + r.Params["number"] + ")"})
			})
		}, true},
		"saved with another name": {"ContactsAddContact", func(r *ruled) {
			r.Edit(func(d *apps.Data) {
				d.Save(&apps.Contact{First: r.Params["name"] + ".", Number: r.Params["number"]})
			})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &ruled{Task: drawnTask(t, c.id, nil), now: morning}
			r.Simulator = New(&Options{More: true, Now: func() time.Time { return r.now }})
			r.Setup(r.Simulator)
			require.Error(t, r.Check(r.Simulator), "it is done before it begins")
			c.do(r)
			if err := r.Check(r.Simulator); c.done {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
		})
	}
}

// What AndroidWorld reads off the screen has to be shown: by the app, on the page, with nothing of
// another app in front of it.
func TestDrawnTasksAreScoredByWhatIsShown(t *testing.T) {
	h := hold(t, &Options{More: true})
	check := func(task Task, done bool, says string) {
		t.Helper()
		err := task.Check(h.phone)
		if done {
			require.NoError(t, err, says)
		} else {
			require.Error(t, err, says)
		}
	}
	task := drawnTask(t, "OpenAppTaskEval",
		func(t Task) bool { return t.Params["app_name"] == "camera" })
	task.Setup(h.phone)
	h.open("com.android.camera2")
	check(task, false, "the permission is asked for")
	h.touch("permission_allow_button")
	check(task, true, "")
	h.open("com.android.dialer")
	check(task, false, "another app is in front")

	task = drawnTask(t, "ClockStopWatchRunning", nil)
	task.Setup(h.phone)
	h.open("com.taploop.sandbox.timers")
	h.touch("stopwatch_start")
	check(task, true, "")
	h.touch("tab_timer")
	check(task, false, "the stopwatch is not shown")

	task = drawnTask(t, "ClockTimerEntry", func(t Task) bool { return t.Params["hours"] == "0" })
	task.Setup(h.phone)
	h.open("com.taploop.sandbox.timers")
	h.touch("tab_timer")
	h.phone.Edit(func(d *apps.Data) {
		for _, part := range []string{"minutes", "seconds"} {
			d.Timers.Digits += strings.Repeat("0", 2-len(task.Params[part])) + task.Params[part]
		}
	})
	check(task, true, "")
	h.touch("timer_start")
	check(task, false, "it runs")

	task = drawnTask(t, "ContactsNewContactDraft", nil)
	task.Setup(h.phone)
	h.open("com.android.contacts")
	h.touch("create_contact")
	h.phone.Edit(func(d *apps.Data) {
		*d.Draft = apps.Contact{First: strings.ToLower(task.Params["first"]),
			Last: task.Params["last"], Number: strings.ReplaceAll(task.Params["phone"], "-", " "),
			Label: task.Params["phone_label"]}
	})
	check(task, true, "")
	h.touch("label_mobile")
	check(task, false, "the label is another")
}

// Parameters are drawn from the whole of AndroidWorld's lists and ranges.
func TestDrawnParametersAreThoseOfAndroidWorld(t *testing.T) {
	for list, size := range map[string]int{"clipboard": 36, "sentences": 40, "addresses": 8,
		"given_names": 97, "family_names": 22, "first_names": 10, "last_names": 10} {
		b, err := lists.ReadFile("drawn/" + list + ".txt")
		require.NoError(t, err)
		require.Len(t, strings.Split(strings.TrimSpace(string(b)), "\n"), size, list)
	}
	seen := map[string]bool{}
	for seed := range uint64(200) {
		for _, task := range New(nil).Drawn(seed) {
			for name, v := range task.Params {
				seen[task.ID+" "+name+" "+v] = true
			}
		}
	}
	for _, want := range []string{"ClockTimerEntry hours 0", "ClockTimerEntry hours 23",
		"ClockTimerEntry minutes 59", "ClockTimerEntry seconds 7",
		"OpenAppTaskEval app_name dialer", "ContactsNewContactDraft phone_label Work"} {
		require.True(t, seen[want], want)
	}
	for one := range seen {
		switch field := strings.SplitN(one, " ", 3); field[0] + " " + field[1] {
		case "SimpleSmsSend number", "ContactsAddContact number":
			require.Regexp(t, `^\+1\d{10}$`, field[2])
		case "ContactsNewContactDraft phone":
			require.Regexp(t, `^[1-9]\d\d-[1-9]\d\d-[1-9]\d{3}$`, field[2])
		}
	}
}
