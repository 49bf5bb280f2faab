package apps

import (
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var timers = &App{
	Package: "com.taploop.sandbox.timers", Activity: ".Timers", EN: "Timers", ZH: "计时",
	Icon: "watch", Tint: ui.RGB(0x8e5bb5), Open: opens(".Timers", stopwatch),
}

// Timers are the stopwatch and the timer.
type Timers struct {
	Ran    time.Duration // before Since
	Since  time.Time     // when the stopwatch was started, zero while it stands
	Digits string        // of the timer, HHMMSS without leading zeros
	Ends   time.Time     // of the timer, zero while it does not run
}

// Set is the time that the timer is set to.
func (w *Timers) Set() string {
	d := strings.Repeat("0", 6-len(w.Digits)) + w.Digits
	return d[:2] + ":" + d[2:4] + ":" + d[4:]
}

// elapsed is what the stopwatch shows.
func (w *Timers) elapsed(now time.Time) time.Duration {
	if w.Since.IsZero() {
		return w.Ran
	}
	return w.Ran + now.Sub(w.Since)
}

func tabs(t *Task, watch bool) *ui.View {
	return ui.Row(ui.Chip(t.Say("Stopwatch", "秒表"), watch, func() { t.PopAll() }).
		Named("tab_stopwatch"), ui.Chip(t.Say("Timer", "计时器"), !watch, func() {
		if watch {
			t.Push(&Page{Activity: ".Timer", View: func() *ui.View { return countdown(t) }})
		}
	}).Named("tab_timer")).Gap(8).Pad(16, 4)
}

func stopwatch(t *Task) *ui.View {
	w := &t.Data.Timers
	run := func() { w.Since = t.Now() }
	stop := func() { w.Ran, w.Since = w.elapsed(t.Now()), time.Time{} }
	icon, says, tap := "send", t.Say("Start", "开始"), run
	if !w.Since.IsZero() {
		icon, says, tap = "box", t.Say("Pause", "暂停"), stop
	}
	e := w.elapsed(t.Now())
	return t.screen(t.Say("Timers", "计时"), nil, tabs(t, true),
		ui.List("stopwatch", ui.Text(fmt.Sprintf("%02d:%02d", int(e.Minutes()),
			int(e.Seconds())%60)).Size(56).Centered().Pad(0, 60).Named("stopwatch_time"),
			ui.Row(ui.Space(), ui.IconButton("erase", t.Say("Reset", "重置"), func() {
				*w = Timers{Digits: w.Digits, Ends: w.Ends}
			}).Named("stopwatch_reset"), ui.IconButton(icon, says, tap).Named("stopwatch_start").
				Ink(ui.OnAccent).Fill(ui.Accent).Radius(24), ui.Space()).Gap(20)))
}

// countdown sets the timer by digits that come in from the right.
func countdown(t *Task) *ui.View {
	w := &t.Data.Timers
	var keys []*ui.View
	for _, d := range "1234567890" {
		keys = append(keys, ui.Chip(string(d), false, func() {
			if len(w.Digits) < 6 && (w.Digits != "" || d != '0') {
				w.Digits += string(d)
			}
		}).Grow(1).Named("timer_"+string(d)))
	}
	keys = append(keys, ui.Chip("⌫", false, func() {
		w.Digits = w.Digits[:max(len(w.Digits)-1, 0)]
	}).Grow(1).Named("timer_delete"))
	return t.screen(t.Say("Timers", "计时"), nil, tabs(t, false),
		ui.Text(w.Set()).Size(48).Centered().Pad(0, 20).Named("timer_time"),
		ui.List("timer_keys", ui.Column(grid(keys, 3, 8)...).Gap(8),
			ui.Button(t.Say("Start", "开始"), func() { w.Ends = t.Now().Add(time.Minute) }).
				Named("timer_start").Enable(w.Digits != "")).Gap(16).Pad(16, 8))
}
