package sandbox

import (
	"slices"
	"strconv"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// notification is the card of a notification; a tap opens what it is about.
func (p *Phone) notification(i int) *ui.View {
	n := p.sys.Notifications[i]
	app := p.sys.Find(n.Package)
	return ui.Row(
		ui.Tile(app.Icon, 40, app.Tint),
		ui.Column(
			ui.Row(ui.Text(n.Title).Bold().Lines(1).Grow(1), ui.Small(n.At.Format("15:04"))).Gap(8),
			ui.Text(n.Text).Size(15).Lines(2),
		).Grow(1).Gap(2),
	).Gap(12).Pad(14).Fill(ui.Surface).Border(ui.Line).Radius(20).Named("notification").Modal().OnTap(func() { p.openNotification(i) })
}

func (p *Phone) openNotification(i int) {
	if p.dismiss() != nil {
		return // the lock screen asks for the PIN first
	}
	n := p.sys.Notifications[i]
	p.sys.Notifications = slices.Delete(p.sys.Notifications, i, i+1)
	p.sys.BannerUntil = p.sys.Now()
	p.bring(p.sys.Find(n.Package))
	if n.Open != nil {
		n.Open(p.front)
	}
}

// shade is the notification shade with its quick settings.
func (p *Phone) shade() *ui.View {
	list := ui.List("notification_stack", ui.Each(p.sys.Notifications, func(i int, _ apps.Notification) *ui.View {
		return p.notification(i)
	})...).Gap(8)
	if len(p.sys.Notifications) == 0 {
		list.Add(ui.Text(p.sys.Say("No notifications", "没有通知")).Ink(ui.White).Centered().Pad(24))
	}
	close := func() {
		p.cover = coverNone
		p.sys.Moved(apps.Popup)
	}
	return ui.Column(
		ui.Column(p.quick(), p.brightness()).Gap(12).Pad(0, 8), list,
		ui.Flat(p.sys.Say("Close", "关闭"), close).Ink(ui.White),
	).Gap(8).Pad(16, 8)
}

func (p *Phone) quick() *ui.View {
	tile := func(icon, en, zh, namespace, key string, on bool, flip func()) *ui.View {
		ink, fill := ui.White, ui.RGB(0x3a4050)
		if on {
			ink, fill = ui.RGB(0x0c2a5c), ui.RGB(0xa8c7fa)
		}
		return ui.Row(ui.Icon(icon).Ink(ink), ui.Text(p.sys.Say(en, zh)).Ink(ink).Lines(1).Grow(1)).Gap(10).Pad(14, 16).
			Fill(fill).Radius(24).Grow(1).Named("qs_" + key).Check(on).OnTap(flip)
	}
	global := func(icon, en, zh, key string) *ui.View {
		return tile(icon, en, zh, apps.Global, key, p.sys.Settings.Bool(apps.Global, key), func() { p.sys.Settings.Toggle(apps.Global, key) })
	}
	return ui.Column(
		ui.Row(global("wifi", "Wi-Fi", "无线网络", "wifi_on"), global("bluetooth", "Bluetooth", "蓝牙", "bluetooth_on")).Gap(8),
		ui.Row(global("plane", "Airplane mode", "飞行模式", "airplane_mode_on"),
			tile("moon", "Dark theme", "深色主题", apps.Secure, "ui_night_mode", p.sys.Dark(), func() { p.sys.SetDark(!p.sys.Dark()) })).Gap(8),
	).Gap(8)
}

func (p *Phone) brightness() *ui.View {
	level := p.sys.Settings.Int(apps.System, "screen_brightness", 128)
	return ui.Row(ui.Icon("sun").Ink(ui.White), ui.Slider("brightness", level*1000/255, func(permille int) {
		p.sys.Settings.Put(apps.System, "screen_brightness", strconv.Itoa(max(permille*255/1000, 1)))
	}).Grow(1)).Gap(8)
}
