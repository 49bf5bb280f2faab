//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// echoOff switches the echo of a terminal off; line editing stays.
func echoOff(fd int) (restore func(), ok bool) {
	old, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, false
	}
	quiet := *old
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTermios, &quiet); err != nil {
		return nil, false
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, old) }, true
}
