package apps

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var messages = &App{
	Package: "com.android.messaging", Activity: ".ConversationList", EN: "Messages", ZH: "短信",
	Links: []string{"sms", "smsto"},
	Icon:  "chat",
	Tint:  ui.RGB(0x1a73e8), System: true,
	Open: opens(".ConversationList", conversations),
}

// avatars are the colours behind initials.
var avatars = []ui.Ink{ui.RGB(0x8e5bb5), ui.RGB(0x2e7d6b), ui.RGB(0xb5533c), ui.RGB(0x3c6fb5),
	ui.RGB(0x8a6d1f), ui.RGB(0x6b4c8f)}

func avatar(name string) *ui.View {
	first := []rune(name)[0]
	return ui.Stack(ui.Text(string(first)).Size(20).Bold().Ink(ui.White).Centered()).
		Width(46).Height(46).Radius(23).Fill(avatars[int(first)%len(avatars)])
}

func conversations(t *Task) *ui.View {
	list := ui.ListOf("conversations", t.Data.Threads, func(th *Thread) *ui.View {
		return conversation(t, th)
	}).Pad(8, 4, 8, 96)
	return t.screen(t.Say("Messages", "短信"), nil,
		t.floating(list, "edit", "start_chat", t.Say("Start chat", "发起聊天"), func() {
			permit(t, "READ_CONTACTS", t.Say("Allow Messages to access your contacts?",
				"允许“短信”访问您的通讯录吗?"), func() { t.Push(contacts(t)) })
		}))
}

func conversation(t *Task, th *Thread) *ui.View {
	last := th.Last()
	text := last.Text
	if last.Mine {
		text = t.Say("You: ", "我: ") + text
	}
	name, preview := ui.Text(th.Name).Size(17).Lines(1).Grow(1), ui.Small(text).Lines(1)
	if th.Unread {
		name.Bold()
		preview.Bold().Ink(ui.Strong)
	}
	when := last.At.Format("15:04")
	if last.At.Format("20060102") != t.Now().Format("20060102") {
		when = last.At.Format("01-02")
	}
	return ui.Row(
		avatar(th.Name), ui.Column(ui.Row(name, ui.Small(when).Size(13)).Gap(8), preview).Gap(2).
			Grow(1),
	).Gap(14).Pad(12).Radius(16).Named("conversation").OnTap(func() { t.Push(chat(t, th)) }).
		OnLong(deletes(t, th.Name, &t.Data.Threads, th))
}

// contacts is the page where the receiver of a new message is chosen or a number is typed.
func contacts(t *Task) *Page {
	var to string
	open := func(name, number string) {
		th := t.Data.Thread(name)
		if th == nil {
			th = &Thread{Name: name, Number: number}
		}
		t.PopAll()
		t.Push(chat(t, th))
	}
	page := &Page{Activity: ".StartChat"}
	page.View = func() *ui.View {
		list := ui.List("contacts").Pad(8, 0)
		known := slices.Clone(t.Data.Threads)
		for _, c := range t.Data.Contacts {
			if First(known, func(t *Thread) bool { return t.Number == c.Number }) == nil {
				known = append(known, &Thread{Name: c.Name(), Number: c.Number})
			}
		}
		slices.SortFunc(known, func(a, b *Thread) int { return strings.Compare(a.Name, b.Name) })
		for _, th := range known {
			granted := t.Data.Granted["com.android.messaging READ_CONTACTS"]
			if granted && match(th.Name+" "+th.Number, to) {
				list.Add(ui.Row(avatar(th.Name), ui.Column(ui.Text(th.Name).Size(17),
					ui.Small(th.Number)).Grow(1)).Gap(14).Pad(12).
					Named("contact").OnTap(func() { open(th.Name, th.Number) }))
			}
		}
		send := func() {
			if number := strings.TrimSpace(to); number != "" {
				open(number, number)
			}
		}
		return t.screen(t.Say("New conversation", "新建会话"), nil,
			ui.Column(ui.Input("recipient", t.Say("Type a name or number", "输入姓名或号码"), &to).
				OnSubmit(t.Say("Next", "下一步"), send)).Pad(16, 4, 16, 12), list)
	}
	return page
}

// match reports whether every word of query occurs in text, in any case.
func match(text, query string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
