package sandbox

import (
	"slices"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// notification is the card of a notification, on the lock screen and for a while in front of the
// apps; a tap opens what it is about.
func (sc *screen) notification(i int) *ui.View {
	n := sc.sys.Notifications[i]
	app := sc.sys.Find(n.Package)
	return ui.Row(
		ui.Tile(app.Icon, 40, app.Tint),
		ui.Column(
			ui.Row(ui.Text(n.Title).Bold().Lines(1).Grow(1), ui.Small(n.At.Format("15:04"))).Gap(8),
			ui.Text(n.Text).Size(15).Lines(2),
		).Grow(1).Gap(2),
	).Gap(12).Pad(14).Fill(ui.Surface).Border(ui.Line).Radius(20).Named("notification").Modal().
		OnTap(func() { sc.openNotification(i) })
}

func (sc *screen) notifications() (cards []*ui.View) {
	for i := range sc.sys.Notifications {
		cards = append(cards, sc.notification(i))
	}
	return cards
}

func (sc *screen) openNotification(i int) {
	if !sc.dismiss() {
		return // the lock screen asks for the PIN first
	}
	n := sc.sys.Notifications[i]
	sc.sys.Notifications = slices.Delete(sc.sys.Notifications, i, i+1)
	sc.sys.BannerUntil = sc.sys.Now()
	sc.bring(sc.sys.Find(n.Package))
	n.Open(sc.front)
}
