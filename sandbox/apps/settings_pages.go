package apps

import "github.com/taploop/taploop/sandbox/ui"

func (s *settingsPages) network() []*ui.View {
	return []*ui.View{
		s.toggle(Global, "wifi_on", "Wi-Fi", "无线网络"),
		s.toggle(Global, "mobile_data", "Mobile data", "移动数据"),
		s.toggle(Global, "airplane_mode_on", "Airplane mode", "飞行模式"),
		s.toggle(Global, "data_saver", "Data Saver", "流量节省"),
	}
}

func (s *settingsPages) devices() []*ui.View {
	return []*ui.View{
		s.toggle(Global, "bluetooth_on", "Bluetooth", "蓝牙"), s.toggle(Global, "nfc_on", "NFC",
			"NFC"),
		s.fact("Saved devices", "已保存的设备", s.Say("None", "无")),
	}
}

func (s *settingsPages) apps() []*ui.View {
	var rows []*ui.View
	for _, a := range s.Apps {
		if a.Activity != "" && a.Package != Launcher {
			rows = append(rows, ui.Row(ui.Tile(a.Icon, 40, a.Tint),
				ui.Column(ui.Text(a.Label(s.Host)).Size(17), ui.Small(a.Package)).Grow(1)).
				Gap(16).Pad(18, 10))
		}
	}
	return rows
}

func (s *settingsPages) notifications() []*ui.View {
	return []*ui.View{
		s.toggle(Secure, "notification_history_enabled", "Notification history", "通知历史记录"),
		s.toggle(Secure, "notification_bubbles", "Bubbles", "气泡"),
		s.toggle(Secure, "lock_screen_show_notifications", "Notifications on lock screen", "锁屏通知"),
	}
}

func (s *settingsPages) battery() []*ui.View {
	return []*ui.View{
		s.fact("Level", "电量", "87%"), s.toggle(Global, "low_power", "Battery Saver", "省电模式"),
		s.toggle(Secure, "battery_percentage", "Battery percentage", "电量百分比"),
	}
}

func (s *settingsPages) storage() []*ui.View {
	return []*ui.View{
		s.fact("Used", "已使用", "52 GB / 128 GB"), s.fact("Apps", "应用", "21 GB"),
		s.fact("Pictures", "图片", "18 GB"),
		s.fact("System", "系统", "13 GB"),
	}
}

func (s *settingsPages) sound() []*ui.View {
	return []*ui.View{
		s.slider("volume_music_speaker", "Media volume", "媒体音量", 15),
		s.slider("volume_ring_speaker", "Ring volume", "铃声音量", 15),
		s.toggle(Global, "zen_mode", "Do Not Disturb", "勿扰模式"),
		s.toggle(System, "vibrate_when_ringing", "Vibrate for calls", "来电振动"),
	}
}

func (s *settingsPages) display() []*ui.View {
	dark := s.Say("Off", "关闭")
	if s.Dark() {
		dark = s.Say("On", "开启")
	}
	return []*ui.View{
		s.slider("screen_brightness", "Brightness level", "亮度", 255),
		s.flip("dark_theme", s.Say("Dark theme", "深色主题"), dark, s.Dark(), func() {
			s.SetDark(!s.Dark())
		}),
		s.choice(System, "font_scale", "Font size", "字号", []string{"0.85", "1.0", "1.15", "1.3"},
			[]string{s.Say("Small", "小"), s.Say("Default", "默认"), s.Say("Large", "大"),
				s.Say("Largest", "最大")}),
		s.choice(System, "screen_off_timeout", "Screen timeout", "自动锁屏", []string{"30000", "60000",
			"600000"},
			[]string{s.Say("30 seconds", "30 秒"), s.Say("1 minute", "1 分钟"),
				s.Say("10 minutes", "10 分钟")}),
		s.toggle(System, "accelerometer_rotation", "Auto-rotate screen", "自动旋转屏幕"),
	}
}

