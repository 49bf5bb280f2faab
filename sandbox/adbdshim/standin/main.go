package standin

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
)

// exitUnreachable is the exit code when there is no phone to ask, as of a program that cannot be
// run.
const exitUnreachable = 126

// Main runs a command of the phone with the process's own stdout, stderr and folder, and
// returns its exit code. When the phone cannot be reached it says so on stderr and returns 126.
func Main(name string, args []string) int {
	code, err := run(name, args, os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		return exitUnreachable
	}
	return code
}

func run(name string, args []string, stdout, stderr io.Writer) (int, error) {
	path := os.Getenv(Env)
	if path == "" {
		return 0, fmt.Errorf("no simulated phone: set %s to the socket of a running "+
			"taploop sandbox", Env)
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		return 0, fmt.Errorf("the simulated phone cannot be reached (%w); is the taploop "+
			"sandbox behind %s running?", err, Env)
	}
	defer c.Close()
	dir, err := os.Getwd()
	if err != nil {
		dir = "/"
	}
	ask := Request{Dir: []byte(dir), Argv: [][]byte{[]byte(name)}}
	for _, a := range args {
		ask.Argv = append(ask.Argv, []byte(a))
	}
	code, err := converse(c, ask, stdout, stderr)
	if err != nil {
		return 0, fmt.Errorf("the simulated phone broke off: %w", err)
	}
	return code, nil
}

// mostData bounds what the phone sends at once: a file that holds a picture.
const mostData = 256 << 20

// converse asks the phone and does what it says until the exit code comes.
func converse(c net.Conn, ask Request, stdout, stderr io.Writer) (int, error) {
	w := NewWire(c, c)
	if err := w.Send(ask, nil); err != nil {
		return 0, err
	}
	var data []byte
	for {
		var r Reply
		var err error
		data, err = w.Receive(&r, data, mostData)
		switch {
		case err != nil || r.Last:
			return r.Code, err
		case len(r.File) > 0:
			err = w.Send(save(string(r.File), data), nil)
		case r.Err:
			_, err = stderr.Write(data)
		default:
			_, err = stdout.Write(data)
		}
		if err != nil {
			return 0, err
		}
	}
}

// save writes a file for the phone.
func save(name string, data []byte) Saved {
	err := os.WriteFile(name, data, 0o664)
	code, ok := errors.AsType[syscall.Errno](err)
	if err != nil && !ok {
		code = syscall.EIO
	}
	return Saved{code}
}
