package apps

import (
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Launcher is the package of the home screen.
const Launcher = "com.android.launcher3"

var launcher = &App{
	Package: Launcher, Activity: ".Launcher", EN: "Home", ZH: "桌面", Icon: "nav-home",
	Tint:   ui.RGB(0x5f6368),
	System: true, Open: opens(".Launcher", home),
}

// docked are the apps at the bottom of the home screen.
var docked = []string{"com.android.messaging", "com.android.deskclock", "com.taploop.sandbox.notes",
	"com.android.settings"}

func home(t *Task) *ui.View {
	now := t.Now()
	var all, dock []*ui.View
	for _, a := range t.Apps {
		if a.Activity != "" && a.Package != Launcher {
			all = append(all, icon(t, a, true))
		}
	}
	for _, pkg := range docked {
		dock = append(dock, icon(t, t.Find(pkg), false))
	}
	size, top := 64, 36
	columns := 4
	if t.Wide {
		size, top = 36, 0
		columns = 7
	}
	return ui.Column(
		ui.Column(
			ui.Text(now.Format("15:04")).Size(size).Ink(ui.White).Centered().Named("clock"),
			ui.Text(t.Date(now)).Size(17).Ink(ui.White).Centered().Named("date"),
		).Pad(0, top, 0, 24),
		ui.List("workspace", grid(all, columns, 0)...).Gap(20),
		ui.Row(dock...).Pad(8, 14).Fill(ui.RGB(0x55507c)).Radius(28).Named("hotseat"),
	).Pad(16, 0, 16, 12)
}

// grid puts views into rows of n with a gap between them.
func grid(views []*ui.View, n, gap int) []*ui.View {
	var rows []*ui.View
	for i := 0; i < len(views); i += n {
		row := ui.Row(views[i:min(i+n, len(views))]...).Gap(gap)
		for range i + n - len(views) {
			row.Add(ui.Space())
		}
		rows = append(rows, row)
	}
	return rows
}

// icon is an app's icon. A long press offers what can be done with the app.
func icon(t *Task, a *App, labelled bool) *ui.View {
	label := a.Label(t.Host)
	v := ui.Column(ui.Tile(a.Icon, 58, a.Tint).Align(ui.Center))
	if labelled {
		v.Add(ui.Text(label).Size(14).Ink(ui.White).Centered().Lines(1))
	}
	return v.Gap(8).Grow(1).Desc(label).Named("icon_" + strings.ToLower(a.EN)).
		OnTap(func() { t.Want = a.Package }).
		OnLong(func() {
			t.menu(label, Button{"open", t.Say("Open", "打开"), func() { t.Want = a.Package }})
		})
}
