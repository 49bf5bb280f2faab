// Package files reads files that a person names, which may be the wrong ones, and keeps values in
// files that several processes change.
package files

import (
	"fmt"
	"io"
	"os"

	"github.com/taploop/taploop/internal/hint"
)

// most is more than any file holds that a person writes by hand.
const most = 16 << 20

// Read is os.ReadFile for a file of at most 16 MiB: a device that never ends, or a picture that was
// named by mistake, is an error and not all of the memory.
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
