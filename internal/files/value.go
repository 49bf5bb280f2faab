package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/moby/sys/atomicwriter"

	"github.com/taploop/taploop/internal/hint"
)

// ErrContent is returned for a file whose content is not what was expected.
var ErrContent = errors.New("the file does not hold what it should")

// Value returns the value in the file, or nil if there is no file. It returns an [ErrContent] if
// the content cannot be decoded.
func Value[T any](path string) (*T, error) {
	b, err := Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(b, v); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrContent, err)
	}
	return v, nil
}

// patience is how long a change waits for another process that is changing the file.
const patience = 10 * time.Second

// Change writes the result of edit into the file, which only the user may read. No two calls of
// Change run edit for the same file at once, in any process, and a reader finds the old value or
// the new one. If edit returns an error, Change returns the same error and leaves the file alone.
func Change[T any](path string, edit func() (T, error)) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Unwritable(path, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() == nil {
			return Unwritable(path, err)
		}
		return hint.Add(fmt.Errorf("waiting for another change of %s: %w", path, err),
			"end the other taploop that changes it, then try again")
	}
	defer lock.Unlock() // the lock file stays, as removing it would let two processes in
	v, err := edit()
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return Write(path, append(b, '\n'))
}

// Write writes a file, whole or not at all, which only the user may read, and makes its folder.
func Write(path string, b []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomicwriter.WriteFile(path, b, 0o600)
	}
	return Unwritable(path, err)
}

// Unwritable is the error of a file that could not be written, with what helps, or nil.
func Unwritable(path string, err error) error {
	if err == nil {
		return nil
	}
	return hint.Add(fmt.Errorf("writing %s: %w", path, err), "see that this user may write to "+
		filepath.Dir(path)+", and that there is room; or use another data folder (data_dir)")
}
