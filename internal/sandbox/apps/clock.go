package apps

import (
	"cmp"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

var clock = &App{
	Package: "com.android.deskclock", Activity: ".DeskClock", EN: "Clock", ZH: "时钟", Icon: "alarm",
	Tint:   ui.RGB(0x355c8a),
	System: true, Open: opens(".DeskClock", alarms),
}

func alarms(t *Task) *ui.View {
	list := ui.ListOf("alarms", t.Data.Alarms, t.alarm).Gap(10).Pad(16, 4, 16, 96)
	orEmpty(list, len(t.Data.Alarms), "alarm", t.Say("No alarms", "没有闹钟"))
	return t.screen(t.Say("Clock", "时钟"), nil,
		t.floating(list, "plus", "add_alarm", t.Say("Add alarm", "添加闹钟"), func() {
			t.Push(alarmEdit(t, nil))
		}))
}

func (t *Task) alarm(a *Alarm) *ui.View {
	ink := ui.Dim
	if a.On {
		ink = ui.Strong
	}
	flip := func() {
		if a.On = !a.On; a.On {
			t.Show("Alarm set for "+a.Time(), "闹钟已设为 "+a.Time())
		}
	}
	label := cmp.Or(a.Label, t.Say("Every day", "每天"))
	return ui.Row(
		ui.Column(ui.Text(a.Time()).Size(40).Ink(ink).Named("alarm_time"), ui.Small(label).
			Named("alarm_label")).Grow(1),
		ui.Switch(a.On).Named("onoff").Desc(t.Say("Alarm ", "闹钟 ")+a.Time()).OnTap(flip),
	).Gap(12).Pad(18, 12).Fill(ui.Surface).Radius(18).Named("alarm").
		OnTap(func() { t.Push(alarmEdit(t, a)) }).
		OnLong(deletes(t, a.Time(), &t.Data.Alarms, a))
}
