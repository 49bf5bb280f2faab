package sandbox

import (
	"errors"
	"fmt"
	"slices"
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
func (k *keyboard) IMEs() []string { return k.opts.imes() }

// IME is the id of the selected input method.
func (k *keyboard) IME() string { return ask(k.core, k.ime) }

// ime is what the setting says, or the keyboard that is always there when the setting names none
// that is installed.
func (k *keyboard) ime() string {
	id, _ := k.sys.Settings.Get(apps.Secure, "default_input_method")
	if slices.Contains(k.IMEs(), id) {
		return id
	}
	return latinIME
}

// SetIME selects an input method. The class may be written in full. The error wraps ErrNoIME.
func (k *keyboard) SetIME(id string) error {
	pkg, class, _ := strings.Cut(id, "/")
	id = pkg + "/" + strings.TrimPrefix(class, pkg)
	if !slices.Contains(k.IMEs(), id) {
		return fmt.Errorf("selecting %s: %w", id, ErrNoIME)
	}
	k.PutSetting(apps.Secure, "default_input_method", id)
	return nil
}
