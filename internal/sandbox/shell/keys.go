package shell

import (
	"strconv"
	"strings"

	"github.com/taploop/taploop/internal/sandbox"
)

// keyCodes are the codes of the keys that the phone acts on, by Android's names.
var keyCodes = map[string]int{
	"HOME": sandbox.KeyHome, "BACK": sandbox.KeyBack, "APP_SWITCH": sandbox.KeyRecents,
	"DPAD_CENTER": sandbox.KeyCenter, "SPACE": sandbox.KeySpace, "ENTER": sandbox.KeyEnter,
	"DEL": sandbox.KeyDelete, "MENU": sandbox.KeyMenu, "ESCAPE": sandbox.KeyEscape,
	"POWER": sandbox.KeyPower, "SLEEP": sandbox.KeySleep, "WAKEUP": sandbox.KeyWakeUp,
}

// keyCode reads a key's number or name, with or without KEYCODE_. A name that the phone has no use
// for is 0, the unknown key. The phone knows which numbers are keys.
func keyCode(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	return keyCodes[strings.TrimPrefix(s, "KEYCODE_")]
}
