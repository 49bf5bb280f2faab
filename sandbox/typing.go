package sandbox

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/sandbox/ui"
)

// typing is the keys of a hardware keyboard, and what input methods commit.
type typing struct{ *stage }

// Text types as a hardware keyboard does: into the field that has the focus, else each character is
// a key for the view that has it. Newlines are Enter. Others may use the phone between the keys, as
// they may with hardware.
func (t *typing) Text(s string) {
	for s != "" {
		t.do(func() {
			if t.off {
				s = ""
				return
			}
			s = s[t.typed(s):]
		})
	}
}

// commit puts text into the focused field, as an input method does.
func (t *typing) commit(s string) {
	if f := t.field(); f != nil {
		t.stage.edited = t.sys.Now()
		f.Insert(s)
	}
}

// enter does what the keyboard's enter key does.
func (t *typing) enter() {
	if !t.submitted() {
		t.keyboardHidden = true
	}
}

// submitted makes a new line or does the field's action, and reports whether it has one of the two.
func (t *typing) submitted() bool {
	f := t.field()
	if f != nil && f.Multiline() {
		t.commit("\n")
		return true
	}
	return f != nil && f.Submit()
}

// typed is the beginning of a text from a hardware keyboard, as much as does one thing, and returns
// how long that was: the lock screen takes digits, a field takes all up to a line break, and any
// other view is pressed by spaces and line breaks and knows nothing of other keys.
func (t *typing) typed(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\n':
		t.typist.press(KeyEnter)
	case t.locked && t.bouncer:
		t.pinDigit(r)
	case t.locked:
		n = until(s, "\n")
	case t.field() != nil:
		n = until(s, "\n")
		t.focus.keys = true
		t.commit(s[:n])
	case r == ' ':
		t.typist.press(KeySpace)
	default:
		t.leaveTouchMode()
		if t.field() != nil { // the first view may be one
			t.commit(s[:n])
		} else {
			n = until(s, " \n")
		}
	}
	t.stage.settle() // what a key opens gets the next one
	return n
}

// until is the length of s before the first of the characters.
func until(s, chars string) int {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return i
	}
	return len(s)
}

// editKey handles what a hardware keyboard sends to the view that has the focus.
func (t *typing) editKey(code int) {
	moves := code >= KeyUp && code <= KeyCenter || code == KeyTab || code == KeySpace ||
		code == KeyEnter || code == KeyMoveHome || code == KeyMoveEnd
	types := code >= Key0 && code <= key9 || code >= KeyA && code <= keyZ
	if moves && t.leaveTouchMode() {
		return // that was all that the key does
	} else if types {
		t.leaveTouchMode()
	}
	f := t.field()
	switch {
	case code == KeyTab, code == KeyDown, code == KeyRight && f == nil:
		t.move(1)
		return
	case code == KeyUp, code == KeyLeft && f == nil:
		t.move(-1)
		return
	case f == nil:
		t.pressKey(code)
		return
	}
	t.stage.edited = t.sys.Now()
	switch code {
	case KeyDelete:
		f.Delete(-1)
	case KeyForwardDel:
		f.Delete(1)
	case KeyMoveHome:
		f.MoveTo(0)
	case KeyMoveEnd:
		f.End()
	case KeyLeft:
		f.Move(-1)
	case KeyRight:
		f.Move(1)
	case KeyEnter, KeyCenter:
		if !t.submitted() && !t.advance() {
			t.keyboardHidden = true
		}
	case KeySpace:
		f.Insert(" ")
	default:
		t.letterKey(f, code)
	}
}

// pressKey presses the view that has the focus, when the key is one that does.
func (t *typing) pressKey(code int) {
	if v := t.pressable(t.scene()); v != nil &&
		(code == KeyEnter || code == KeyCenter || code == KeySpace) {
		v.Press()
	}
}

func (t *typing) letterKey(f *ui.View, code int) {
	switch {
	case code >= Key0 && code <= key9:
		f.Insert(string(rune('0' + code - Key0)))
	case code >= KeyA && code <= keyZ:
		f.Insert(string(rune('a' + code - KeyA)))
	}
}

// Broadcast sends an intent with text extras. It reports whether it was taken: the ADB keyboard
// takes ADB_INPUT_TEXT and ADB_INPUT_B64 (extra "msg"), ADB_CLEAR_TEXT and ADB_EDITOR_CODE (extra
// "code") while it is the selected input method.
func (t *typing) Broadcast(action string, extras map[string]string) bool {
	return ask(t.core, func() bool { return t.ime() == adbIME && t.adbKeyboard(action, extras) })
}

func (t *typing) adbKeyboard(action string, extras map[string]string) bool {
	switch action {
	case "ADB_INPUT_TEXT":
		t.commit(extras["msg"])
	case "ADB_INPUT_B64":
		// The real one logs what it cannot decode and goes on: the broadcast still counts as
		// delivered.
		if text, err := base64.StdEncoding.DecodeString(
			strings.TrimSpace(extras["msg"])); err == nil {
			t.commit(string(text))
		}
	case "ADB_CLEAR_TEXT":
		if f := t.field(); f != nil {
			f.Clear()
		}
	case "ADB_EDITOR_CODE":
		if code, err := strconv.Atoi(extras["code"]); err == nil && code >= 2 {
			t.enter() // IME_ACTION_GO, SEARCH, SEND, NEXT, DONE
		}
	default:
		return false
	}
	return true
}
