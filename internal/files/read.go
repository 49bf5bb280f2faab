// Package files reads files that users name, and stores values in files that several processes
// change.
package files

import (
	"fmt"
	"io"
	"os"

	"github.com/taploop/taploop/internal/hint"
)

// most is more than the size of any file written by hand.
const most = 16 << 20

// Read is like os.ReadFile, but returns an error if the file is larger than 16 MiB. The user may
// have named an endless device or a picture by mistake.
func Read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(b) > most {
		b, err = nil, hint.Add(fmt.Errorf("%s is longer than %d MiB", path, most>>20),
			"name another file: this one holds something else")
	}
	return b, err
}

// Found is Read for a file that was found in a folder, and not named. It returns an error for
// anything but a regular file: reading from a pipe might never end.
func Found(path string) ([]byte, error) { return found(path, Read) }

// Recorded is Found for a file that a program wrote, of any size.
func Recorded(path string) ([]byte, error) { return found(path, os.ReadFile) }

func found(path string, read func(string) ([]byte, error)) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, hint.Add(fmt.Errorf("%s is no regular file", path), "put a file in its place")
	}
	return read(path)
}
