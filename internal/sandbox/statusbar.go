package sandbox

import (
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// The wallpaper's colours.
var wallTop, wallBottom = ui.RGB(0x27406b), ui.RGB(0x7b5f8d)

// systemViews are the bars and what pops up in front of everything, from back to front.
func (sc *screen) systemViews(s *scene) []*ui.View {
	ink := ui.Strong
	if s.onPhoto {
		ink = ui.White
	}
	views := []*ui.View{sc.bars(s, ink)}
	if b := sc.banner(); b != nil {
		views = append(views, b)
	}
	if t := sc.toast(); t != nil {
		views = append(views, t)
	}
	return views
}

// StatusBar is the height of the status bar in pixels.
func (sc *screen) StatusBar() int {
	return look(sc.core, func() int { return sc.metrics().Px(statusHeight) })
}

// bars are the status bar at the top and the navigation bar at the bottom.
func (sc *screen) bars(s *scene, ink ui.Ink) *ui.View {
	status := ui.Row(
		ui.Text(sc.sys.Now().Format("15:04")).Size(14).Bold().Ink(ink),
		ui.Space(),
		sc.statusIcons(ink),
		ui.Text("87%").Size(13).Ink(ink),
		ui.Icon("battery").Size(17).Ink(ink),
	).Gap(5).Pad(20, 0).Height(statusHeight).Modal()
	button := func(icon, desc string, key int) *ui.View {
		return ui.Icon(icon).Size(20).Ink(ink).Desc(desc).Height(navHeight).Grow(1).
			OnTap(func() { sc.typist.press(key) })
	}
	nav := ui.Row(
		button("nav-back", "Back", KeyBack), button("nav-home", "Home", KeyHome),
		button("nav-recent", "Overview", KeyRecents),
	).Pad(24, 0).Height(navHeight).Modal()
	if s.keyboard != nil {
		nav.Fill(keyboardFill)
	}
	if sc.locked {
		nav = ui.Gap(navHeight)
	}
	return ui.Column(status, ui.Space(), nav)
}

func (sc *screen) statusIcons(ink ui.Ink) *ui.View {
	shown := "wifi"
	switch {
	case sc.sys.Settings.Bool(apps.Global, "airplane_mode_on"):
		shown = "plane"
	case !sc.sys.Settings.Bool(apps.Global, "wifi_on"):
		shown = "signal"
	}
	return ui.Icon(shown).Size(17).Ink(ink)
}

// banner is the last notification, shown in front for a while.
func (sc *screen) banner() *ui.View {
	n := len(sc.sys.Notifications)
	if n == 0 || sc.off || sc.locked ||
		!sc.sys.BannerUntil.After(sc.sys.Now()) {
		return nil
	}
	card := sc.notification(n - 1)
	return ui.Column(ui.Gap(statusHeight), ui.Column(card).Pad(10, 4), ui.Space())
}

func (sc *screen) toast() *ui.View {
	if sc.sys.Toast == "" || sc.off {
		return nil
	}
	return ui.Column(ui.Space(),
		ui.Text(sc.sys.Toast).Size(15).Ink(ui.White).Fill(ui.RGB(0x3a3d46)).Pad(20, 12).Radius(22).
			Align(ui.Center),
		ui.Gap(navHeight+72))
}
