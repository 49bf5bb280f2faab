package adbdshim

import "syscall"

// Env names the variable that holds the path of the phone's socket.
const Env = "TAPLOOP_SANDBOX_SOCKET"

// maxToPhone bounds the bytes of a stand-in to the phone: what a command line may be.
const maxToPhone = 4 << 20

// The two sides speak gob: a stand-in sends its request and then a saved for each file, the phone
// sends replies until one of them is the last.

// request is the command that a stand-in is to run in its folder.
type request struct {
	Dir  string
	Argv []string
}

// reply is a part of what a command does.
type reply struct {
	Out, Err []byte
	File     string // to be written, with Data
	Data     []byte
	Last     bool
	Code     int // of the last one: the exit code
}

// saved is how the writing of a file went; 0 is well.
type saved struct{ Errno syscall.Errno }
