// Package drawn_test holds skills, and claims that a task is done, against the drawn tasks of the
// simulated phone. Nothing in it runs side by side, so it goes without the race detector.
package drawn_test

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
)

// held is a simulated phone in memory whose time passes with what is done on it.
type held struct {
	*sandbox.Simulator
	now    time.Time
	commas bool // decimals are written with commas

	after func(moves int, so skill.Source) // is called after each move of a walk, nil for nothing
}

func hold(at time.Time, size image.Point) *held { return holdLaid(at, size, false) }

func holdLaid(at time.Time, size image.Point, lower bool) *held {
	h, still := &held{now: at}, 0.0
	h.Simulator = sandbox.New(&sandbox.Options{Size: size, AnimationScale: &still, More: true,
		Density: size.X * 4 / 9, // all are 360 dp wide; 0 is the default
		Lower:   lower, Now: func() time.Time { return h.now }})
	return h
}

var decimal = regexp.MustCompile(`\$(\d+)\.(\d\d)`)

// Elements implements agentloop.Reader.
func (h *held) Elements(context.Context) ([]screen.Element, error) {
	s, dump := h.Display.Size(), h.Screen.DumpXML()
	if h.commas {
		dump = decimal.ReplaceAll(dump, []byte("$1,$2 $$"))
	}
	turned := screen.Rotation(0)
	if s.X > s.Y {
		turned = 1
	}
	return device.ParseElements(dump, screen.Size{W: s.X, H: s.Y}, turned)
}

func (h *held) state() screen.State {
	w := h.Screen.App()
	return screen.State{App: w.Package, Activity: w.Component()}
}

func (h *held) do(t *testing.T, a actions.Action) {
	t.Helper()
	s := h.Display.Size()
	at := func(p screen.Point) (x, y int) {
		return int(p.X * float64(s.X)), int(p.Y * float64(s.Y))
	}
	switch a := a.(type) {
	case actions.Click:
		h.Touch.Tap(at(a.At))
	case actions.LongPress:
		x, y := at(a.At)
		h.Touch.Swipe(x, y, x, y, time.Second)
	case actions.DoubleClick:
		h.Touch.Tap(at(a.At))
		h.Touch.Tap(at(a.At))
	case actions.Drag:
		x, y := at(a.From)
		toX, toY := at(a.To)
		h.Touch.DragAndDrop(x, y, toX, toY, time.Second)
	case actions.Slide:
		x, y := at(a.From)
		toX, toY := at(a.To)
		h.Touch.Swipe(x, y, toX, toY, time.Second)
	case actions.Type:
		h.Keys.Text(a.Text)
	case actions.Scroll:
		way := a.Traits().Points
		x, y := at(way[0])
		toX, toY := at(way[1])
		h.Touch.Swipe(x, y, toX, toY, 1500*time.Millisecond)
	case actions.OpenApp:
		name := a.App
		for _, app := range h.Apps.Packages() {
			if strings.EqualFold(app.EN, name) {
				name = app.Package
			}
		}
		require.NoError(t, h.Apps.Launch(name))
	case actions.Back:
		require.NoError(t, h.Keys.Key(sandbox.KeyBack))
	}
	h.now = h.now.Add(4 * time.Second)
}

const (
	settingsApp = "open com.android.settings"
	clockApp    = "open com.android.deskclock"
	smsApp      = "open com.android.messaging"
)

var newEvent = []string{"open Calendar", "tap new_event", "tap event_name", "type {title}",
	"tap event_date",
	"tap day_{day}", "tap picked", "tap event_time", "tap at_hour_{hour}", "tap picked",
	"tap save_event"}

// text writes to somebody: to a number, or to one of the contacts, by how the receiver is chosen.
func text(to, chosen, what string) []string {
	return []string{"tap start_chat", "tap permission_allow_button", "tap recipient", "type " + to +
		chosen, "tap compose_message_text", "type " + what, "tap send_message_button"}
}

