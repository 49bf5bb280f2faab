package files

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
)

// Replace writes a file that others may read, and makes its folder. It replaces only a file that
// has the mark of its kind: a name may be that of anything.
func Replace(path, mark string, b []byte) error {
	old, err := Recorded(path)
	if err == nil && len(old) > 0 && !bytes.Contains(old, []byte(mark)) {
		return errors.New("what is there is of another kind, and is not replaced")
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = os.WriteFile(path, b, 0o644)
	}
	return err
}
