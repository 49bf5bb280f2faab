package sandbox

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

const (
	latinIME = latinPackage + "/.LatinIME"
	adbIME   = adbPackage + "/.AdbIME"
)

// IMEs lists the ids of the installed input methods.
func (k *keyboard) IMEs() []string { return k.opts.imes() }

// IME is the id of the selected input method.
func (k *keyboard) IME() string { return look(k.core, k.ime) }

// ime is what the setting says, or the keyboard that is always there when the setting names none
// that is installed.
func (k *keyboard) ime() string {
	id, _ := k.sys.Settings.Get(apps.Secure, "default_input_method")
	if slices.Contains(k.IMEs(), id) {
		return id
	}
	return latinIME
}

// FindIME returns the id of an installed input method, whose class may be given in full.
func (k *keyboard) FindIME(given string) (id string, ok bool) {
	pkg, class, _ := strings.Cut(given, "/")
	id = pkg + "/" + strings.TrimPrefix(class, pkg)
	return id, slices.Contains(k.IMEs(), id)
}