// walks solve the drawn tasks: a verb and what it is for, by resource name or by words.
var walks = map[string][]string{
	"SystemWifiTurn":      {settingsApp, "tap row_network", "tap pref_wifi_on"},
	"SystemBluetoothTurn": {settingsApp, "tap row_devices", "tap pref_bluetooth_on"},
	"AirplaneModeTurn":    {settingsApp, "tap row_network", "tap pref_airplane_mode_on"},
	"DarkThemeTurn":       {settingsApp, "tap row_display", "tap pref_ui_night_mode"},
	"LocationTurn":        {settingsApp, "tap row_location", "tap pref_location_mode"},
	"MagnificationTurn": {settingsApp, "tap row_accessibility",
		"tap pref_accessibility_display_magnification_enabled"},
	"TurnOffWifiAndTurnOnBluetooth": {settingsApp, "tap row_network", "tap pref_wifi_on", "tap up",
		"tap row_devices", "tap pref_bluetooth_on"},
	"ClockAlarmSet": {clockApp, "tap add_alarm", "tap hour_{hour}", "tap minute_{minute}",
		"tap save_alarm"},
	"ClockAlarmOff":    {clockApp, "tap Alarm {time}"},
	"ClockAlarmDelete": {clockApp, "press {time}", "tap delete"},
	"NotesCreate": {"open com.taploop.sandbox.notes", "tap new_note", "type {title}",
		"tap edit_body", "type {text}", "tap save"},
	"SmsSendToContact": {smsApp, "tap {who}", "tap compose_message_text", "type {text}",
		"tap send_message_button"},
	"SimpleSmsSend": append([]string{smsApp}, text("{number}", "\n", "{message}")...),
	"SimpleSmsReply": {smsApp, "tap {number}", "tap compose_message_text", "type {message}",
		"tap send_message_button"},
	"SystemBrightnessMax": {settingsApp, "tap row_display", "tap pref_screen_brightness 0.98"},
	"SystemBrightnessMin": {settingsApp, "tap row_display", "tap pref_screen_brightness 0.02"},
	"OpenAppTaskEval":     {"open {app_name}"},
	"TurnOnWifiAndOpenApp": {settingsApp, "tap row_network", "tap pref_wifi_on",
		"open {app_name}"},
	"SystemCopyToClipboard": {"open Clipper", "tap clip_text", "type {clipboard_content}",
		"tap clip_copy"},
	"ClockStopWatchRunning": {"open Timers", "tap stopwatch_start"},
	"ClockStopWatchPaused":  {"open Timers", "tap stopwatch_start"},
	"ClockTimerEntry":       {"open Timers", "tap tab_timer"}, // and the digits
	"ContactsAddContact": {"open Contacts", "tap create_contact", "tap first_name", "type {name}",
		"tap phone", "type {number}", "tap save_contact"},
	"ContactsNewContactDraft": {"open Contacts", "tap create_contact", "tap first_name",
		"type {first}", "tap last_name", "type {last}", "tap phone", "type {phone}",
		"tap {phone_label}"},
	"SimpleSmsReplyMostRecent": {smsApp, "tap conversation", "tap compose_message_text",
		"type {message}", "tap send_message_button"},
	"SimpleSmsSendClipboardContent": {smsApp, "tap start_chat", "tap permission_allow_button",
		"tap recipient", "type {number}\n", "tap paste", "tap send_message_button"},
	"SimpleSmsSendReceivedAddress": {smsApp, "tap {name2}", "read message_text", "tap up",
		"tap start_chat", "tap permission_allow_button", "tap recipient", "type {name1}",
		"tap contact", "tap compose_message_text", "type {read}", "tap send_message_button"},
	"SimpleSmsResend": {smsApp, "tap {name}", "read message_text", "tap compose_message_text",
		"type {read}", "tap send_message_button"},
	"CalendarAddEvent": newEvent,
	"BrowserOpenPage":  {"open Browser", "tap Recipes of the week", "tap {recipe}"},
	"ShopCart":         {"shirt {size}"},
	"AskSize":          {"shirt {size}"},
	"AskInterview": append([]string{smsApp}, text("{number}", "\n",
		"Your interview is scheduled for tomorrow morning at {time}")...),
	"AskWhichMessages": {smsApp, "press {number}", "tap delete"},
	"AskConflict": append([]string{smsApp}, text("{number}", "\n",
		"Sorry, I can't attend the meeting.")...),
	"AskRoommates": slices.Concat([]string{smsApp}, text("{first}", "\n", "hello"),
		[]string{"tap up", "tap start_chat", "tap recipient", "type {second}\n",
			"tap compose_message_text", "type hello", "tap send_message_button", "tap up",
			"tap start_chat", "tap recipient", "type {third}\n", "tap compose_message_text",
			"type hello", "tap send_message_button"}),
	"AskWhichEvent": {"open Calendar", "press Meeting with {who}", "tap delete"},
	"AskLunch": slices.Concat([]string{smsApp, "tap {who}", "tap compose_message_text", "type OK",
		"tap send_message_button"}, newEvent),
	"AskPhoneNumber": append([]string{smsApp}, "tap start_chat", "tap permission_allow_button",
		"tap recipient", "type Grace", "tap contact", "tap compose_message_text", "type {number}",
		"tap send_message_button"),
	"AskWhichItem": {"open com.taploop.sandbox.shop", "tap cart", "tap Remove {product}"},
}

