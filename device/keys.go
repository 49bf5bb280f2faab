package device

import (
	"context"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
)

// keycodes are Android's numbers (KeyEvent.KEYCODE_...).
var keycodes = map[actions.Key]int{
	actions.KeyHome:       3,
	actions.KeyBack:       4,
	actions.KeyVolumeUp:   24,
	actions.KeyVolumeDown: 25,
	actions.KeyPower:      codeSleep,
	actions.KeyEnter:      codeEnter,
	actions.KeyDelete:     codeDelete,
	actions.KeyMenu:       82,
	actions.KeyRecents:    187,
	actions.KeyWakeUp:     codeWakeUp,
}

const (
	codeEnter         = 66
	codeDelete        = 67
	codeForwardDelete = 112
	codeMoveEnd       = 123
	codeSleep         = 223 // off, as the power key; but on a display that is off it does nothing
	codeWakeUp        = 224
)

// Key presses a key. Enter and delete are keys for a text field: while none has the focus they are
// refused, since Enter may press any other view.
func (p *Phone) Key(ctx context.Context, key actions.Key) error {
	code, ok := keycodes[key]
	if !ok {
		return fmt.Errorf("pressing a key on %s: there is no key %q", p.info.Serial, key)
	}
	var err error
	if code == codeEnter || code == codeDelete {
		_, err = p.editor(ctx)
	}
	if err == nil {
		err = p.do(ctx, 0, keyevent(code))
	}
	return p.failed("pressing "+string(key)+" on", err)
}

// keyevent is the line that presses keys one after the other.
func keyevent(codes ...int) string {
	return "input keyevent " + strings.Trim(fmt.Sprint(codes), "[]")
}
