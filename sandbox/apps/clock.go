package apps

import (
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/sandbox/ui"
)

var clock = &App{
	Package: "com.android.deskclock", Activity: ".DeskClock", EN: "Clock", ZH: "时钟", Icon: "alarm",
	Tint:   ui.RGB(0x355c8a),
	System: true, Open: func(t *Task) *Page { return (&clockTabs{t: t, minutes: 5}).page() },
}

// clockTabs is the app's first page: alarms, timer and stopwatch.
type clockTabs struct {
	t       *Task
	tab     int
	minutes int       // what the timer is set to
	ends    time.Time // of the running timer
	started time.Time // of the running stopwatch
	passed  time.Duration
}

func (c *clockTabs) page() *Page { return &Page{Activity: ".DeskClock", View: c.view} }

func (c *clockTabs) view() *ui.View {
	t := c.t
	body := []func() *ui.View{c.alarms, c.timer, c.stopwatch}[c.tab]()
	tabs := ui.Row().Pad(8, 6).Fill(ui.Surface)
	for i, tab := range []struct{ icon, name, label string }{
		{"alarm", "tab_alarm", t.Say("Alarm", "闹钟")}, {"timer", "tab_timer", t.Say("Timer", "计时器")},
		{"clock", "tab_stopwatch", t.Say("Stopwatch", "秒表")},
	} {
		ink := ui.Dim
		if i == c.tab {
			ink = ui.Accent
		}
		tabs.Add(ui.Column(ui.Icon(tab.icon).Ink(ink).Align(ui.Center), ui.Text(tab.label).Size(13).
			Ink(ink).Centered()).Gap(2).
			Pad(0, 6).Grow(1).Named(tab.name).Select(i == c.tab).OnTap(func() { c.tab = i }))
	}
	return t.screen(t.Say("Clock", "时钟"), nil, body, tabs)
}

func (c *clockTabs) alarms() *ui.View {
	t := c.t
	list := ui.ListOf("alarms", t.Data.Alarms, c.alarm).Gap(10).Pad(16, 4, 16, 96)
	if len(t.Data.Alarms) == 0 {
		list.Add(empty("alarm", t.Say("No alarms", "没有闹钟")))
	}
	return floating(list, "plus", "add_alarm", t.Say("Add alarm", "添加闹钟"), func() {
		t.Push(alarmEdit(t, nil))
	})
}

func (c *clockTabs) alarm(a *Alarm) *ui.View {
	t := c.t
	ink := ui.Dim
	if a.On {
		ink = ui.Strong
	}
	flip := func() {
		if a.On = !a.On; a.On {
			t.Show("Alarm set for "+a.Time(), "闹钟已设为 "+a.Time())
		}
	}
	label := a.Label
	if label == "" {
		label = t.Say("Every day", "每天")
	}
	return ui.Row(
		ui.Column(ui.Text(a.Time()).Size(40).Ink(ink).Named("alarm_time"), ui.Small(label).
			Named("alarm_label")).Grow(1),
		ui.Switch(a.On).Named("onoff").Desc(t.Say("Alarm ", "闹钟 ")+a.Time()).OnTap(flip),
	).Gap(12).Pad(18, 12).Fill(ui.Surface).Radius(18).Named("alarm").
		OnTap(func() { t.Push(alarmEdit(t, a)) }).
		OnLong(func() {
			t.menu(a.Time(), Button{"delete", t.Say("Delete", "删除"), func() {
				t.Data.Alarms = without(t.Data.Alarms, a)
			}})
		})
}

func (c *clockTabs) timer() *ui.View {
	t := c.t
	left := c.ends.Sub(t.Now())
	if left <= 0 {
		return ui.Column(ui.Gap(40),
			ui.Text(fmt.Sprintf("%02d:00", c.minutes)).Size(64).Centered().Named("timer_time"),
			ui.Row(ui.Space(), c.step("minus", -1), ui.Small(t.Say("minutes", "分钟")),
				c.step("plus", 1), ui.Space()).Gap(16),
			ui.Button(t.Say("Start", "开始"), c.startTimer).Named("timer_start").Align(ui.Center),
		).Gap(24).Grow(1)
	}
	left = left.Round(time.Second)
	return ui.Column(ui.Gap(40),
		ui.Text(fmt.Sprintf("%02d:%02d", int(left.Minutes()), int(left.Seconds())%60)).Size(64).
			Centered().Named("timer_time"),
		ui.Button(t.Say("Cancel", "取消"), func() { c.ends = time.Time{} }).Named("timer_cancel").
			Align(ui.Center),
	).Gap(24).Grow(1)
}

func (c *clockTabs) step(icon string, by int) *ui.View {
	desc := c.t.Say("One minute more", "加一分钟")
	if by < 0 {
		desc = c.t.Say("One minute less", "减一分钟")
	}
	return ui.IconButton(icon, desc, func() { c.minutes = min(max(c.minutes+by, 1), 99) }).
		Fill(ui.Sunken).Radius(24).Named("timer_" + icon)
}

func (c *clockTabs) startTimer() {
	ends := c.t.Now().Add(time.Duration(c.minutes) * time.Minute)
	c.ends = ends
	c.t.After(time.Duration(c.minutes)*time.Minute, func() {
		if c.ends.Equal(ends) {
			c.t.Notify(Notification{Package: c.t.App.Package, Title: c.t.Say("Timer", "计时器"),
				Text: c.t.Say("Time's up", "时间到")})
		}
	})
}

func (c *clockTabs) stopwatch() *ui.View {
	t := c.t
	passed := c.passed
	label, name := t.Say("Start", "开始"), "stopwatch_start"
	if !c.started.IsZero() {
		passed += t.Now().Sub(c.started)
		label, name = t.Say("Stop", "停止"), "stopwatch_stop"
	}
	return ui.Column(ui.Gap(40),
		ui.Text(fmt.Sprintf("%02d:%02d.%d", int(passed.Minutes()), int(passed.Seconds())%60,
			passed.Milliseconds()/100%10)).
			Size(64).Centered().Named("stopwatch_time"),
		ui.Row(ui.Space(), ui.Button(label, c.flipStopwatch).Named(name),
			ui.Flat(t.Say("Reset", "重置"), func() { c.started, c.passed = time.Time{}, 0 }).
				Named("stopwatch_reset"), ui.Space()).Gap(16),
	).Gap(24).Grow(1)
}

func (c *clockTabs) flipStopwatch() {
	if c.started.IsZero() {
		c.started = c.t.Now()
		return
	}
	c.passed += c.t.Now().Sub(c.started)
	c.started = time.Time{}
}

// sortAlarms keeps the list in the order of the day.
func sortAlarms(list []*Alarm) {
	slices.SortStableFunc(list, func(a, b *Alarm) int {
		return a.Hour*60 + a.Minute - b.Hour*60 - b.Minute
	})
}
