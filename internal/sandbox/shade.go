package sandbox

import (
	"slices"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// shade is the system's bars, and the notifications and toasts in front of the apps.
type shade struct {
	*core
	lock  *Lock
	stack *Apps
}

// notification is the card of a notification, on the lock screen and for a while in front of the
// apps. A tap opens its subject.
func (sh *shade) notification(i int) *ui.View {
	n := sh.sys.Notifications[i]
	app := sh.sys.Find(n.Package)
	return ui.Row(
		ui.Tile(app.Icon, 40, app.Tint),
		ui.Column(
			ui.Row(ui.Text(n.Title).Bold().Lines(1).Grow(1), ui.Small(n.At.Format("15:04"))).Gap(8),
			ui.Text(n.Text).Size(15).Lines(2),
		).Grow(1).Gap(2),
	).Gap(12).Pad(14).Fill(ui.Surface).Border(ui.Line).Radius(20).Named("notification").Modal().
		OnTap(func() { sh.openNotification(i) })
}

func (sh *shade) notifications() (cards []*ui.View) {
	for i := range sh.sys.Notifications {
		cards = append(cards, sh.notification(i))
	}
	return cards
}

func (sh *shade) openNotification(i int) {
	if !sh.lock.dismiss() {
		return // the lock screen asks for the PIN first
	}
	n := sh.sys.Notifications[i]
	sh.sys.Notifications = slices.Delete(sh.sys.Notifications, i, i+1)
	sh.sys.BannerUntil = sh.sys.Now()
	sh.stack.bring(sh.sys.Find(n.Package))
	n.Open(sh.stack.front)
}

// views are the bars and what pops up in front of everything, from back to front.
func (sh *shade) views(s *scene) []*ui.View {
	ink := ui.Strong
	if s.onPhoto {
		ink = ui.White
	}
	views := []*ui.View{sh.bars(s, ink)}
	if b := sh.banner(); b != nil {
		views = append(views, b)
	}
	if t := sh.toast(); t != nil {
		views = append(views, t)
	}
	return views
}

// bars are the status bar at the top and the navigation bar at the bottom.
func (sh *shade) bars(s *scene, ink ui.Ink) *ui.View {
	status := ui.Row(
		ui.Text(sh.sys.Now().Format("15:04")).Size(14).Bold().Ink(ink),
		ui.Space(),
		sh.statusIcons(ink),
		ui.Text("87%").Size(13).Ink(ink),
		ui.Icon("battery").Size(17).Ink(ink),
	).Gap(5).Pad(20, 0).Height(statusHeight).Modal()
	button := func(icon, desc string, key int) *ui.View {
		return ui.Icon(icon).Size(20).Ink(ink).Desc(desc).Height(navHeight).Grow(1).
			OnTap(func() { sh.typist.press(key) })
	}
	nav := ui.Row(
		button("nav-back", "Back", KeyBack), button("nav-home", "Home", KeyHome),
		button("nav-recent", "Overview", KeyRecents),
	).Pad(24, 0).Height(navHeight).Modal()
	if s.keyboard != nil {
		nav.Fill(keyboardFill)
	}
	if sh.lock.locked {
		nav = ui.Gap(navHeight)
	}
	return ui.Column(status, ui.Space(), nav)
}

func (sh *shade) statusIcons(ink ui.Ink) *ui.View {
	shown := "wifi"
	switch {
	case sh.sys.Settings.Bool(apps.Global, "airplane_mode_on"):
		shown = "plane"
	case !sh.sys.Settings.Bool(apps.Global, "wifi_on"):
		shown = "signal"
	}
	return ui.Icon(shown).Size(17).Ink(ink)
}

// banner is the last notification, shown in front for a while.
func (sh *shade) banner() *ui.View {
	n := len(sh.sys.Notifications)
	if n == 0 || sh.lock.off || sh.lock.locked ||
		!sh.sys.BannerUntil.After(sh.sys.Now()) {
		return nil
	}
	card := sh.notification(n - 1)
	return ui.Column(ui.Gap(statusHeight), ui.Column(card).Pad(10, 4), ui.Space())
}

func (sh *shade) toast() *ui.View {
	if sh.sys.Toast == "" || sh.lock.off {
		return nil
	}
	return ui.Column(ui.Space(),
		ui.Text(sh.sys.Toast).Size(15).Ink(ui.White).Fill(ui.RGB(0x3a3d46)).Pad(20, 12).Radius(22).
			Align(ui.Center),
		ui.Gap(navHeight+72))
}
