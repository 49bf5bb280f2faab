package apps

import (
	"strconv"

	"github.com/taploop/taploop/sandbox/ui"
)

var settings = &App{
	Package: "com.android.settings", Activity: ".Settings", EN: "Settings", ZH: "设置", Icon: "gear",
	Tint:   ui.RGB(0x5f6368),
	System: true, Open: func(t *Task) *Page {
		s := &settingsPages{t}
		return &Page{Activity: ".Settings", View: s.main}
	},
}

type settingsPages struct{ *Task }

// section is a page of settings that is reached from the main list.
type section struct {
	icon, name, en, zh, sub string
	tint                    uint32
	rows                    func() []*ui.View
}

func (s *settingsPages) main() *ui.View {
	list := ui.List("settings_list").Gap(4).Pad(16, 4, 16, 24)
	for _, sec := range s.sections() {
		list.Add(ui.Row(
			ui.Stack(ui.Icon(sec.icon).Size(22).Ink(ui.White).Align(ui.Center, ui.Center)).
				Width(40).Height(40).Radius(20).Fill(ui.RGB(sec.tint)),
			ui.Column(ui.Text(s.Say(sec.en, sec.zh)).Size(18).Named("row_title"), ui.Small(sec.sub).
				Lines(1)).Grow(1),
		).Gap(16).Pad(16, 14).Fill(ui.Surface).Radius(16).Named("row_" + sec.name).
			OnTap(func() { s.open(sec) }))
	}
	return s.screen(s.Say("Settings", "设置"), nil, list)
}

func (s *settingsPages) open(sec section) {
	s.Push(&Page{Activity: ".SubSettings", View: func() *ui.View {
		return s.screen(s.Say(sec.en, sec.zh), nil, ui.List("section_list",
			ui.Column(sec.rows()...).Fill(ui.Surface).Radius(18).Pad(0, 6)).Pad(16, 4))
	}})
}

func (s *settingsPages) sections() []section {
	return []section{
		{"wifi", "network", "Network & internet", "网络和互联网", s.Say("Wi-Fi, mobile, airplane mode",
			"无线网络、移动网络、飞行模式"), 0x1a73e8, s.network},
		{"bluetooth", "devices", "Connected devices", "已连接的设备", s.Say("Bluetooth", "蓝牙"), 0x0b7a75,
			s.devices},
		{"apps", "apps", "Apps", "应用", s.Say("Installed apps", "已安装的应用"), 0x7b5ea7, s.apps},
		{"bell", "notifications", "Notifications", "通知", s.Say("History, bubbles", "历史记录、气泡"),
			0xb3541e, s.notifications},
		{"battery", "battery", "Battery", "电池", "87%", 0x1e7b3c, s.battery},
		{"storage", "storage", "Storage", "存储", s.Say("41% used", "已使用 41%"), 0x5f6368, s.storage},
		{"volume", "sound", "Sound & vibration", "声音和振动", s.Say("Volume, Do Not Disturb", "音量、勿扰"),
			0x9c3d6e, s.sound},
		{"sun", "display", "Display", "显示", s.Say("Dark theme, brightness, font size",
			"深色主题、亮度、字号"), 0xb8860b, s.display},
		{"lock", "security", "Security & privacy", "安全和隐私", s.Say("Screen lock, permissions",
			"屏幕锁定、权限"), 0x2e6b4f, s.security},
		{"pin", "location", "Location", "位置信息", s.onOff(Secure, "location_mode"), 0x1967a8,
			s.location},
		{"accessibility", "accessibility", "Accessibility", "无障碍",
			s.Say("Display, interaction, audio", "显示、互动、音频"), 0x3d5a80, s.accessibility},
		{"globe", "system", "System", "系统", s.Say("Languages, date and time", "语言、日期和时间"), 0x5f6368,
			s.system},
		{"info", "about", "About phone", "关于手机", s.deviceName(), 0x455a64, s.about},
	}
}

func (s *settingsPages) deviceName() string {
	name, _ := s.Settings.Get(Global, "device_name")
	return name
}

func (s *settingsPages) onOff(namespace, key string) string {
	if s.Settings.Bool(namespace, key) {
		return s.Say("On", "开启")
	}
	return s.Say("Off", "关闭")
}

// toggle is a row with a switch on a setting.
func (s *settingsPages) toggle(namespace, key, en, zh string) *ui.View {
	return s.flip(key, s.Say(en, zh), s.onOff(namespace, key), s.Settings.Bool(namespace, key),
		func() { s.Settings.Toggle(namespace, key) })
}

func (s *settingsPages) flip(name, title, sub string, on bool, f func()) *ui.View {
	return ui.Row(
		ui.Column(ui.Text(title).Size(17), ui.Small(sub)).Grow(1), ui.Switch(on).
			Named("switch_widget").Desc(title).OnTap(f),
	).Gap(12).Pad(18, 12).Named("pref_" + name).OnTap(f)
}

// fact is a row that only shows something.
func (s *settingsPages) fact(en, zh, value string) *ui.View {
	return ui.Column(ui.Text(s.Say(en, zh)).Size(17), ui.Small(value)).Pad(18, 12)
}

// choice is a row whose value is one of several, asked for in a dialog.
func (s *settingsPages) choice(namespace, key, en, zh string, values, labels []string) *ui.View {
	now, _ := s.Settings.Get(namespace, key)
	shown := now
	var buttons []Button
	for i, v := range values {
		if v == now {
			shown = labels[i]
		}
		buttons = append(buttons, Button{"option_" + v, labels[i], func() {
			s.Settings.Put(namespace, key, v)
		}})
	}
	return ui.Column(ui.Text(s.Say(en, zh)).Size(17), ui.Small(shown)).Pad(18, 12).Named("pref_" +
		key).
		OnTap(func() { s.menu(s.Say(en, zh), buttons...) })
}

// slider is a row whose value is a number up to most.
func (s *settingsPages) slider(key, en, zh string, most int) *ui.View {
	level := s.Settings.Int(System, key, most/2)
	return ui.Column(
		ui.Row(ui.Text(s.Say(en, zh)).Size(17).Grow(1), ui.Small(strconv.Itoa(level*100/most)+"%")),
		ui.Slider("slider_"+key, level*1000/most, func(permille int) {
			s.Settings.Put(System, key, strconv.Itoa((permille*most+500)/1000))
		}).Desc(s.Say(en, zh)),
	).Pad(18, 8)
}
