package standin

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
)

// Env names the variable that holds the path of the phone's socket.
const Env = "TAPLOOP_SANDBOX_SOCKET"

// Kinds of messages. A stand-in asks and then answers each File, the phone sends the others until
// it sends Exit.
const (
	Ask    = iota // the stand-in's folder and its words, each but the first behind a NUL
	saved         // how the writing of a file went: its errno in digits, 0 is well
	Stdout        // bytes for it
	Stderr        // bytes for it
	Name          // of the file that follows
	File          // bytes to be written there
	Exit          // the exit code in digits
)

// Send sends a message: its kind, four bytes of length, and its data.
func Send(w io.Writer, kind byte, data []byte) error {
	head := binary.LittleEndian.AppendUint32([]byte{kind}, uint32(len(data)))
	_, err := (&net.Buffers{head, data}).WriteTo(w)
	return err
}

// errLarge is a message of more bytes than are expected.
var errLarge = errors.New("a message is too large")

// Receive takes the next message, with at most so many bytes, for which it uses data's memory.
func Receive(r io.Reader, data []byte, most uint32) (kind byte, _ []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	size := binary.LittleEndian.Uint32(head[1:])
	if size > most {
		return 0, nil, errLarge
	}
	data = slices.Grow(data[:0], int(size))[:size]
	_, err = io.ReadFull(r, data)
	return head[0], data, err
}
