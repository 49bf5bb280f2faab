package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file that others may read, and makes its folder. It replaces only a file that
// has the mark of its kind: a name may be that of anything.
func Replace(path, mark string, b []byte) error {
	err := Replaceable(path, mark)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, b, 0o644)
	}
	return err
}

// Replaceable returns the error that Replace would return before it writes, and changes nothing.
func Replaceable(path, mark string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(path); err == nil {
			return errors.New("what is there is a link to nothing")
		}
		return Fillable(filepath.Dir(path))
	case err != nil || !info.Mode().IsRegular() && !info.IsDir(): // a pipe may never end
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	old, err := io.ReadAll(f)
	if err == nil && len(old) > 0 && !bytes.Contains(old, []byte(mark)) {
		err = errors.New("what is there is of another kind, and is not replaced")
	}
	return err
}

// Fillable returns an error if no file can be made in the folder, which may not be there yet.
func Fillable(dir string) error {
	for up := filepath.Dir(dir); up != dir; up = filepath.Dir(dir) {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		dir = up
	}
	f, err := os.CreateTemp(dir, ".taploop-*")
	if of, is := errors.AsType[*fs.PathError](err); is {
		return fmt.Errorf("no file can be made in %s: %w", dir, of.Err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}
