package standin

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
	"syscall"
)

// Env names the variable that holds the path of the phone's socket.
const Env = "TAPLOOP_SANDBOX_SOCKET"

// A stand-in sends its request and then a Saved for each file, the phone sends replies until one of
// them is the last.

// Request is the command that a stand-in is to run in its folder; texts of any bytes.
type Request struct {
	Dir  []byte
	Argv [][]byte
}

// Reply is a part of what a command does. Bytes come with it: for stdout, when it says nothing
// else.
type Reply struct {
	Err  bool   // they are for stderr
	File []byte // they are to be written there
	Last bool
	Code int // of the last one: the exit code
}

// Saved is how the writing of a file went; 0 is well.
type Saved struct{ Errno syscall.Errno }

// Wire carries messages: each a line of JSON, and the bytes that come with it. Send is safe for
// concurrent use, and so is Receive beside it.
type Wire struct {
	in  *bufio.Reader
	mu  sync.Mutex
	out io.Writer
}

// NewWire is a wire over a connection, of which in may be a bounded part.
func NewWire(in io.Reader, out io.Writer) *Wire {
	return &Wire{in: bufio.NewReader(in), out: out}
}

type message struct {
	Head json.RawMessage
	Size int // of the bytes behind it
}

// Send sends a message.
func (w *Wire) Send(head any, data []byte) error {
	b, err := json.Marshal(head)
	if err != nil {
		return err
	}
	if b, err = json.Marshal(message{b, len(data)}); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = (&net.Buffers{append(b, '\n'), data}).WriteTo(w.out)
	return err
}

// errLarge is a message of more bytes than are expected.
var errLarge = errors.New("a message is too large")

// Receive takes the next message, with at most so many bytes, for which it uses data's memory.
func (w *Wire) Receive(head any, data []byte, most int) ([]byte, error) {
	line, err := w.in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		return nil, err
	}
	if m.Size < 0 || m.Size > most {
		return nil, errLarge
	}
	if err := json.Unmarshal(m.Head, head); err != nil {
		return nil, err
	}
	data = slices.Grow(data[:0], m.Size)[:m.Size]
	_, err = io.ReadFull(w.in, data)
	return data, err
}
