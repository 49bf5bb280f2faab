package sandbox

import "github.com/taploop/taploop/internal/sandbox/ui"

// keyFocus is the view that keys press, as on Android: a key that types or presses ends touch mode
// and gives the first view that can have the focus that focus; a touch takes it away again. A field
// that has the focus keeps it in both modes, and its name is in the window's memory.
type keyFocus struct {
	keys   bool       // touch mode is over
	window *ui.Memory // of the window that the focus is in
}

// focusable lists what can have the focus in the window in front.
func (s *scene) focusable() (list []*ui.Placed) {
	s.front().view.Walk(func(v *ui.Placed) {
		if ui.Focusable(v) && !v.Bounds().Empty() {
			list = append(list, v)
		}
	})
	return list
}

// pressable is the view that keys press, nil in touch mode and when a field has the focus.
func (sc *screen) pressable(s *scene) *ui.Placed {
	list := s.focusable()
	if !sc.focus.keys || s.field != nil || sc.focus.window != s.front().mem || len(list) == 0 {
		return nil
	}
	return list[0]
}

// leaveTouchMode gives the first view the focus when nothing has it, and reports whether it did.
func (sc *screen) leaveTouchMode() bool {
	s := sc.scene()
	if sc.focus.keys && sc.focus.window == s.front().mem {
		return false
	}
	sc.focus.keys, sc.focus.window = true, s.front().mem
	list := s.focusable()
	if s.field != nil || len(list) == 0 {
		return false
	}
	if list[0].Field() != nil {
		sc.enterField(list[0])
	}
	return true
}

func (sc *screen) enterField(v *ui.Placed) {
	v.Focus()
	sc.showLetters()
}

// advance gives the focus to the next field, and reports whether there is one.
func (sc *screen) advance() bool {
	s, behind := sc.scene(), false
	for _, v := range s.focusable() {
		if behind && v.Field() != nil {
			sc.enterField(v)
			return true
		}
		behind = behind || v.Focused()
	}
	return false
}

// Focus is the view that has the input focus: what is typed is a text for a field, and keys for any
// other.
type Focus struct {
	Class, ID string // "" when nothing has the focus
	Field     bool
	InputType int // of a field, as Android's InputType has it
}

// Focus is what has the input focus in the window in front.
func (sc *screen) Focus() Focus {
	return look(sc.core, func() Focus {
		if sc.off || sc.locked {
			return Focus{}
		}
		s := sc.scene()
		v := s.front().view.Find((*ui.Placed).Focused)
		if v == nil {
			v = sc.pressable(s)
		}
		if v == nil {
			return Focus{}
		}
		n := v.Node(sc.window().Package)
		return Focus{n.Class, n.ResourceID, v.Focused(), inputType(v.Field())}
	})
}

func inputType(f *ui.Field) int {
	const (
		text, number  = 0x1, 0x2
		multiline     = 0x20000
		password, pin = 0x80, 0x10 // variations of text, and of a number
	)
	switch {
	case f == nil:
		return 0
	case f.Digits && f.Secret:
		return number | pin
	case f.Digits:
		return number
	case f.Secret:
		return text | password
	case f.Multi:
		return text | multiline
	}
	return text
}
