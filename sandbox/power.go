package sandbox

import (
	"errors"

	"github.com/taploop/taploop/sandbox/apps"
)

// ErrPIN is returned when the lock screen cannot be dismissed without the PIN.
var ErrPIN = errors.New("the lock screen asks for a PIN")

// On reports whether the display is lit.
func (p *Phone) On() (on bool) {
	p.do(func() { on = !p.off })
	return on
}

// Locked reports whether the lock screen is in front, or would be when the display is lit.
func (p *Phone) Locked() (locked bool) {
	p.do(func() { locked = p.locked })
	return locked
}

// HasPIN reports whether the lock screen asks for a PIN.
func (p *Phone) HasPIN() bool { return p.opts.PIN != "" }

// DismissKeyguard unlocks the phone as a swipe up does. With a PIN the phone asks for it and ErrPIN is returned.
func (p *Phone) DismissKeyguard() (err error) {
	p.do(func() { err = p.dismiss() })
	return err
}

func (p *Phone) dismiss() error {
	switch {
	case !p.locked:
		return nil
	case p.off && p.opts.PIN != "":
		return ErrPIN
	case p.opts.PIN != "":
		p.bouncer = true
		p.sys.Moved(apps.Popup)
		return ErrPIN
	}
	p.unlock()
	return nil
}

func (p *Phone) unlock() {
	p.locked, p.bouncer, p.pin = false, false, ""
	p.sys.Moved(apps.Open)
}

func (p *Phone) sleep() {
	p.off, p.locked, p.bouncer, p.pin = true, true, false, ""
	p.cover = coverNone
	p.sys.Moved(apps.Still)
}

func (p *Phone) wake() {
	p.off = false
	p.sys.Moved(apps.Popup)
}
