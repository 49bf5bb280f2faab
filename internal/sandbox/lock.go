package sandbox

import "github.com/taploop/taploop/internal/sandbox/apps"

// Lock is the power key and the lock screen.
type Lock struct {
	*core
	lockState
}

// lockState is what a reset forgets.
type lockState struct {
	off      bool
	locked   bool
	bouncer  bool   // it asks for the PIN
	pin      string // digits typed so far
	wrongPIN bool
}

// On reports whether the display is lit.
func (l *Lock) On() bool { return look(l.core, func() bool { return !l.off }) }

// Locked reports whether the lock screen is in front, or would be when the display is lit.
func (l *Lock) Locked() bool { return look(l.core, func() bool { return l.locked }) }

// HasPIN reports whether the lock screen asks for a PIN.
func (l *Lock) HasPIN() bool { return l.opts.PIN != "" }

// DismissKeyguard unlocks the phone as a swipe up does. With a PIN the phone asks for it.
func (l *Lock) DismissKeyguard() { l.do(func() { l.dismiss() }) }

// dismiss reports whether the phone is unlocked then.
func (l *Lock) dismiss() bool {
	switch {
	case !l.locked:
	case l.opts.PIN == "":
		l.unlock()
	case !l.off:
		l.bouncer = true
		l.sys.Moved(apps.Popup)
	}
	return !l.locked
}

func (l *Lock) unlock() {
	l.locked = false
	l.closeBouncer()
	l.sys.Moved(apps.Backward)
}

func (l *Lock) sleep() {
	l.off, l.locked = true, true
	l.closeBouncer()
	l.sys.Moved(apps.Still)
}

// closeBouncer goes back from the question for the PIN to the lock screen.
func (l *Lock) closeBouncer() {
	l.bouncer, l.pin = false, ""
	l.sys.Moved(apps.Popup)
}

func (l *Lock) erase() { l.pin = l.pin[:max(len(l.pin)-1, 0)] }

func (l *Lock) wake() {
	l.off = false
	l.sys.Moved(apps.Popup)
}
