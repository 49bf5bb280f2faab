package apps

import (
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var calendar = &App{
	Package: "com.android.calendar", Activity: ".AllInOneActivity", EN: "Calendar", ZH: "日历",
	Icon: "note", Tint: ui.RGB(0x1967a8), System: true, Open: opens(".AllInOneActivity", agenda),
}

// Event is an entry of the calendar.
type Event struct {
	Title, Place string
	At           time.Time
}

// Event returns the first event of that title, or nil.
func (d *Data) Event(title string) *Event {
	return First(d.Events, func(e *Event) bool { return e.Title == title })
}

func agenda(t *Task) *ui.View {
	list := ui.ListOf("agenda", t.Data.Events, func(e *Event) *ui.View {
		return ui.Column(ui.Text(e.Title).Size(17).Bold().Named("event_title"),
			ui.Small(t.Date(e.At)+e.At.Format(", 15:04")), ui.Small(e.Place)).Gap(2).Pad(18, 12).
			Fill(ui.Surface).Radius(16).Named("event").
			OnLong(deletes(t, e.Title, &t.Data.Events, e))
	}).Gap(8).Pad(16, 4, 16, 96)
	orEmpty(list, len(t.Data.Events), "note", t.Say("No events", "没有日程"))
	return t.screen(t.Say("Calendar", "日历"), nil, t.floating(list, "plus", "new_event",
		t.Say("New event", "新建日程"), func() { t.Push(eventEdit(t)) }))
}

// eventEdit is the page of a new event, whose day and time have pickers.
func eventEdit(t *Task) *Page {
	e := &Event{At: t.Now().Truncate(time.Hour).Add(time.Hour)}
	save := func() {
		t.Data.Events = append(t.Data.Events, e)
		slices.SortStableFunc(t.Data.Events, func(a, b *Event) int { return a.At.Compare(b.At) })
		t.Pop()
	}
	row := func(name, label, value string, tap func()) *ui.View {
		return ui.Row(ui.Small(label).Grow(1), ui.Text(value)).Pad(14, 12).Fill(ui.Surface).
			Radius(12).Desc(label).Named(name).OnTap(tap)
	}
	return &Page{Activity: ".EditEventActivity", View: func() *ui.View {
		return t.screen(t.Say("New event", "新建日程"),
			[]*ui.View{ui.Flat(t.Say("Save", "保存"), save).Named("save_event").
				Enable(e.Title != "")},
			ui.List("event_editor",
				ui.Input("event_name", t.Say("Title", "标题"), &e.Title),
				ui.Input("event_place", t.Say("Place", "地点"), &e.Place),
				row("event_date", t.Say("Date", "日期"), t.Date(e.At), func() {
					t.Push(datePicker(t, &e.At))
				}),
				row("event_time", t.Say("Time", "时间"), e.At.Format("15:04"), func() {
					t.Push(timePicker(t, &e.At))
				}),
			).Gap(12).Pad(16, 8))
	}}
}

// datePicker chooses a day of a month.
func datePicker(t *Task, at *time.Time) *Page {
	month := time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, at.Location())
	return &Page{Activity: ".DatePicker", View: func() *ui.View {
		days := month.AddDate(0, 1, -1).Day()
		var cells []*ui.View
		for d := 1; d <= days; d++ {
			day := time.Date(month.Year(), month.Month(), d, at.Hour(), at.Minute(), 0, 0,
				at.Location())
			cells = append(cells, ui.Chip(fmt.Sprint(d), day.Equal(*at), func() { *at = day }).
				Pad(0, 10).Grow(1).Named(fmt.Sprintf("day_%d", d)))
		}
		turn := func(icon, en, zh string, by int) *ui.View {
			return ui.IconButton(icon, t.Say(en, zh), func() { month = month.AddDate(0, by, 0) })
		}
		return t.screen(t.Say("Choose a day", "选择日期"), []*ui.View{ui.Flat(t.Say("OK", "确定"),
			t.Pop).Named("picked")}, ui.List("date_picker", ui.Row(
			turn("minus", "Previous month", "上个月", -1).Named("previous_month"),
			ui.Text(t.Say(month.Format("January 2006"), month.Format("2006年1月"))).Bold().
				Centered().Grow(1).Named("month"),
			turn("plus", "Next month", "下个月", 1).Named("next_month")),
			ui.Column(grid(cells, 7, 6)...).Gap(6)).Gap(12).Pad(16, 8))
	}}
}

// timePicker chooses an hour, and a minute in steps of five.
func timePicker(t *Task, at *time.Time) *Page {
	cells := func(name string, end, step, now int, set func(int) time.Duration) *ui.View {
		var list []*ui.View
		for n := 0; n < end; n += step {
			list = append(list, ui.Chip(fmt.Sprintf("%02d", n), n == now, func() {
				*at = at.Add(set(n - now))
			}).Pad(0, 8).Grow(1).Named(fmt.Sprintf("%s_%02d", name, n)))
		}
		return ui.Column(grid(list, 6, 6)...).Gap(6)
	}
	return &Page{Activity: ".TimePicker", View: func() *ui.View {
		return t.screen(t.Say("Choose a time", "选择时间"), []*ui.View{ui.Flat(t.Say("OK", "确定"),
			t.Pop).Named("picked")}, ui.List("time_picker",
			ui.Text(at.Format("15:04")).Size(40).Centered().Named("time"),
			ui.Small(t.Say("Hour", "小时")), cells("at_hour", 24, 1, at.Hour(),
				func(n int) time.Duration {
					return time.Duration(n) * time.Hour
				}),
			ui.Small(t.Say("Minute", "分钟")), cells("at_minute", 60, 5, at.Minute(),
				func(n int) time.Duration { return time.Duration(n) * time.Minute }),
		).Gap(10).Pad(16, 8))
	}}
}
