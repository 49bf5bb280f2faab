package device

import "github.com/taploop/taploop/screen"

// What callers ask for with errors.Is. They are the values of package screen, under the names that a caller of this
// package expects.
var (
	ErrDisconnected = screen.ErrDisconnected // the phone is gone: unplugged, offline, not found, cut off in the middle
	ErrLocked       = screen.ErrLocked       // the lock screen needs a person
	ErrSecure       = screen.ErrSecure       // the window in front forbids capture
)
