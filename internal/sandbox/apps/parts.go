package apps

import (
	"slices"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// screen is the frame that the apps' pages share: a bar with the way back, the title and actions,
// and the body below.
func (t *Task) screen(title string, actions []*ui.View, body ...*ui.View) *ui.View {
	bar := ui.Row().Gap(4).Pad(4, 0, 8, 0).Height(60)
	if len(t.Pages) > 1 {
		bar.Add(ui.IconButton("back", t.Say("Navigate up", "转到上一层级"), func() { t.Back() }).
			Named("up"))
	} else {
		bar.Pad(20, 0, 8, 0)
	}
	bar.Add(ui.Text(title).Size(22).Bold().Lines(1).Grow(1).Named("title"))
	if t.Lower && len(actions) > 0 {
		below := ui.Row(ui.Space()).Add(actions...).Gap(8).Pad(12, 4).Fill(ui.Surface)
		return ui.Column(bar).Add(body...).Add(below)
	}
	return ui.Column(bar.Add(actions...)).Add(body...)
}

// floating puts the round button of a page's main action over the body's lower right corner, or
// its left one in the other layout.
func (t *Task) floating(body *ui.View, icon, name, desc string, tap func()) *ui.View {
	fab := ui.Icon(icon).Size(28).Ink(ui.OnAccent).Fill(ui.Accent).Radius(18).Pad(16).
		Named(name).Desc(desc).Class("android.widget.ImageButton").OnTap(tap)
	side := ui.End
	if t.Lower {
		side = ui.Start
	}
	return ui.Stack(body, ui.Column(fab).Pad(20).Align(side, ui.End)).Grow(1)
}

// empty says that there is nothing yet.
func empty(icon, text string) *ui.View {
	return ui.Column(
		ui.Icon(icon).Size(56).Ink(ui.Line).Align(ui.Center), ui.Text(text).Ink(ui.Dim).Centered(),
	).Gap(12).Pad(32, 96)
}

// orEmpty says in a list without items that there is nothing yet.
func orEmpty(list *ui.View, items int, icon, text string) {
	if items == 0 {
		list.Add(empty(icon, text))
	}
}

// deletes returns what a long press does on an item that can be deleted.
func deletes[T any](t *Task, title string, list *[]*T, item *T) func() {
	return func() {
		t.menu(title, Button{"delete", t.Say("Delete", "删除"), func() {
			*list = without(*list, item)
		}})
	}
}

// menu asks whether to do what a long press offers.
func (t *Task) menu(title string, offer Button) {
	cancel := Button{ID: "cancel", Text: t.Say("Cancel", "取消")}
	t.Ask(&Dialog{Title: title, Buttons: []Button{offer, cancel}})
}

// permit asks once whether the app may have a permission, and then goes on either way.
func permit(t *Task, permission, question string, then func()) {
	permission = t.App.Package + " " + permission
	if _, asked := t.Data.Granted[permission]; asked {
		then()
		return
	}
	answer := func(ok bool) func() { return func() { t.Data.Granted[permission] = ok; then() } }
	t.Ask(&Dialog{Title: question, Package: "com.android.permissioncontroller", Sticky: true,
		Buttons: []Button{
			{"permission_allow_button", t.Say("Allow", "允许"), answer(true)},
			{"permission_deny_button", t.Say("Don't allow", "不允许"), answer(false)},
		}})
}

func without[T comparable](list []T, item T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(o T) bool { return o == item })
}
