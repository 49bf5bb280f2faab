package apps

import "github.com/taploop/taploop/internal/sandbox/ui"

var clipper = &App{
	Package: "com.taploop.sandbox.clipper", Activity: ".Clipper", EN: "Clipper", ZH: "剪贴板",
	Icon: "card", Tint: ui.RGB(0x6b4c8f), Open: func(t *Task) *Page {
		var draft string
		return &Page{Activity: ".Clipper", View: func() *ui.View {
			return t.screen(t.Say("Clipper", "剪贴板"), nil, ui.List("clipper",
				ui.Small(t.Say("On the clipboard", "剪贴板内容")),
				ui.Text(t.Data.Clip).Named("clip_now"),
				ui.Input("clip_text", t.Say("Text to copy", "要复制的文字"), &draft),
				ui.Button(t.Say("Copy", "复制"), func() { t.clip(draft) }).Named("clip_copy").
					Enable(draft != ""),
			).Gap(12).Pad(16, 8))
		}}
	},
}

// clip puts a text on the clipboard.
func (t *Task) clip(text string) {
	t.Data.Clip = text
	t.Show("Copied", "已复制")
}

// share asks where a text is to go.
func (t *Task) share(text string) {
	t.Ask(&Dialog{Title: t.Say("Share", "分享"), Message: text, Buttons: []Button{
		{"share_copy", t.Say("Copy", "复制"), func() { t.clip(text) }},
		{"share_notes", t.Say("New note", "新建便签"), func() {
			t.Data.Notes = append([]*Note{{Title: text, Edited: t.Now()}}, t.Data.Notes...)
		}},
	}})
}
