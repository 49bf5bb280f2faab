package sandbox

import (
	"slices"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// recents is the overview of running apps: a tap brings one back.
func (stack *Apps) recents() *ui.View {
	list := ui.List("overview_panel").Gap(14)
	for _, t := range slices.Backward(stack.running) {
		list.Add(stack.recentCard(t))
	}
	if len(stack.running) == 0 {
		list.Add(ui.Text(stack.sys.Say("No recent items", "近期没有任何内容")).Ink(ui.White).Size(18).
			Centered().Pad(0, 120, 0, 0))
	}
	return ui.Column(
		ui.Text(stack.sys.Say("Recent apps", "最近的应用")).Size(22).Bold().Ink(ui.White).Pad(8, 12),
		list,
	).Pad(16, 8).Gap(8)
}

func (stack *Apps) recentCard(t *apps.Task) *ui.View {
	app := t.App
	return ui.Row(
		ui.Tile(app.Icon, 48, app.Tint),
		ui.Column(ui.Text(app.Label(stack.sys)).Size(18).Bold(), ui.Small(t.Top().Activity[1:])).
			Grow(1).Gap(2),
	).Gap(14).Pad(16).Fill(ui.Surface).Radius(20).Named("task").Desc(app.Label(stack.sys)).
		OnTap(func() { stack.bring(app) })
}
