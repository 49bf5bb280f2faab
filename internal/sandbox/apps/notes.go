package apps

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

var notes = &App{
	Package: "com.taploop.sandbox.notes", Activity: ".Notes", EN: "Notes", ZH: "便签", Icon: "note",
	Tint: ui.RGB(0xd98200),
	Open: opens(".Notes", noteList),
}

func noteList(t *Task) *ui.View {
	list := ui.ListOf("notes", t.Data.Notes, func(n *Note) *ui.View { return noteCard(t, n) }).
		Gap(10).Pad(16, 4, 16, 96)
	orEmpty(list, len(t.Data.Notes), "note", t.Say("No notes yet", "还没有便签"))
	return t.screen(t.Say("Notes", "便签"), nil,
		t.floating(list, "plus", "new_note", t.Say("New note", "新建便签"), func() {
			t.Push(noteEdit(t, nil))
		}))
}

// noteCard opens its note. The handle on its right moves it, and so does a finger that rests on it.
func noteCard(t *Task, n *Note) *ui.View {
	title := cmp.Or(n.Title, t.Say("Untitled", "无标题"))
	key := noteKey(t, n)
	return ui.Row(
		ui.Column(
			ui.Text(title).Size(17).Bold().Lines(1).Named("note_title"),
			ui.Small(n.Body).Lines(2).Named("note_body"),
			ui.Small(n.Edited.Format("2006-01-02 15:04")).Size(12),
		).Gap(4).Grow(1),
		ui.Icon("handle").Ink(ui.Dim).Pad(10).Named("drag_handle").
			Desc(t.Say("Reorder", "排序")+" "+title).Handle(),
	).Gap(8).Pad(16, 14, 6, 14).Fill(ui.Surface).Radius(16).Named("note").
		OnTap(func() { t.Push(noteEdit(t, n)) }).
		OnDrop(key, func(onto string) { moveNote(t, n, onto) })
}

func noteKey(t *Task, n *Note) string { return strconv.Itoa(slices.Index(t.Data.Notes, n)) }

// moveNote puts a note where the one with the key is.
func moveNote(t *Task, n *Note, onto string) {
	i := slices.IndexFunc(t.Data.Notes, func(o *Note) bool { return noteKey(t, o) == onto })
	t.Data.Notes = slices.Insert(without(t.Data.Notes, n), i, n)
}

// noteEdit writes a note, a new one when n is nil. Leaving it saves, unless it is empty.
func noteEdit(t *Task, n *Note) *Page {
	var draft Note
	if n != nil {
		draft = *n
	}
	save := func() {
		if strings.TrimSpace(draft.Title+draft.Body) != "" && (n == nil || *n != draft) {
			if n == nil {
				n = &Note{}
				t.Data.Notes = slices.Insert(t.Data.Notes, 0, n)
			}
			*n = draft
			n.Edited = t.Now()
			t.Show("Note saved", "便签已保存")
		}
		t.Pop()
	}
	page := &Page{Activity: ".NoteEdit", Back: save}
	if n == nil {
		page.Memory.Focus = "edit_title"
	}
	page.View = func() *ui.View {
		return t.screen(t.Say("Edit note", "编辑便签"),
			[]*ui.View{
				ui.IconButton("check", t.Say("Save", "保存"), save).Named("save").Ink(ui.Accent),
			},
			ui.Column(
				ui.Input("edit_title", t.Say("Title", "标题"), &draft.Title).Size(20).Bold(),
				ui.Input("edit_body", t.Say("Note", "内容"), &draft.Body).Multi().Grow(1),
			).Gap(10).Pad(16, 4, 16, 16).Grow(1))
	}
	return page
}
