//go:build !linux && !darwin

package tty

import "os"

// ttyPath cannot be opened for reading and writing at once: there is no terminal here.
const ttyPath = "CON"

// What follows has nothing to tell, and cannot do anything, here.

func ours(*os.File) bool { return true }

func flushTyped(int) {}

func echoOff(int) (restore func(), ok bool) { return nil, false }
