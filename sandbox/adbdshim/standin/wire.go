// Package standin is one of a phone's commands as a process: it hands its words to the simulated
// phone over the unix socket in $TAPLOOP_SANDBOX_SOCKET and passes on what comes back.
package standin

import "syscall"

// Env names the variable that holds the path of the phone's socket.
const Env = "TAPLOOP_SANDBOX_SOCKET"

// The two sides speak gob: a stand-in sends its request and then a Saved for each file, the phone
// sends replies until one of them is the last.

// Request is the command that a stand-in is to run in its folder.
type Request struct {
	Dir  string
	Argv []string
}

// Reply is a part of what a command does.
type Reply struct {
	Out, Err []byte
	File     string // to be written, with Data
	Data     []byte
	Last     bool
	Code     int // of the last one: the exit code
}

// Saved is how the writing of a file went; 0 is well.
type Saved struct{ Errno syscall.Errno }
