package shell

import (
	"strconv"
	"strings"

	"github.com/taploop/taploop/sandbox"
)

// keyCodes are the codes of the keys that the phone acts on, by Android's names; letters and digits
// are in the order of theirs.
var keyCodes = func() map[string]int {
	codes := map[string]int{
		"HOME": sandbox.KeyHome, "BACK": sandbox.KeyBack, "APP_SWITCH": sandbox.KeyRecents,
		"DPAD_UP": sandbox.KeyUp, "DPAD_DOWN": sandbox.KeyDown, "DPAD_LEFT": sandbox.KeyLeft,
		"DPAD_RIGHT": sandbox.KeyRight, "DPAD_CENTER": sandbox.KeyCenter,
		"POWER": sandbox.KeyPower, "SLEEP": sandbox.KeySleep, "WAKEUP": sandbox.KeyWakeUp,
		"TAB": sandbox.KeyTab, "SPACE": sandbox.KeySpace, "ENTER": sandbox.KeyEnter,
		"DEL": sandbox.KeyDelete, "FORWARD_DEL": sandbox.KeyForwardDel,
		"MOVE_HOME": sandbox.KeyMoveHome, "MOVE_END": sandbox.KeyMoveEnd,
		"MENU": sandbox.KeyMenu, "ESCAPE": sandbox.KeyEscape,
	}
	for i, r := range "0123456789" {
		codes[string(r)] = sandbox.Key0 + i
	}
	for i, r := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		codes[string(r)] = sandbox.KeyA + i
	}
	return codes
}()

// keyCode reads a key's number or name, with or without KEYCODE_; a name that the phone has no use
// for is 0, the unknown key. The phone knows which numbers are keys.
func keyCode(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return keyCodes[strings.TrimPrefix(s, "KEYCODE_")]
}
