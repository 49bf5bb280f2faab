package standin

import (
	"encoding/gob"
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
	ask := Request{dir, append([]string{name}, args...)}
	code, err := converse(c, ask, stdout, stderr)
	if err != nil {
		return 0, fmt.Errorf("the simulated phone broke off: %w", err)
	}
	return code, nil
}

// converse asks the phone and does what it says until the exit code comes.
func converse(c net.Conn, ask Request, stdout, stderr io.Writer) (int, error) {
	in, out := gob.NewDecoder(c), gob.NewEncoder(c)
	if err := out.Encode(ask); err != nil {
		return 0, err
	}
	var r Reply
	for {
		r = Reply{Out: r.Out[:0], Err: r.Err[:0]} // the memory is taken once
		err := in.Decode(&r)
		switch {
		case err != nil || r.Last:
			return r.Code, err
		case r.File != "":
			err = out.Encode(save(r.File, r.Data))
		default:
			_, outErr := stdout.Write(r.Out)
			_, errErr := stderr.Write(r.Err)
			err = errors.Join(outErr, errErr)
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
