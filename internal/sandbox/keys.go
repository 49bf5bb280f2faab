package sandbox

import "fmt"

// Android's key codes that the phone acts on.
const (
	KeyHome    = 3
	KeyBack    = 4
	KeyCenter  = 23
	KeyPower   = 26
	KeySpace   = 62
	KeyEnter   = 66
	KeyDelete  = 67
	KeyMenu    = 82
	KeyEscape  = 111
	KeyRecents = 187
	KeySleep   = 223
	KeyWakeUp  = 224
)

// keys is the phone's keys, those of a hardware keyboard too.
type keys struct{ *typing }

// lastKey is the highest key code that Android 14 knows.
const lastKey = 318

// Key presses a key by its Android code. Codes that the phone has no use for do nothing; numbers
// that are no key codes are an error.
func (k *keys) Key(code int) error {
	if code <= 0 || code > lastKey {
		return fmt.Errorf("key code %d is none of Android's (1 to %d)", code, lastKey)
	}
	k.do(func() { k.press(code) })
	return nil
}

// press does what a key does. While the display is off only power and wake-up do anything.
func (k *keys) press(code int) {
	switch {
	case code == KeyPower && !k.off, code == KeySleep && !k.off:
		k.overview = false
		k.sleep()
	case code == KeyPower, code == KeyWakeUp:
		if k.off {
			k.wake()
		}
	case k.off:
	case k.locked:
		k.lockedKey(code)
	default:
		if !k.systemKey(code) {
			k.editKey(code)
		}
	}
}

func (k *keys) lockedKey(code int) {
	switch code {
	case KeyMenu:
		k.dismiss() // with a PIN it asks for it: that is the key's effect
	case KeyBack:
		if k.bouncer {
			k.closeBouncer()
		}
	case KeyEnter:
		if k.bouncer {
			k.tryPIN()
		}
	case KeyDelete:
		k.erase()
	}
}

// systemKey handles the keys that no field sees.
func (k *keys) systemKey(code int) bool {
	switch code {
	case KeyHome:
		k.goHome()
	case KeyBack, KeyEscape:
		k.back()
	case KeyRecents:
		k.show(!k.overview)
	default:
		return false
	}
	return true
}

func (k *keys) back() {
	switch {
	case k.overview:
		k.show(false)
	case k.scene().keyboard != nil:
		k.keyboardHidden = true
	case !k.front.Back() && k.front != k.home:
		k.end(k.front.App.Package)
	}
}
