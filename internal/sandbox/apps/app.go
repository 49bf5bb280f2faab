package apps

import (
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// App is an installed app.
type App struct {
	Package  string
	Activity string // launcher activity in ".Main" form, or ""
	EN, ZH   string // label
	Icon     string
	Tint     ui.Ink
	System   bool
	Links    []string // schemes of the addresses that it opens, such as sms
	// makes the first page, with new state (nil without an activity)
	Open func(*Task) *Page
}

// Label is the app's name in the phone's language.
func (a *App) Label(s *Host) string { return s.Say(a.EN, a.ZH) }

// Page is one screen of an app, an activity on Android.
type Page struct {
	Activity string // ".Main" form
	Secure   bool   // captured black
	// builds the screen from the state. Called often, so it must not change anything.
	View   func() *ui.View
	Back   func()    // does the work of the back key (nil closes the page)
	Memory ui.Memory // scroll positions, focus, cursors
}

// opens makes an app's first page.
func opens(activity string, view func(*Task) *ui.View) func(*Task) *Page {
	return func(t *Task) *Page {
		return &Page{Activity: activity, View: func() *ui.View { return view(t) }}
	}
}

// Button is one choice of a [Dialog].
type Button struct {
	ID, Text string
	Tap      func() // called after the dialog is closed, may be nil
}

// Dialog is a question in front of a page.
type Dialog struct {
	Title, Message string
	Buttons        []Button
	Package        string // who draws it when not the app itself, such as the permission controller
	Sticky         bool   // neither back nor a tap outside closes it
	Memory         ui.Memory
}

// Task is a running app: its pages, the last one in front, and perhaps a dialog.
type Task struct {
	*Host
	App    *App
	Pages  []*Page
	Dialog *Dialog
}

// Top is the page in front.
func (t *Task) Top() *Page { return t.Pages[len(t.Pages)-1] }

// Push puts a page in front.
func (t *Task) Push(p *Page) {
	t.Pages = append(t.Pages, p)
	t.Moved(Forward)
}

// Pop closes the page in front. The last page stays: leaving an app is the back key's business.
func (t *Task) Pop() {
	if len(t.Pages) > 1 {
		t.Pages = t.Pages[:len(t.Pages)-1]
		t.Moved(Backward)
	}
}

// PopAll closes all pages but the first.
func (t *Task) PopAll() {
	if len(t.Pages) > 1 {
		t.Pages = t.Pages[:1]
		t.Moved(Backward)
	}
}

// Ask opens a dialog.
func (t *Task) Ask(d *Dialog) {
	t.Dialog = d
	t.Moved(Popup)
}

// Answer closes the dialog and then does what its button does.
func (t *Task) Answer(b Button) {
	t.Dismiss()
	if b.Tap != nil {
		b.Tap()
	}
}

// Dismiss closes the dialog.
func (t *Task) Dismiss() {
	t.Dialog = nil
	t.Moved(Popup)
}

// Back does what the back key does and reports false when the app is to be left.
func (t *Task) Back() bool {
	switch {
	case t.Dialog != nil:
		if !t.Dialog.Sticky {
			t.Dismiss()
		}
	case t.Top().Back != nil:
		t.Top().Back()
	case len(t.Pages) > 1:
		t.Pop()
	default:
		return false
	}
	return true
}
