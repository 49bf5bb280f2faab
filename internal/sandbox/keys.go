package sandbox

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Keys are the phone's keys, a hardware keyboard, and what input methods commit.
type Keys struct {
	*core
	lock     *Lock
	stack    *Apps
	keyboard *Keyboard
	screen   *Screen
	stage    *stage
}

// lastKey is the highest key code that Android 14 knows.
const lastKey = 318

// Key presses a key by its Android code. Codes that the phone has no use for do nothing. Numbers
// that are no key codes are an error.
func (k *Keys) Key(code int) error {
	if code <= 0 || code > lastKey {
		return fmt.Errorf("key code %d is none of Android's (1 to %d)", code, lastKey)
	}
	k.do(func() { k.press(code) })
	return nil
}

// press does what a key does. While the display is off only power and wake-up do anything.
func (k *Keys) press(code int) {
	switch {
	case code == KeyPower && !k.lock.off, code == KeySleep && !k.lock.off:
		k.stack.overview = false
		k.lock.sleep()
	case code == KeyPower, code == KeyWakeUp:
		if k.lock.off {
			k.lock.wake()
		}
	case k.lock.off:
	case k.lock.locked:
		k.lockedKey(code)
	default:
		if !k.systemKey(code) {
			k.editKey(code)
		}
	}
}

func (k *Keys) lockedKey(code int) {
	switch code {
	case KeyMenu:
		k.lock.dismiss() // with a PIN it asks for it: that is the key's effect
	case KeyBack:
		if k.lock.bouncer {
			k.lock.closeBouncer()
		}
	case KeyEnter:
		if k.lock.bouncer {
			k.lock.tryPIN()
		}
	case KeyDelete:
		k.lock.erase()
	}
}

// systemKey handles the keys that no field sees.
func (k *Keys) systemKey(code int) bool {
	switch code {
	case KeyHome:
		k.stack.goHome()
	case KeyBack, KeyEscape:
		k.back()
	case KeyRecents:
		k.stack.show(!k.stack.overview)
	default:
		return false
	}
	return true
}

func (k *Keys) back() {
	switch {
	case k.stack.overview:
		k.stack.show(false)
	case k.screen.scene().keyboard != nil:
		k.keyboard.keyboardHidden = true
	case !k.stack.front.Back() && k.stack.front != k.stack.home:
		k.stack.end(k.stack.front.App.Package)
	}
}

// Text types as a hardware keyboard does: into the field that has the focus, else each character is
// a key for the view that has it. Newlines are Enter. Others may use the phone between the keys, as
// they may with hardware.
func (k *Keys) Text(s string) {
	for s != "" {
		k.do(func() {
			if k.lock.off {
				s = ""
				return
			}
			s = s[k.typed(s):]
		})
	}
}

// commit puts text into the focused field, as an input method does.
func (k *Keys) commit(s string) {
	if f := k.screen.field(); f != nil {
		k.stage.edited = k.sys.Now()
		f.Insert(s)
	}
}

// enter does what the keyboard's enter key does.
func (k *Keys) enter() {
	if !k.submitted() {
		k.keyboard.keyboardHidden = true
	}
}

// submitted makes a new line or does the field's action, and reports whether it has one of the two.
func (k *Keys) submitted() bool {
	f := k.screen.field()
	if f != nil && f.Multi {
		k.commit("\n")
		return true
	}
	return f != nil && f.Submit()
}

// typed is the beginning of a text from a hardware keyboard, as much as does one thing, and returns
// how long that was: the lock screen takes digits, a field takes all up to a line break, and any
// other view is pressed by spaces and line breaks and knows nothing of other keys.
func (k *Keys) typed(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == '\n':
		k.press(KeyEnter)
	case k.lock.locked && k.lock.bouncer:
		k.lock.pinDigit(r)
	case k.lock.locked:
		n = until(s, "\n")
	case k.screen.field() != nil:
		n = until(s, "\n")
		k.keyboard.focus.keys = true
		k.commit(s[:n])
	case r == ' ':
		k.press(KeySpace)
	default:
		k.screen.leaveTouchMode()
		if k.screen.field() != nil { // the first view may be one
			k.commit(s[:n])
		} else {
			n = until(s, " \n")
		}
	}
	k.stage.settle() // what a key opens gets the next one
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
func (k *Keys) editKey(code int) {
	if code != KeyDelete && code != KeySpace && code != KeyEnter && code != KeyCenter {
		return
	}
	if code != KeyDelete && k.screen.leaveTouchMode() {
		return // that was all that the key does
	}
	f, v := k.screen.field(), k.keyboard.focus.pressable(k.screen.scene())
	k.stage.edited = k.sys.Now()
	switch {
	case f == nil && v != nil && code != KeyDelete:
		v.Press()
	case f == nil:
	case code == KeyDelete:
		f.Delete()
	case code == KeySpace:
		f.Insert(" ")
	case !k.submitted() && !k.screen.advance():
		k.keyboard.keyboardHidden = true
	}
}

// Broadcast sends an intent with text extras. It reports whether it was taken: the ADB keyboard
// takes ADB_INPUT_TEXT and ADB_INPUT_B64 (extra "msg"), ADB_CLEAR_TEXT and ADB_EDITOR_CODE (extra
// "code") while it is the selected input method.
func (k *Keys) Broadcast(action string, extras map[string]string) bool {
	return ask(k.core, func() bool {
		return k.keyboard.ime() == adbIME && k.adbKeyboard(action, extras)
	})
}

func (k *Keys) adbKeyboard(action string, extras map[string]string) bool {
	switch action {
	case "ADB_INPUT_TEXT":
		k.commit(extras["msg"])
	case "ADB_INPUT_B64":
		// The real one logs what it cannot decode and continues: the broadcast still counts as
		// delivered.
		if text, err := base64.StdEncoding.DecodeString(
			strings.TrimSpace(extras["msg"])); err == nil {
			k.commit(string(text))
		}
	case "ADB_CLEAR_TEXT":
		if f := k.screen.field(); f != nil {
			f.Clear()
		}
	case "ADB_EDITOR_CODE":
		if code, err := strconv.Atoi(extras["code"]); err == nil && code >= 2 {
			k.enter() // IME_ACTION_GO, SEARCH, SEND, NEXT, DONE
		}
	default:
		return false
	}
	return true
}
