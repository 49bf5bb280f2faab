package screen

import "errors"

// What a caller that looks at a phone or touches it asks of an error, with errors.Is. They live
// here because the phone and the loop both see this package, and do not see each other.
var (
	// ErrDisconnected: the phone is gone (unplugged, offline, rebooting). The same call may work
	// later.
	ErrDisconnected = errors.New("the phone is disconnected")
	// ErrLocked: the lock screen is in front and only a person can open it.
	ErrLocked = errors.New("the phone is locked")
	// ErrDark: the display is off. A person stops a run so, and nothing may be touched.
	ErrDark = errors.New("the phone's display is off")
	// ErrSecure: the window in front forbids capture, so there is no picture to act on.
	ErrSecure = errors.New("the screen in front forbids capture")
)
