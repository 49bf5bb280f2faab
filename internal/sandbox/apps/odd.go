package apps

import (
	"time"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Apps that are not as one would like them: slow, in the way, broken, and closed.
var (
	slow = &App{Package: "com.taploop.sandbox.weather", Activity: ".Weather", EN: "Weather",
		ZH: "天气", Icon: "sun", Tint: ui.RGB(0x3d5a80), Open: weather}
	broken = &App{Package: "com.taploop.sandbox.gallery", Activity: ".Gallery", EN: "Gallery",
		ZH: "图库", Icon: "heart", Tint: ui.RGB(0xb5533c), Open: opens(".Gallery", gallery)}
	vault = &App{Package: "com.taploop.sandbox.vault", Activity: ".Login", EN: "Vault", ZH: "保险箱",
		Icon: "lock", Tint: ui.RGB(0x455a64), Open: opens(".Login", vaultLogin)}
)

// weather takes four seconds to load, and then asks to be rated, once.
func weather(t *Task) *Page {
	loaded := false
	t.After(4*time.Second, func() {
		loaded = true
		if t.Data.Rated == "" {
			t.Ask(&Dialog{Title: t.Say("Do you like Weather?", "喜欢“天气”吗？"),
				Message: t.Say("Rate it with five stars.", "给个五星好评吧。"), Buttons: []Button{
					{"rate_later", t.Say("Not now", "以后再说"), func() { t.Data.Rated = "later" }},
					{"rate_now", t.Say("Rate", "去评分"), func() { t.Data.Rated = "rated" }}}})
		}
	})
	return &Page{Activity: ".Weather", View: func() *ui.View {
		if !loaded {
			return t.screen(t.Say("Weather", "天气"), nil,
				empty("clock", t.Say("Loading…", "正在加载…")).Named("loading"))
		}
		return t.screen(t.Say("Weather", "天气"), nil, ui.List("forecast",
			ui.Text("11°").Size(56).Centered().Named("now"),
			ui.Text(t.Say("Rain from 16:00", "16:00 起有雨")).Centered(),
			ui.Small(t.Say("Tomorrow 14°, dry", "明天 14°, 无雨")).Centered()).Gap(10).Pad(20))
	}}
}

// gallery crashes when a picture is opened.
func gallery(t *Task) *ui.View {
	var tiles []*ui.View
	for _, tint := range avatars {
		tiles = append(tiles, ui.Tile("mug", 90, tint).Desc(t.Say("Picture", "照片")).
			Named("picture").OnTap(func() { t.Crash = t.App.Package }))
	}
	return t.screen(t.Say("Gallery", "图库"), nil,
		ui.List("pictures", grid(tiles, 3, 8)...).Gap(8).Pad(16))
}

// vaultLogin wants a person: a puzzle first, and then it shows a screen that cannot be captured.
func vaultLogin(t *Task) *ui.View {
	return t.screen(t.Say("Vault", "保险箱"), nil, ui.Column(
		ui.Icon("lock").Size(56).Align(ui.Center),
		ui.Text(t.Say("Show that you are a person to go on.", "请先完成安全验证。")).Centered(),
		ui.Button(t.Say("Unlock", "解锁"), func() {
			t.Push(captchaPage(t, func() {
				t.Push(&Page{Activity: ".Codes", Secure: true, View: func() *ui.View {
					return t.screen(t.Say("Codes", "密码"), nil,
						ui.Column(ui.Text("7719-2086").Size(28).Centered()).Pad(20))
				}})
			}))
		}).Named("unlock"),
	).Gap(20).Pad(24, 60))
}
