// Package standin is one command of the simulated phone as a process behind the real adbd: it asks
// the phone over a socket, prints what that says and ends with its exit code.
package standin

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
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
	code, err := converse(c, append([]string{dir, name}, args...), stdout, stderr)
	if err != nil {
		return 0, fmt.Errorf("the simulated phone broke off: %w", err)
	}
	return code, nil
}

// mostData bounds what the phone sends at once: a file that holds a picture.
const mostData = 256 << 20

// converse asks the phone and does what it says until the exit code comes.
func converse(c net.Conn, ask []string, stdout, stderr io.Writer) (int, error) {
	if err := Send(c, Ask, []byte(strings.Join(ask, "\x00"))); err != nil {
		return 0, err
	}
	var name string
	var data []byte
	for in := bufio.NewReader(c); ; {
		var kind byte
		var err error
		kind, data, err = Receive(in, data, mostData)
		if err != nil {
			return 0, err
		}
		switch kind {
		case Stdout:
			_, err = stdout.Write(data)
		case Stderr:
			_, err = stderr.Write(data)
		case Name:
			name = string(data)
		case File:
			err = Send(c, saved, []byte(strconv.Itoa(save(name, data))))
		default: // Exit
			return strconv.Atoi(string(data))
		}
		if err != nil {
			return 0, err
		}
	}
}

// save writes a file for the phone, and returns its errno.
func save(name string, data []byte) int {
	err := os.WriteFile(name, data, 0o664)
	code, ok := errors.AsType[syscall.Errno](err)
	if err != nil && !ok {
		code = syscall.EIO
	}
	return int(code)
}
