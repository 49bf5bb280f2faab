package apps

import (
	"fmt"
	"slices"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// alarmPage sets an alarm's time: the hour first, then the minute.
type alarmPage struct {
	t       *Task
	alarm   *Alarm // nil for a new one
	draft   Alarm
	minutes bool // the minute is being chosen
}

func alarmEdit(t *Task, a *Alarm) *Page {
	e := &alarmPage{t: t, alarm: a, draft: Alarm{Hour: 7}}
	if a != nil {
		e.draft = *a
	}
	return &Page{Activity: ".AlarmEdit", View: e.view}
}

func (e *alarmPage) view() *ui.View {
	t := e.t
	title := t.Say("Add alarm", "添加闹钟")
	if e.alarm != nil {
		title = t.Say("Edit alarm", "编辑闹钟")
	}
	return t.screen(title, []*ui.View{ui.Flat(t.Say("Save", "保存"), e.save).Named("save_alarm")},
		ui.List("alarm_editor",
			ui.Row(ui.Space(), e.part(e.draft.Hour, "hours", false), ui.Text(":").Size(44).Bold(),
				e.part(e.draft.Minute, "minutes", true), ui.Space()).Gap(8),
			e.choices(),
			ui.Small(t.Say("Label", "标签")),
			ui.Input("alarm_name", t.Say("Add label", "添加标签"), &e.draft.Label),
		).Gap(16).Pad(20, 8))
}

// part is the big hour or minute. A tap chooses what the buttons below set.
func (e *alarmPage) part(n int, name string, minutes bool) *ui.View {
	v := ui.Text(fmt.Sprintf("%02d", n)).Size(52).Bold().Centered().Pad(14, 8).Radius(16).
		Fill(ui.Sunken).Width(104).
		Named(name).Class("android.widget.RadioButton").Select(e.minutes == minutes).
		OnTap(func() { e.minutes = minutes })
	if e.minutes == minutes {
		v.Fill(ui.Soft).Ink(ui.Accent)
	}
	return v
}

func (e *alarmPage) choices() *ui.View {
	if e.minutes {
		more := func(icon, en, zh string, by int) *ui.View {
			return ui.IconButton(icon, e.t.Say(en, zh), func() {
				e.draft.Minute = (e.draft.Minute + by + 60) % 60
			}).Fill(ui.Sunken).
				Radius(24).Named("minute_" + icon)
		}
		return ui.Column(ui.Column(e.grid(60, 5, e.draft.Minute, "minute", func(n int) {
			e.draft.Minute = n
		})...).Gap(8),
			ui.Row(ui.Space(), more("minus", "One minute earlier", "提前一分钟", -1),
				ui.Small(e.t.Say("1 minute", "1 分钟")),
				more("plus", "One minute later", "推后一分钟", 1), ui.Space()).Gap(16)).Gap(12)
	}
	return ui.Column(e.grid(24, 1, e.draft.Hour, "hour", func(n int) {
		e.draft.Hour, e.minutes = n, true
	})...).Gap(8)
}

func (e *alarmPage) grid(end, step, now int, name string, set func(int)) []*ui.View {
	var cells []*ui.View
	for n := 0; n < end; n += step {
		cells = append(cells, ui.Chip(fmt.Sprintf("%02d", n), n == now, func() { set(n) }).
			Pad(0, 10).Grow(1).
			Named(fmt.Sprintf("%s_%02d", name, n)))
	}
	return grid(cells, 6, 8)
}

func (e *alarmPage) save() {
	if e.alarm == nil {
		e.alarm = &Alarm{}
		e.t.Data.Alarms = append(e.t.Data.Alarms, e.alarm)
	}
	*e.alarm = e.draft
	e.alarm.On = true
	slices.SortStableFunc(e.t.Data.Alarms, func(a, b *Alarm) int {
		return a.Hour*60 + a.Minute - b.Hour*60 - b.Minute
	})
	e.t.Show("Alarm set for "+e.alarm.Time(), "闹钟已设为 "+e.alarm.Time())
	e.t.Pop()
}
