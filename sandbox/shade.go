package sandbox

import (
	"slices"
	"strconv"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// shade is the notifications, and the panel that is pulled down over the apps.
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
	if s.dismiss() != nil {
		return // the lock screen asks for the PIN first
	}
	n := s.sys.Notifications[i]
	s.sys.Notifications = slices.Delete(s.sys.Notifications, i, i+1)
	s.sys.BannerUntil = s.sys.Now()
	s.bring(s.sys.Find(n.Package))
	if n.Open != nil {
		n.Open(s.front)
	}
}

// panel is the notifications with the quick settings above them.
func (s *shade) panel() *ui.View {
	list := ui.List("notification_stack", s.notifications()...).Gap(8)
	if len(s.sys.Notifications) == 0 {
		list.Add(ui.Text(s.sys.Say("No notifications", "没有通知")).Ink(ui.White).Centered().Pad(24))
	}
	return ui.Column(
		ui.Column(s.quick(), s.brightness()).Gap(12).Pad(0, 8), list,
		ui.Flat(s.sys.Say("Close", "关闭"), func() { s.show(coverNone) }).Ink(ui.White),
	).Gap(8).Pad(16, 8)
}

func (s *shade) quick() *ui.View {
	tile := func(icon, en, zh, key string, on bool, flip func()) *ui.View {
		ink, fill := ui.White, ui.RGB(0x3a4050)
		if on {
			ink, fill = ui.RGB(0x0c2a5c), ui.RGB(0xa8c7fa)
		}
		return ui.Row(ui.Icon(icon).Ink(ink), ui.Text(s.sys.Say(en, zh)).Ink(ink).Lines(1).Grow(1)).
			Gap(10).Pad(14, 16).
			Fill(fill).Radius(24).Grow(1).Named("qs_" + key).Check(on).OnTap(flip)
	}
	global := func(icon, en, zh, key string) *ui.View {
		return tile(icon, en, zh, key, s.sys.Settings.Bool(apps.Global, key), func() {
			s.sys.Settings.Toggle(apps.Global, key)
		})
	}
	return ui.Column(
		ui.Row(global("wifi", "Wi-Fi", "无线网络", "wifi_on"), global("bluetooth", "Bluetooth", "蓝牙",
			"bluetooth_on")).Gap(8),
		ui.Row(global("plane", "Airplane mode", "飞行模式", "airplane_mode_on"),
			tile("moon", "Dark theme", "深色主题", "ui_night_mode", s.sys.Dark(), func() {
				s.sys.SetDark(!s.sys.Dark())
			})).Gap(8),
	).Gap(8)
}

func (s *shade) brightness() *ui.View {
	level := s.sys.Settings.Int(apps.System, "screen_brightness", 128)
	return ui.Row(ui.Icon("sun").Ink(ui.White), ui.Slider("brightness", level*1000/255,
		func(permille int) {
			s.sys.Settings.Put(apps.System, "screen_brightness",
				strconv.Itoa(max(permille*255/1000, 1)))
		}).Grow(1)).Gap(8)
}
