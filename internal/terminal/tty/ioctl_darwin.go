package tty

import "golang.org/x/sys/unix"

// flushTyped drops the terminal's input that was not read yet, even a line that is not finished.
func flushTyped(fd int) { _ = unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) } // 1 is FREAD

const getTermios, setTermios = unix.TIOCGETA, unix.TIOCSETA
