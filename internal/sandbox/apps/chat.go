package apps

import (
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// chat is the page of one conversation.
func chat(t *Task, th *Thread) *Page {
	var draft string
	th.Unread = false
	page := &Page{Activity: ".Conversation"}
	bottom := func() { page.Memory.Scroll = map[string]int{"messages": ui.Bottom} }
	bottom()
	send := func() {
		if text := strings.TrimSpace(draft); text != "" {
			if t.Data.Thread(th.Name) == nil {
				t.Data.Threads = append(t.Data.Threads, th)
			}
			t.Data.Send(th.Name, th.Number, text, t.Now())
			draft = ""
			bottom()
		}
	}
	page.View = func() *ui.View {
		th.Unread = false
		list := ui.ListOf("messages", th.Messages, func(m *SMS) *ui.View {
			return bubble(t, m)
		}).Gap(8).Pad(16, 8).Tail()
		var paste *ui.View
		if t.Data.Clip != "" {
			paste = ui.IconButton("note", t.Say("Paste", "粘贴"), func() { draft += t.Data.Clip }).
				Named("paste")
		}
		return t.screen(th.Name, nil, list, ui.Row(
			ui.Input("compose_message_text", t.Say("Text message", "短信内容"), &draft).Radius(22).
				Grow(1).OnSubmit(t.Say("Send", "发送"), send),
			paste,
			ui.IconButton("send", t.Say("Send message", "发送短信"), send).Named("send_message_button").
				Ink(ui.OnAccent).
				Fill(ui.Accent).Radius(24).Enable(strings.TrimSpace(draft) != ""),
		).Gap(8).Pad(12, 8).Fill(ui.Surface))
	}
	return page
}

// bubble is one message. A double tap likes it.
func bubble(t *Task, m *SMS) *ui.View {
	side := ui.Start
	fill, ink := ui.Surface, ui.Strong
	if m.Mine {
		side = ui.End
		fill, ink = ui.Accent, ui.OnAccent
	}
	text := ui.Column(ui.Text(m.Text).Ink(ink).Named("message_text")).Pad(14, 10).Fill(fill).
		Radius(18).Named("message").
		Align(side).OnDouble(func() { m.Liked = !m.Liked })
	when := ui.Row(ui.Small(m.At.Format("15:04")).Size(12)).Gap(4).Align(side).Pad(6, 0)
	if m.Liked {
		when.Add(ui.Icon("heart").Size(15).Ink(ui.Danger).Desc(t.Say("Liked", "已点赞")))
	}
	row := ui.Column(text, when).Gap(3).Grow(1)
	if m.Mine {
		return ui.Row(ui.Gap(56), row)
	}
	return ui.Row(row, ui.Gap(56))
}
