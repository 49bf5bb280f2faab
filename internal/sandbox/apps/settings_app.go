package apps

import (
	"cmp"
	_ "embed"
	"strconv"
	"strings"
	"sync"

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

//go:embed settings.tsv
var settingsTable string

var sections = sync.OnceValue(func() (all []section) {
	for line := range strings.Lines(settingsTable) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case f[0] == "":
			s := &all[len(all)-1]
			s.rows = append(s.rows, setting{f[1], f[2], f[3], f[4], f[5], f[6]})
		default:
			tint, _ := strconv.ParseUint(f[4], 16, 32)
			all = append(all, section{f[0], f[1], f[2], f[3], uint32(tint), nil})
		}
	}
	return all
})

func sectionList(t *Task) *ui.View {
	return t.screen(t.Say("Settings", "设置"), nil,
		ui.ListOf("settings_list", sections(), func(s section) *ui.View {
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
