//go:build !linux && !darwin

package main

// flushTyped cannot do anything here.
func flushTyped(int) {}

// echoOff says that the echo cannot be switched off here.
func echoOff(int) (restore func(), ok bool) { return nil, false }
