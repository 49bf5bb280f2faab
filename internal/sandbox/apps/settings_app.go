package apps

import (
	"cmp"
	"strconv"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var settings = &App{
	Package: "com.android.settings", Activity: ".Settings", EN: "Settings", ZH: "设置", Icon: "gear",
	Tint:   ui.RGB(0x5f6368),
	System: true, Open: opens(".Settings", sectionList),
}

// section is a page of settings that is reached from the main list.
type section struct {
	icon, name, en, zh string
	tint               uint32
	rows               []setting
}

// setting is a row with a switch on a value of the phone's settings: 1 and 0, or others. Without a
// namespace the row only shows what stands in key's place.
type setting struct{ namespace, key, en, zh, on, off string }

var sections = []section{
	{"wifi", "network", "Network & internet", "网络和互联网", 0x1a73e8, []setting{
		{Global, "wifi_on", "Wi-Fi", "无线网络", "", ""},
		{Global, "mobile_data", "Mobile data", "移动数据", "", ""},
		{Global, "airplane_mode_on", "Airplane mode", "飞行模式", "", ""},
		{Global, "data_saver", "Data Saver", "流量节省", "", ""},
	}},
	{"bluetooth", "devices", "Connected devices", "已连接的设备", 0x0b7a75, []setting{
		{Global, "bluetooth_on", "Bluetooth", "蓝牙", "", ""},
		{Global, "nfc_on", "NFC", "NFC", "", ""},
	}},
	{"apps", "apps", "Apps", "应用", 0x7b5ea7, []setting{
		{Global, "package_verifier_enable", "Scan apps", "扫描应用", "", ""},
	}},
	{"bell", "notifications", "Notifications", "通知", 0xb3541e, []setting{
		{Secure, "notification_history_enabled", "Notification history", "通知历史记录", "", ""},
		{Secure, "notification_bubbles", "Bubbles", "气泡", "", ""},
		{Secure, "lock_screen_show_notifications", "Notifications on lock screen", "锁屏通知", "", ""},
	}},
	{"battery", "battery", "Battery", "电池", 0x1e7b3c, []setting{
		{"", "87%", "Level", "电量", "", ""},
		{Global, "low_power", "Battery Saver", "省电模式", "", ""},
		{Secure, "battery_percentage", "Battery percentage", "电量百分比", "", ""},
	}},
	{"storage", "storage", "Storage", "存储", 0x5f6368, []setting{
		{"", "52 GB / 128 GB", "Used", "已使用", "", ""},
	}},
	{"volume", "sound", "Sound & vibration", "声音和振动", 0x9c3d6e, []setting{
		{Global, "zen_mode", "Do Not Disturb", "勿扰模式", "", ""},
		{System, "vibrate_when_ringing", "Vibrate for calls", "来电振动", "", ""},
	}},
	{"sun", "display", "Display", "显示", 0xb8860b, []setting{
		{Secure, "ui_night_mode", "Dark theme", "深色主题", "2", "1"},
		{System, "font_scale", "Large text", "大字体", "1.3", "1.0"},
		{System, "accelerometer_rotation", "Auto-rotate screen", "自动旋转屏幕", "", ""},
		{System, "screen_brightness", "Brightness", "亮度", "255", "1"},
	}},
	{"lock", "security", "Security & privacy", "安全和隐私", 0x2e6b4f, []setting{
		{Secure, "lock_pattern_visible", "Show passwords briefly", "短暂显示密码", "", ""},
		{Global, "usage_reports", "Usage & diagnostics", "使用情况和诊断信息", "", ""},
	}},
	{"pin", "location", "Location", "位置信息", 0x1967a8, []setting{
		{Secure, "location_mode", "Use location", "使用位置信息", "3", "0"},
	}},
	{"accessibility", "accessibility", "Accessibility", "无障碍", 0x3d5a80, []setting{
		{Secure, "touch_exploration_enabled", "Screen reader", "屏幕阅读器", "", ""},
		{Secure, "accessibility_display_magnification_enabled", "Magnification", "放大", "", ""},
		{Secure, "accessibility_display_daltonizer_enabled", "Colour correction", "色彩校正", "", ""},
		{Secure, "accessibility_display_inversion_enabled", "Colour inversion", "颜色反转", "", ""},
		{Secure, "high_text_contrast_enabled", "High contrast text", "高对比度文字", "", ""},
		{Secure, "accessibility_large_pointer_icon", "Large mouse pointer", "大号鼠标指针", "", ""},
		{System, "master_mono", "Mono audio", "单声道音频", "", ""},
		{Global, "rtt_calling_mode", "Real-time text", "实时文字", "", ""},
		{Secure, "odi_captions_enabled", "Live captions", "实时字幕", "", ""},
		{Secure, "reduce_bright_colors_activated", "Extra dim", "超暗", "", ""},
	}},
	{"globe", "system", "System", "系统", 0x5f6368, []setting{
		{Global, "auto_time", "Set time automatically", "自动设置时间", "", ""},
		{Global, "adb_enabled", "USB debugging", "USB 调试", "", ""},
	}},
	{"info", "about", "About phone", "关于手机", 0x455a64, []setting{
		{"", "taploop sandbox", "Model", "型号", "", ""},
		{"", "14", "Android version", "Android 版本", "", ""},
	}},
}

func sectionList(t *Task) *ui.View {
	return t.screen(t.Say("Settings", "设置"), nil,
		ui.ListOf("settings_list", sections, func(s section) *ui.View {
			return ui.Row(ui.Tile(s.icon, 40, ui.RGB(s.tint)),
				ui.Text(t.Say(s.en, s.zh)).Size(18).Named("row_title").Grow(1),
			).Gap(16).Pad(16, 14).Fill(ui.Surface).Radius(16).Named("row_" + s.name).
				OnTap(func() { t.Push(s.page(t)) })
		}).Gap(4).Pad(16, 4, 16, 24))
}

func (s section) page(t *Task) *Page {
	return &Page{Activity: ".SubSettings", View: func() *ui.View {
		rows := ui.Each(s.rows, func(r setting) *ui.View { return r.row(t) })
		return t.screen(t.Say(s.en, s.zh), nil, ui.List("section_list",
			ui.Column(rows...).Fill(ui.Surface).Radius(18).Pad(0, 6)).Pad(16, 4))
	}}
}

func (r setting) row(t *Task) *ui.View {
	title := t.Say(r.en, r.zh)
	if r.namespace == "" {
		return ui.Column(ui.Text(title).Size(17), ui.Small(r.key)).Pad(18, 12)
	}
	now, _ := t.Settings.Get(r.namespace, r.key)
	if r.key == "screen_brightness" {
		level := (t.Settings.Int(r.namespace, r.key, 128) - 1) * 1000 / 254
		return ui.Column(ui.Text(title).Size(17), ui.Row(
			ui.Slider("pref_"+r.key, level, func(p int) {
				t.Settings.Put(r.namespace, r.key, strconv.Itoa(1+p*254/1000))
			}).Desc(title).Grow(1), ui.Small(now).Width(48),
		)).Gap(4).Pad(18, 12)
	}
	other, state := cmp.Or(r.on, "1"), t.Say("Off", "关闭")
	on := now == other
	if on {
		other, state = cmp.Or(r.off, "0"), t.Say("On", "开启")
	}
	flip := func() { t.Settings.Put(r.namespace, r.key, other) }
	return ui.Row(
		ui.Column(ui.Text(title).Size(17), ui.Small(state)).Grow(1),
		ui.Switch(on).Named("switch_widget").Desc(title).OnTap(flip),
	).Gap(12).Pad(18, 12).Named("pref_" + r.key).OnTap(flip)
}