// alike are tasks that are solved as others are.
var alike = map[string]string{"AskAlarmTime": "ClockAlarmSet", "AskAlarmMistaken": "ClockAlarmSet",
	"AskContactNumber": "ContactsAddContact", "AskRoommatesUnknown": "AskRoommates"}

// walkOf is the walk of a task with its parameters. What only has to be verified is looked at.
func walkOf(t *testing.T, task sandbox.Task) (list []string) {
	t.Helper()
	family := task.ID
	if walks[family] == nil {
		family = strings.TrimSuffix(family, "Verify")
		family = strings.TrimSuffix(strings.TrimSuffix(family, "On"), "Off")
	}
	family = cmp.Or(alike[family], family)
	require.NotNil(t, walks[family], "no walk for %s", task.ID)
	values := maps.Clone(task.Params)
	if family == "AskLunch" {
		values["title"] = "Lunch"
	}
	for _, m := range walks[family] {
		for name, v := range values {
			m = strings.ReplaceAll(m, "{"+name+"}", v)
		}
		if size, is := strings.CutPrefix(m, "shirt "); is {
			list = append(list, "open com.taploop.sandbox.shop", "tap search", "type merino",
				"tap search_button", "tap product", "tap size_"+size, "tap colour_navy",
				"tap add_to_cart")
			continue
		}
		list = append(list, m)
	}
	if task.Params["app_name"] == "camera" {
		list = append(list, "tap permission_allow_button")
	}
	if family == "ClockTimerEntry" {
		set := ""
		for _, part := range []string{"hours", "minutes", "seconds"} {
			set += fmt.Sprintf("%02s", task.Params[part])
		}
		for _, d := range strings.TrimLeft(set, "0") {
			list = append(list, "tap timer_"+string(d))
		}
	}
	if strings.HasSuffix(task.ID, "Verify") {
		list = list[:len(list)-1]
	}
	return list
}

// named are the parameters of a task that its goal or its user names.
func named(task sandbox.Task) map[string]string {
	params := maps.Clone(task.Params)
	maps.DeleteFunc(params, func(_, v string) bool {
		return !strings.Contains(task.Goal+task.Reply, v)
	})
	return params
}

