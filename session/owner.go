package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/inquiry"
)

// owner is this store's presence: a file that it holds a lock on. The lock ends with the process,
// however it ends, so an owner whose file is gone or can be locked is dead.
type owner struct {
	id   string
	dir  string
	lock *flock.Flock
}

const (
	lockExt    = ".lock"
	newLockExt = ".new"
)

// newOwner locks the file under a temporary name and renames it then: it is never found unlocked.
func newOwner(dir string) (*owner, error) {
	o := &owner{id: inquiry.NewID(), dir: dir}
	temporary := filepath.Join(dir, o.id+newLockExt)
	o.lock = flock.New(temporary)
	held, err := o.lock.TryLock()
	if err == nil && !held {
		err = errors.New("the file system does not keep locks")
	}
	if err == nil {
		err = os.Rename(temporary, o.path(o.id))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", temporary, err), o.lock.Close())
	}
	return o, nil
}

func (o *owner) path(id string) string { return filepath.Join(o.dir, id+lockExt) }

func (o *owner) close() error {
	err := os.Remove(o.path(o.id))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the whole folder was removed
	}
	return errors.Join(err, o.lock.Close())
}

// alive reports whether the store with this id is open, in this process or another. An error means
// that it cannot be told, and then it counts as alive: a phone is not taken from a run that may be
// touching it.
func (o *owner) alive(id string) bool {
	if id == "" {
		return false
	}
	if id == o.id {
		return true
	}
	// A shared lock, so that two who look at once do not take each other for the owner. No
	// O_CREATE: a look leaves nothing behind.
	l := flock.New(o.path(id), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return errors.Join(err, l.Close()) != nil || !free
}

// sweep removes the files that dead owners have left.
func (o *owner) sweep() error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), lockExt)
		if !ok || o.alive(id) {
			continue
		}
		if err := os.Remove(o.path(id)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
