package sandbox

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
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
	if f != nil && f.Multi {
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
	if code != KeyDelete && code != KeySpace && code != KeyEnter && code != KeyCenter {
		return
	}
	if code != KeyDelete && t.leaveTouchMode() {
		return // that was all that the key does
	}
	f, v := t.field(), t.pressable(t.scene())
	t.stage.edited = t.sys.Now()
	switch {
	case f == nil && v != nil && code != KeyDelete:
		v.Press()
	case f == nil:
	case code == KeyDelete:
		f.Delete()
	case code == KeySpace:
		f.Insert(" ")
	case !t.submitted() && !t.advance():
		t.keyboardHidden = true
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