// record walks a task, and returns what a store would have of it.
func record(t *testing.T, h *held, task sandbox.Task, walk []string) skill.Source {
	t.Helper()
	src := skill.Source{Run: store.Run{State: store.Completed, Task: task.Goal}}
	note := func(a actions.Action) {
		list, err := h.Elements(t.Context())
		require.NoError(t, err)
		src.Steps = append(src.Steps, store.StepRecord{State: store.Done, Step: agentloop.Step{
			Index: len(src.Steps) + 1, Screen: screen.Observation{State: h.state()},
			Proposal: agentloop.Proposal{Elements: list, Decision: actions.Decision{Action: a}}}})
		h.do(t, a)
	}
	if task.Reply != "" {
		note(actions.Info{Question: "What is to be known?"})
		src.Steps[0].Exchange = &actions.Exchange{Question: "What is to be known?",
			Answer: task.Reply, Outcome: actions.Answered}
	}
	read := ""
	for i, m := range walk {
		verb, what, _ := strings.Cut(strings.ReplaceAll(m, "{read}", read), " ")
		switch verb {
		case "read": // the first one
			list, err := h.Elements(t.Context())
			require.NoError(t, err)
			i := slices.IndexFunc(list, func(e screen.Element) bool {
				return strings.HasSuffix(e.ResourceID, ":id/"+what)
			})
			read = list[i].Text
		case "open":
			note(actions.OpenApp{App: what})
		case "type":
			note(actions.Type{Text: what})
		default:
			what, to, _ := strings.Cut(what, " to ")
			what, across, _ := strings.Cut(what, " 0.")
			at, seen := place(t, h, what, across)
			for range 8 {
				if seen {
					break
				}
				note(actions.Scroll{At: screen.Point{X: 0.5, Y: 0.5}, Direction: actions.Down})
				at, seen = place(t, h, what, across)
			}
			require.True(t, seen, "%s: %s is not there", task.ID, what)
			var a actions.Action = actions.Click{At: at}
			switch verb {
			case "press":
				a = actions.LongPress{At: at}
			case "twice":
				a = actions.DoubleClick{At: at}
			case "drag":
				end, _ := place(t, h, to, "")
				a = actions.Drag{From: at, To: end}
			case "slide":
				end, _ := place(t, h, to, "")
				a = actions.Slide{From: at, To: end}
			}
			note(a)
		}
		if h.after != nil {
			h.after(i+1, src)
		}
	}
	note(actions.Complete{Report: "Done."})
	return src
}

// place is where something is on the screen, by its resource name or its words. across is how far to
// the right in it, as digits behind the point, "" for its middle.
func place(t *testing.T, h *held, what, across string) (screen.Point, bool) {
	t.Helper()
	list, err := h.Elements(t.Context())
	require.NoError(t, err)
	i := slices.IndexFunc(list, func(e screen.Element) bool {
		return strings.HasSuffix(e.ResourceID, ":id/"+what)
	})
	if i < 0 {
		i = slices.IndexFunc(list, func(e screen.Element) bool {
			return e.Text == what || e.ContentDesc == what
		})
	}
	if i < 0 || list[i].Bounds.Max.Y-list[i].Bounds.Min.Y < 0.015 {
		return screen.Point{}, false
	}
	at := list[i].Bounds.Center()
	if f, err := strconv.ParseFloat("0."+across, 64); err == nil && across != "" {
		at.X = list[i].Bounds.Min.X + f*(list[i].Bounds.Max.X-list[i].Bounds.Min.X)
	}
	return at, true
}

// atALoss is a model that gives up, and counts how often it was asked.
type atALoss int

// Next implements agentloop.Policy.
func (n *atALoss) Next(context.Context, agentloop.Situation) (agentloop.Proposal, error) {
	*n++
	return agentloop.Proposal{Decision: actions.Decision{Action: actions.Abort{Reason: "-"}}}, nil
}

// repeat repeats a skill on the phone, with an answer for each of its questions, and reports
// whether it ended well without the model.
func repeat(t *testing.T, h *held, s *skill.Skill, answers ...string) bool {
	t.Helper()
	var asked atALoss
	p := skill.New(skill.Plan{Skill: s, Heal: skill.HealAuto}, &asked, "en", "en")
	var history []actions.Turn
	var heard []actions.Exchange
	for step := 1; step < 60; step++ {
		out, err := p.Next(t.Context(), agentloop.Situation{Step: step, Reader: h,
			Screen:   screen.Observation{State: h.state()},
			Progress: agentloop.Progress{Task: s.Task, History: history, Exchanges: heard}})
		require.NoError(t, err)
		if _, done := out.Action.(actions.Complete); done {
			require.Zero(t, asked)
			return true
		}
		if asked > 0 {
			at, _ := skill.PlaceOf(agentloop.Progress{History: out.History})
			t.Logf("%s: %+v", s.Name, at.Healed)
			return false
		}
		history = out.History
		if q, asks := out.Action.(actions.Info); asks {
			require.Less(t, len(heard), len(answers), "%s asks too often", s.Name)
			heard = append(heard, actions.Exchange{Question: q.Question,
				Answer: answers[len(heard)], Outcome: actions.Answered})
			continue
		}
		h.do(t, out.Action)
	}
	require.Fail(t, "it does not end")
	return false
}

