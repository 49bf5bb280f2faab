package adbdshim

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/taploop/taploop/sandbox/shell"
)

// Names lists the commands that a stand-in can be: Android's own. The small Unix tools come from
// the real userland.
func Names() []string { return shell.Names() }

// Install makes a link in dir for each of Names to binary, which must call Main when it is started
// under one of them. Links that are there already are replaced; other files are not.
func Install(dir, binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return fmt.Errorf("installing stand-ins: %w", err)
	}
	for _, name := range Names() {
		link := filepath.Join(dir, name)
		if info, err := os.Lstat(link); err == nil {
			if info.Mode()&os.ModeSymlink == 0 {
				return fmt.Errorf("installing stand-ins: %s is there and no link", link)
			}
			if err := os.Remove(link); err != nil {
				return fmt.Errorf("installing stand-ins: %w", err)
			}
		}
		if err := os.Symlink(binary, link); err != nil {
			return fmt.Errorf("installing stand-ins: %w", err)
		}
	}
	return nil
}

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
	ask := request{dir, append([]string{name}, args...)}
	code, err := converse(c, ask, stdout, stderr)
	if err != nil {
		return 0, fmt.Errorf("the simulated phone broke off: %w", err)
	}
	return code, nil
}

// converse asks the phone and does what it says until the exit code comes.
func converse(c net.Conn, ask request, stdout, stderr io.Writer) (int, error) {
	in, out := gob.NewDecoder(c), gob.NewEncoder(c)
	if err := out.Encode(ask); err != nil {
		return 0, err
	}
	for {
		var r reply
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
func save(name string, data []byte) saved {
	err := os.WriteFile(name, data, 0o664)
	code, ok := errors.AsType[syscall.Errno](err)
	if err != nil && !ok {
		code = syscall.EIO
	}
	return saved{code}
}
