package sandbox

import "github.com/taploop/taploop/internal/sandbox/ui"

// keyFocus is the view that keys press, as on Android: a key that types or presses ends touch mode
// and gives the first view that can have the focus that focus. A touch takes it away again. A field
// that has the focus keeps it in both modes, and its name is in the window's memory.
type keyFocus struct {
	keys   bool       // touch mode is over
	window *ui.Memory // of the window that the focus is in
}

// pressable is the view that keys press, nil in touch mode and when a field has the focus.
func (f *keyFocus) pressable(s *scene) *ui.Placed {
	if !f.keys || s.field != nil || f.window != s.front().mem {
		return nil
	}
	if list := s.focusable(); len(list) > 0 {
		return list[0]
	}
	return nil
}

// Focus is the view that has the input focus. A field gets text that is typed, and keys go to any
// other.
type Focus struct {
	Class, ID string // "" when nothing has the focus
	Field     bool
	InputType int // of a field, as Android's InputType has it
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
