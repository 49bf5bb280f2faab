package apps

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var people = &App{
	Package: "com.android.contacts", Activity: ".PeopleActivity", EN: "Contacts", ZH: "通讯录",
	Icon: "person", Tint: ui.RGB(0x2e7d6b), System: true,
	Open: opens(".PeopleActivity", peopleList),
}

// Contact is an entry of the address book.
type Contact struct{ First, Last, Number, Label string }

// Name is the contact's whole name.
func (c *Contact) Name() string { return strings.TrimSpace(c.First + " " + c.Last) }

// Save adds a contact in the order of names.
func (d *Data) Save(c *Contact) {
	d.Contacts = append(d.Contacts, c)
	slices.SortFunc(d.Contacts, func(a, b *Contact) int {
		return strings.Compare(a.Name(), b.Name())
	})
}

func peopleList(t *Task) *ui.View {
	list := ui.ListOf("contact_list", t.Data.Contacts, func(c *Contact) *ui.View {
		return ui.Row(avatar(c.Name()), ui.Text(c.Name()).Size(17).Grow(1)).Gap(14).Pad(12).
			Named("contact_row").OnTap(func() { t.Push(person(t, c)) }).
			OnLong(deletes(t, c.Name(), &t.Data.Contacts, c))
	}).Pad(8, 4, 8, 96)
	orEmpty(list, len(t.Data.Contacts), "person", t.Say("No contacts", "没有联系人"))
	return t.screen(t.Say("Contacts", "通讯录"), nil, t.floating(list, "plus", "create_contact",
		t.Say("Create contact", "新建联系人"), func() { t.Push(contactEdit(t)) }))
}

// person is the page of one contact.
func person(t *Task, c *Contact) *Page {
	share := func() { t.share(c.Name() + " " + c.Number) }
	return &Page{Activity: ".ContactDetails", View: func() *ui.View {
		return t.screen(c.Name(), []*ui.View{ui.IconButton("send", t.Say("Share", "分享"), share).
			Named("share_contact")}, ui.List("contact_card", ui.Card(ui.Small(c.Label),
			ui.Text(c.Number).Size(18).Named("number"))).Pad(16))
	}}
}

// contactEdit is the page of a new contact. Leaving it without saving asks first.
func contactEdit(t *Task) *Page {
	draft := &Contact{Label: "Mobile"}
	t.Data.Draft = draft
	leave := func() { t.Data.Draft = nil; t.Pop() }
	save := func() {
		if draft.Name() == "" {
			t.Show("Enter a name", "请输入姓名")
			return
		}
		t.Data.Save(draft)
		leave()
		t.Show("Contact saved", "联系人已保存")
	}
	back := func() {
		if draft.Name()+draft.Number == "" {
			leave()
			return
		}
		t.Ask(&Dialog{Title: t.Say("Discard your changes?", "放弃更改？"), Buttons: []Button{
			{"keep_editing", t.Say("Keep editing", "继续编辑"), nil},
			{"discard", t.Say("Discard", "放弃"), leave}}})
	}
	label := func(en, zh string) *ui.View {
		return ui.Chip(t.Say(en, zh), draft.Label == en, func() { draft.Label = en }).
			Named("label_" + strings.ToLower(en))
	}
	return &Page{Activity: ".ContactEditor", Back: back, View: func() *ui.View {
		return t.screen(t.Say("Create contact", "新建联系人"),
			[]*ui.View{ui.Flat(t.Say("Save", "保存"), save).Named("save_contact")},
			ui.List("contact_editor",
				ui.Input("first_name", t.Say("First name", "名字"), &draft.First),
				ui.Input("last_name", t.Say("Last name", "姓氏"), &draft.Last),
				ui.Input("phone", t.Say("Phone", "电话"), &draft.Number),
				ui.Row(label("Mobile", "手机"), label("Home", "住宅"), label("Work", "单位")).Gap(8),
			).Gap(12).Pad(16, 8))
	}}
}