func (s *settingsPages) security() []*ui.View {
	return []*ui.View{
		s.fact("Screen lock", "屏幕锁定", s.Say("Swipe", "滑动")),
		s.toggle(Secure, "lock_pattern_visible", "Show passwords briefly", "短暂显示密码"),
		s.toggle(Global, "usage_reports", "Usage & diagnostics", "使用情况和诊断信息"),
	}
}

func (s *settingsPages) location() []*ui.View {
	on := s.Settings.Bool(Secure, "location_mode")
	return []*ui.View{s.flip("location_mode", s.Say("Use location", "使用位置信息"),
		s.onOff(Secure, "location_mode"), on, func() {
			s.Settings.Put(Secure, "location_mode", map[bool]string{true: "0", false: "3"}[on])
		})}
}

func (s *settingsPages) accessibility() []*ui.View {
	return []*ui.View{
		s.toggle(Secure, "touch_exploration_enabled", "Screen reader", "屏幕阅读器"),
		s.toggle(Secure, "accessibility_display_magnification_enabled", "Magnification", "放大"),
		s.toggle(Secure, "accessibility_display_daltonizer_enabled", "Colour correction", "色彩校正"),
		s.toggle(Secure, "accessibility_display_inversion_enabled", "Colour inversion", "颜色反转"),
		s.toggle(Secure, "high_text_contrast_enabled", "High contrast text", "高对比度文字"),
		s.toggle(Secure, "accessibility_large_pointer_icon", "Large mouse pointer", "大号鼠标指针"),
		s.toggle(System, "master_mono", "Mono audio", "单声道音频"),
		s.toggle(Global, "rtt_calling_mode", "Real-time text", "实时文字"),
		s.toggle(Secure, "odi_captions_enabled", "Live captions", "实时字幕"),
		s.toggle(Secure, "reduce_bright_colors_activated", "Extra dim", "超暗"),
	}
}

func (s *settingsPages) system() []*ui.View {
	return []*ui.View{
		s.fact("Language", "语言", s.Say("English (United States)", "简体中文")),
		s.choice(Secure, "default_input_method", "On-screen keyboard", "屏幕键盘", s.keyboards(),
			s.keyboardNames()),
		s.toggle(Global, "auto_time", "Set time automatically", "自动设置时间"),
		s.toggle(Global, "adb_enabled", "USB debugging", "USB 调试"),
	}
}

func (s *settingsPages) keyboards() []string {
	if s.Find("com.android.adbkeyboard") == nil {
		return []string{"com.android.inputmethod.latin/.LatinIME"}
	}
	return []string{"com.android.inputmethod.latin/.LatinIME", "com.android.adbkeyboard/.AdbIME"}
}

func (s *settingsPages) keyboardNames() []string {
	return []string{s.Say("Keyboard", "键盘"), "ADB Keyboard"}[:len(s.keyboards())]
}

func (s *settingsPages) about() []*ui.View {
	return []*ui.View{
		ui.Column(ui.Text(s.Say("Device name", "设备名称")).Size(17), ui.Small(s.deviceName())).
			Pad(18, 12).Named("pref_device_name").
			OnTap(s.rename),
		s.fact("Model", "型号", "taploop sandbox"), s.fact("Android version", "Android 版本", "14"),
		s.fact("Build number", "版本号", "UP1A.240605.001"),
	}
}

func (s *settingsPages) rename() {
	name := s.deviceName()
	d := &Dialog{Title: s.Say("Device name", "设备名称"), Buttons: []Button{
		{"cancel", s.Say("Cancel", "取消"), nil},
		{"ok", s.Say("OK", "确定"), func() {
			if name != "" {
				s.Settings.Put(Global, "device_name", name)
			}
		}},
	}}
	d.Body = func() *ui.View { return ui.Input("device_name", s.Say("Device name", "设备名称"), &name) }
	d.Memory.Focus = "device_name"
	s.Ask(d)
}
