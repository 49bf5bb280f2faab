// Package jsonfile keeps one value in a file that several processes change: one at a time, and
// a reader finds the old value or the new one, never a part of it.
package jsonfile

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
	"github.com/taploop/taploop/internal/userfile"
)

// ErrContent says that the file does not hold what it should.
var ErrContent = errors.New("the file does not hold what it should")

// Read gives the value in the file; nil when there is no file. What cannot be decoded is an
// ErrContent.
func Read[T any](path string) (*T, error) {
	b, err := userfile.Read(path)
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

// Change writes what edit returns into the file, for the user alone, while no other Change of the
// file is under way: what edit has read of the file still holds. An error of edit is returned as it
// is, and leaves the file alone.
func Change[T any](path string, edit func() (T, error)) error {
	unwritable := func(doing string, err error) error {
		return hint.Add(fmt.Errorf("%s %s: %w", doing, path, err), "see that this user may "+
			"write to "+filepath.Dir(path)+", and that there is room; or use another data "+
			"folder (data_dir)")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable("making the folder of", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		if ctx.Err() == nil {
			return unwritable("changing", err)
		}
		return hint.Add(fmt.Errorf("waiting for another change of %s: %w", path, err),
			"end the other taploop that changes it, then try again")
	}
	defer lock.Unlock() // its file stays: removing it would let two in
	v, err := edit()
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := atomicwriter.WriteFile(path, append(b, '\n'), 0o600); err != nil {
		return unwritable("writing", err)
	}
	return nil
}
