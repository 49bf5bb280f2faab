package tty

import "golang.org/x/sys/unix"

// flushTyped drops the terminal's input that was not read yet, even a line that is not finished.
func flushTyped(fd int) { _ = unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

const getTermios, setTermios = unix.TCGETS, unix.TCSETS
