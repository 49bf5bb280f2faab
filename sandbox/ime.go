package sandbox

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taploop/taploop/sandbox/apps"
)

const (
	latinIME = latinPackage + "/.LatinIME"
	adbIME   = adbPackage + "/.AdbIME"
)

// ErrNoIME is returned for an input method that is not installed.
var ErrNoIME = errors.New("input method is not installed")

// IMEs lists the ids of the installed input methods.
func (p *Phone) IMEs() []string {
	if p.opts.adbKeyboard() {
		return []string{latinIME, adbIME}
	}
	return []string{latinIME}
}

// IME is the id of the selected input method.
func (p *Phone) IME() (id string) {
	p.do(func() { id = p.ime() })
	return id
}

// ime is what the setting says, or the keyboard that is always there when the setting names none that is installed.
func (p *Phone) ime() string {
	if id, _ := p.sys.Settings.Get(apps.Secure, "default_input_method"); slices.Contains(p.IMEs(), id) {
		return id
	}
	return latinIME
}

// SetIME selects an input method. The class may be written in full. The error wraps ErrNoIME.
func (p *Phone) SetIME(id string) error {
	pkg, class, _ := strings.Cut(id, "/")
	id = pkg + "/" + strings.TrimPrefix(class, pkg)
	if !slices.Contains(p.IMEs(), id) {
		return fmt.Errorf("selecting %s: %w", id, ErrNoIME)
	}
	p.PutSetting(apps.Secure, "default_input_method", id)
	return nil
}

// Broadcast sends an intent with text extras. It reports whether anybody took it: the ADB keyboard takes ADB_INPUT_TEXT and
// ADB_INPUT_B64 (extra "msg"), ADB_CLEAR_TEXT and ADB_EDITOR_CODE (extra "code") while it is the selected input method.
func (p *Phone) Broadcast(action string, extras map[string]string) (delivered bool) {
	p.do(func() { delivered = p.ime() == adbIME && p.adbKeyboard(action, extras) })
	return delivered
}

func (p *Phone) adbKeyboard(action string, extras map[string]string) bool {
	switch action {
	case "ADB_INPUT_TEXT":
		p.commit(extras["msg"])
	case "ADB_INPUT_B64":
		// The real one logs what it cannot decode and goes on: the broadcast still counts as delivered.
		if text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(extras["msg"])); err == nil {
			p.commit(string(text))
		}
	case "ADB_CLEAR_TEXT":
		if f := p.field(); f != nil {
			f.Clear()
		}
	case "ADB_EDITOR_CODE":
		if code, err := strconv.Atoi(extras["code"]); err == nil && code >= 2 {
			p.enter() // IME_ACTION_GO, SEARCH, SEND, NEXT, DONE
		}
	default:
		return false
	}
	return true
}

// KeyboardShown reports whether the input method is in front, as it is while a text field has the focus.
func (p *Phone) KeyboardShown() (shown bool) {
	p.do(func() { shown = !p.off && p.scene().keyboard != nil })
	return shown
}
