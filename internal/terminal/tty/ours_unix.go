//go:build linux || darwin

package tty

import (
	"os"

	"golang.org/x/sys/unix"
)

const ttyPath = "/dev/tty"

// ours reports whether we are in front at the terminal, and it gives lines. A full-screen program
// switches that off.
func ours(f *os.File) bool {
	fd := int(f.Fd())
	front, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || front != unix.Getpgrp() {
		return false
	}
	mode, err := unix.IoctlGetTermios(fd, getTermios)
	return err == nil && mode.Lflag&unix.ICANON != 0
}

// echoOff switches off the echo of a terminal. Line editing stays.
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