var (
	morning = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	evening = time.Date(2026, 11, 17, 18, 42, 0, 0, time.UTC)
)

// What was recorded once is repeated with other parameters on a phone of another size, at another
// time, whose lists are in another order, whose settings are otherwise, and which writes numbers in
// another way. On phones whose apps are laid out otherwise, too, no end is claimed that is not so.
func TestDrawnTasksAreRepeatedWithoutAModel(t *testing.T) {
	first := sandbox.New(nil).Drawn(1)
	other := sandbox.New(nil).Drawn(2)
	require.GreaterOrEqual(t, len(first), 24)
	small := func() *held {
		h := hold(evening, image.Pt(720, 1480))
		h.commas = true
		return h
	}
	put := func(key, value string) func(*held) {
		return func(h *held) { h.Settings.PutSetting("system", key, value) }
	}
	skills, recorded := make([]*skill.Skill, len(first)), 0
	for i, task := range first {
		var steps int
		skills[i], steps = learned(t, task)
		recorded += steps
	}
	for _, phone := range []*struct {
		name  string
		hold  func() *held
		after func(*held)
		well  int
		least float64 // of the tasks, without a model
	}{
		{"small", small, nil, 0, 0.93},
		{"short", func() *held { return hold(evening, image.Pt(720, 1280)) }, nil, 0, 0.93},
		{"wide", func() *held { return hold(evening, image.Point{}) }, put("user_rotation", "1"), 0,
			0.8},
		{"other layout", func() *held { return holdLaid(evening, image.Point{}, true) }, nil, 0,
			0.93},
		{"large text", small, put("font_scale", "1.3"), 0, 0.93},
		{"landscape", small, put("user_rotation", "1"), 0, 0.8},
		{"landscape, other layout", func() *held { return holdLaid(evening, image.Pt(720, 1280), true) },
			put("user_rotation", "1"), 0, 0.7}, // a keyboard leaves no room to look for a field
	} {
		calls := 0
		for i, task := range first {
			s := skills[i]
			if s == nil {
				continue
			}
			values := map[string]any{}
			for name, v := range named(other[i]) {
				values[name] = v
			}
			s, err := s.Fill(values)
			require.NoError(t, err)
			again := phone.hold()
			other[i].Setup(again.Simulator)
			if phone.after != nil {
				phone.after(again)
			}
			if !repeat(t, again, s, other[i].Reply) {
				calls++
				continue
			}
			require.NoError(t, other[i].Check(again.Simulator),
				"%s: %s ended, and is not done: %v %v", phone.name, task.ID, task.Params,
				other[i].Params)
			phone.well++
		}
		t.Logf("%s: %d of %d without a model, which was asked %d times first, for %d steps "+
			"recorded",
			phone.name, phone.well, len(first), calls, recorded)
		require.GreaterOrEqual(t, float64(phone.well), phone.least*float64(len(first)))
		if phone.least > 0.8 { // a call costs about what one cost in the recording
			require.LessOrEqual(t, calls*50, recorded, "more than 2 in 100 calls are left")
		}
	}
}

// What is done in a skill hangs on what was answered to its question: another answer than the
// values say, or none, is the model's, and no end is claimed.
func TestAnotherAnswerThanTheRecordedOneIsTheModels(t *testing.T) {
	asked := 0
	for _, task := range sandbox.New(nil).Drawn(1) {
		if task.Reply == "" {
			continue
		}
		asked++
		s, _ := learned(t, task)
		values := map[string]any{}
		for name, v := range named(task) {
			values[name] = v
		}
		s, err := s.Fill(values)
		require.NoError(t, err)
		for _, answer := range []string{task.Reply, "It is something else.", ""} {
			h := hold(evening, image.Point{})
			task.Setup(h.Simulator)
			require.Equal(t, answer == task.Reply, repeat(t, h, s, answer), "%s: %q", task.ID, answer)
		}
	}
	require.Equal(t, 13, asked)
}
