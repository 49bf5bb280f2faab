package sandbox

import (
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/sandbox/apps"
)

// Keyboard is the input methods and the keys that they show.
type Keyboard struct {
	*core
	keyboardState
}

// keyboardState is what a reset forgets.
type keyboardState struct {
	keyboardHidden bool // the focused field has none
	shift, symbols bool // which keys are shown
	focus          keyFocus
}

// showLetters shows the keyboard's first page.
func (k *Keyboard) showLetters() {
	k.keyboardHidden = false
	k.shift, k.symbols = false, false
}

// IMEs lists the ids of the installed input methods.
func (k *Keyboard) IMEs() []string { return k.opts.imes() }

// IME is the id of the selected input method.
func (k *Keyboard) IME() string { return look(k.core, k.ime) }

// ime is what the setting says, or the keyboard that is always there when the setting names none
// that is installed.
func (k *Keyboard) ime() string {
	id, _ := k.sys.Settings.Get(apps.Secure, "default_input_method")
	if slices.Contains(k.IMEs(), id) {
		return id
	}
	return latinIME
}

// FindIME returns the id of an installed input method, whose class may be given in full.
func (k *Keyboard) FindIME(given string) (id string, ok bool) {
	pkg, class, _ := strings.Cut(given, "/")
	id = pkg + "/" + strings.TrimPrefix(class, pkg)
	return id, slices.Contains(k.IMEs(), id)
}
