package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/taploop/taploop/internal/store/pictures"
)

// openLock is the file that is locked while a folder is opened, or made from a backup.
const openLock = "open.lock"

// lockFolder waits for that lock. The caller closes it.
func lockFolder(ctx context.Context, dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, openLock))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return nil, fmt.Errorf("waiting for another process that opens it: %w", err)
	}
	return lock, nil
}

// swapPrefix begins the name of a folder that holds an unpacked backup, whole. The time follows.
const swapPrefix = ".swap-"

// swapping is the time in the name of a folder that waits to be swapped, or "".
func swapping(dir string) string {
	entries, _ := os.ReadDir(dir) // whoever opens it says what is wrong
	for _, e := range entries {
		if stamp, is := strings.CutPrefix(e.Name(), swapPrefix); is {
			return stamp
		}
	}
	return ""
}

// swap puts what was unpacked whole in the place of what the folder holds, which it moves into the
// folder that it returns, if there is any. It also continues what a process that was killed had
// begun. The caller has the folder locked.
func swap(dir string) (kept string, err error) {
	stamp := swapping(dir)
	if stamp == "" {
		return "", nil
	}
	fresh, aside := filepath.Join(dir, swapPrefix+stamp), filepath.Join(dir, "replaced-"+stamp)
	entries, err := os.ReadDir(fresh)
	for _, e := range entries {
		old := []string{e.Name()}
		if e.Name() == dbName { // the logs go before the database that they belong to
			old = []string{dbName + "-wal", dbName + "-shm", dbName}
		}
		for _, name := range old {
			if err == nil {
				err = putAside(dir, aside, name)
			}
		}
		if err == nil {
			err = os.Rename(filepath.Join(fresh, e.Name()), filepath.Join(dir, e.Name()))
		}
	}
	if err == nil {
		err = errors.Join(pictures.SyncDir(dir), os.Remove(fresh))
	}
	if _, missing := os.Stat(aside); missing == nil {
		kept = aside
	}
	return kept, err
}

// finishRestore continues a restore whose process was killed after it had read the backup.
func finishRestore(ctx context.Context, dir string) error {
	if swapping(dir) == "" {
		return nil
	}
	lock, err := lockFolder(ctx, dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	_, err = swap(dir)
	return doing(err, "finishing a restore")
}

// putAside moves what is in the folder, if it is there, into another.
func putAside(dir, aside, name string) error {
	from := filepath.Join(dir, name)
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return err
	}
	return os.Rename(from, filepath.Join(aside, name))
}
