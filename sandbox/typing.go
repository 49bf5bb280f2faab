package sandbox

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/taploop/taploop/sandbox/ui"
)

// typing is typing into the field that has the focus.
type typing struct{ *stage }

// Text types into the focused field as a hardware keyboard does; without one it is lost. Newlines
// are Enter.
func (t *typing) Text(s string) {
	t.do(func() {
		if !t.off {
			t.typed(s)
		}
	})
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
	f := t.field()
	switch {
	case f == nil:
	case f.Multiline():
		t.commit("\n")
	case !f.Submit():
		t.keyboardHidden = true
	}
}

// typed is text from a hardware keyboard: the lock screen takes digits, a field takes all.
func (t *typing) typed(s string) {
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			t.typist.press(KeyEnter)
		}
		if !t.locked {
			t.commit(line)
			continue
		}
		for _, d := range line {
			if t.bouncer {
				t.pinDigit(d)
			}
		}
	}
}

// editKey handles what a hardware keyboard sends to the focused field.
func (t *typing) editKey(code int) {
	f := t.field()
	switch code {
	case KeyTab, KeyDown:
		t.nextField(1)
		return
	case KeyUp:
		t.nextField(-1)
		return
	}
	if f == nil {
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
		t.enter()
	case KeySpace:
		f.Insert(" ")
	default:
		t.letterKey(f, code)
	}
}

func (t *typing) letterKey(f *ui.View, code int) {
	switch {
	case code >= key0 && code <= key9:
		f.Insert(string(rune('0' + code - key0)))
	case code >= keyA && code <= keyZ:
		f.Insert(string(rune('a' + code - keyA)))
	}
}

// nextField moves the focus to the field after or before the focused one, or to the first.
func (t *typing) nextField(by int) {
	s := t.scene()
	front := s.window[len(s.window)-1]
	var fields []*ui.View
	at := -1
	front.view.Walk(func(v *ui.View) {
		if v.IsField() {
			if v == s.field {
				at = len(fields)
			}
			fields = append(fields, v)
		}
	})
	if len(fields) == 0 {
		return
	}
	next := fields[max((at+by+len(fields))%len(fields), 0)]
	t.touched(next)
	front.mem.Focus, front.mem.Reveal = next.Name(), true
	next.End()
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
