package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
)

// Owner is this store's presence among all that share the database: a file that it holds a lock on,
// and, from the first run or phone that it owns, a lease on its own ID that it renews. Whose file
// in the same folder is gone or can be locked is dead. So is, for those who have watched it,
// whoever has not renewed for its TTL and the margin: no clock of another machine is read for that.
type Owner struct {
	ID   string // "" of a store that is only read
	dir  string
	lock *flock.Flock
	db   *db
	presence
}

const (
	lockExt    = ".lock"
	newLockExt = ".new"
)

// newOwner locks the file under a temporary name and renames it then: it is never found unlocked.
func newOwner(d *db) (*Owner, error) {
	dir := filepath.Join(d.dir, ownersDir)
	o := &Owner{ID: inquiry.NewID(), dir: dir, db: d}
	temporary := filepath.Join(dir, o.ID+newLockExt)
	o.lock = flock.New(temporary)
	held, err := o.lock.TryLock()
	if err == nil && !held {
		err = errors.New("the file system does not keep locks")
	}
	if err == nil {
		err = os.Rename(temporary, o.path(o.ID))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", temporary, err), o.lock.Close())
	}
	return o, nil
}

func (o *Owner) path(id string) string { return filepath.Join(o.dir, id+lockExt) }

func (o *Owner) close() error {
	err := os.Remove(o.path(o.ID))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the whole folder was removed
	}
	return errors.Join(err, o.lock.Close())
}

// Alive reports whether the store with this id is open, in this process or another. An error means
// that it cannot be told, and then it counts as alive: a phone is not taken from a run that may be
// touching it.
func (o *Owner) Alive(id string) bool { return o.alive(context.Background(), o.db.read, id) }

func (o *Owner) alive(ctx context.Context, q queryer, id string) bool {
	if id == "" || id == o.ID {
		return id != ""
	}
	_, err := os.Stat(o.path(id))
	here := !errors.Is(err, fs.ErrNotExist)
	if here && !o.locked(id) || !here && o.db.engine.alone() {
		return false
	}
	return o.seenLately(ctx, q, id, here)
}

// census is alive for many questions at one time: it looks at each owner once.
func (o *Owner) census(ctx context.Context, q queryer) func(id string) bool {
	known := map[string]bool{}
	return func(id string) bool {
		if _, asked := known[id]; !asked {
			known[id] = o.alive(ctx, q, id)
		}
		return known[id]
	}
}

// locked reports whether somebody holds the file of that owner locked, or it cannot be told.
func (o *Owner) locked(id string) bool {
	// A shared lock, so that two who look at once do not take each other for the owner. No
	// O_CREATE: a look leaves nothing behind.
	l := flock.New(o.path(id), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return errors.Join(err, l.Close()) != nil || !free
}

// Elsewhere reports whether another store that is open on the data folder, in whichever process,
// carried the run out last.
func (o *Owner) Elsewhere(r Run) bool { return r.Owner != o.ID && o.Alive(r.Owner) }

// sweep removes the files that dead owners have left.
func (o *Owner) sweep() error {
	entries, err := os.ReadDir(o.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), lockExt)
		if !ok || id == o.ID || o.locked(id) {
			continue
		}
		if err := os.Remove(o.path(id)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// endFile is what LeaveEnd has left.
type endFile struct {
	To     State                `json:"to"`
	Reason agentloop.StopReason `json:"reason"`
	Err    string               `json:"error"`
}

// LeaveEnd leaves word of how a run ends if its process dies, in a file: the database may not take
// it before the store closes. [Runs.Recover] finds it. The state is PAUSED, or one that is final.
func (o *Owner) LeaveEnd(runID string, to State, reason agentloop.StopReason, err string) error {
	b, failed := json.Marshal(endFile{to, reason, err})
	if failed == nil {
		failed = os.WriteFile(o.endPath(runID), b, 0o600)
	}
	return doing(failed, "leaving word of the end of run %s", runID)
}

// TakeEnd removes what LeaveEnd has left, if anything.
func (o *Owner) TakeEnd(runID string) { _ = os.Remove(o.endPath(runID)) }

func (o *Owner) endPath(runID string) string { return filepath.Join(o.dir, runID+".end") }

// leftEnd is the end of a run whose process has died.
func (o *Owner) leftEnd(runID string) Change {
	e := endFile{To: Paused, Reason: agentloop.ServerRestarted}
	if b, err := os.ReadFile(o.endPath(runID)); err == nil {
		_ = json.Unmarshal(b, &e) // half a file says nothing: the process has died
	}
	return Change{To: e.To, Reason: e.Reason, Err: e.Err}
}
