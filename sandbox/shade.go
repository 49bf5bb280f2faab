package sandbox

import (
	"slices"

	"github.com/taploop/taploop/sandbox/ui"
)

// shade is the notifications: on the lock screen, and for a while in front of the apps.
type shade struct {
	*core
	*lock
	*appStack
}

// notification is the card of a notification; a tap opens what it is about.
func (s *shade) notification(i int) *ui.View {
	n := s.sys.Notifications[i]
	app := s.sys.Find(n.Package)
	return ui.Row(
		ui.Tile(app.Icon, 40, app.Tint),
		ui.Column(
			ui.Row(ui.Text(n.Title).Bold().Lines(1).Grow(1), ui.Small(n.At.Format("15:04"))).Gap(8),
			ui.Text(n.Text).Size(15).Lines(2),
		).Grow(1).Gap(2),
	).Gap(12).Pad(14).Fill(ui.Surface).Border(ui.Line).Radius(20).Named("notification").Modal().
		OnTap(func() { s.openNotification(i) })
}

func (s *shade) notifications() (cards []*ui.View) {
	for i := range s.sys.Notifications {
		cards = append(cards, s.notification(i))
	}
	return cards
}

func (s *shade) openNotification(i int) {
	if !s.dismiss() {
		return // the lock screen asks for the PIN first
	}
	n := s.sys.Notifications[i]
	s.sys.Notifications = slices.Delete(s.sys.Notifications, i, i+1)
	s.sys.BannerUntil = s.sys.Now()
	s.bring(s.sys.Find(n.Package))
	n.Open(s.front)
}
