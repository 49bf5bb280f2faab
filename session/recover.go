package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
)

// Recover brings back what owners that died have left behind, and returns those runs as they are
// now. A run that was QUEUED or RUNNING is PAUSED with the reason SERVER_RESTARTED; one that had
// asked a question, but had not got round to waiting for the answer, waits. An action that was
// begun and has no outcome is noted in the run's progress and never repeated. Runs of owners that
// are alive, in any process, are left alone. It may be called at any time, by any number of
// processes.
//
// It writes only when there is something to bring back.
func (s *Store) Recover(ctx context.Context) ([]Run, error) {
	left, err := leftBehind(ctx, s.read, s.owner)
	if err != nil || len(left) == 0 {
		return nil, doing(err, "recovering interrupted runs")
	}
	err = s.update(ctx, func(ctx context.Context, tx *tx) error {
		if left, err = leftBehind(ctx, tx, s.owner); err != nil {
			return err
		}
		for i := range left {
			if err := recoverRun(ctx, tx, &left[i]); err != nil {
				return doing(err, "run %s", left[i].ID)
			}
		}
		return nil
	})
	if err != nil {
		left = nil
	}
	for _, r := range left {
		_ = os.Remove(s.owner.endPath(r.ID)) // most have none, and it is read once
	}
	return left, doing(err, "recovering interrupted runs")
}

// leftBehind are the runs that are going on, as the store says, and whose owners have died.
func leftBehind(ctx context.Context, q queryer, o *owner) ([]Run, error) {
	runs, err := collect(ctx, q, scanRow[Run], "SELECT "+runColumns+` FROM runs r
		WHERE state IN ('QUEUED', 'RUNNING') ORDER BY created_at, rowid`)
	dead := map[string]bool{}
	return slices.DeleteFunc(runs, func(r Run) bool {
		if _, known := dead[r.Owner]; !known {
			dead[r.Owner] = !o.alive(r.Owner)
		}
		return !dead[r.Owner]
	}), err
}

func recoverRun(ctx context.Context, tx *tx, r *Run) error {
	asked, err := unused(ctx, tx, tx.db.vault, *r)
	if err != nil {
		return err
	}
	if err := finishSteps(ctx, tx, r, asked != nil); err != nil {
		return err
	}
	if asked != nil {
		state, reason := waiting(string(asked.Kind))
		enter(tx, r, Change{To: state, Reason: reason, Question: asked.ID})
		return saveRun(ctx, tx, r)
	}
	enter(tx, r, tx.db.owner.leftEnd(r.ID))
	r.Fence++
	return saveRun(ctx, tx, r)
}

// end is what LeaveEnd has left.
type end struct {
	Reason agentloop.StopReason `json:"reason"`
	Err    string               `json:"error"`
}

// LeaveEnd leaves word of why a run is going to be PAUSED, in a file: the database does not take it
// before the store closes. Recover finds it.
func (s *Store) LeaveEnd(runID string, reason agentloop.StopReason, err string) error {
	b, failed := json.Marshal(end{reason, err})
	if failed == nil {
		failed = os.WriteFile(s.owner.endPath(runID), b, 0o600)
	}
	return doing(failed, "leaving word of the end of run %s", runID)
}

func (o *owner) endPath(runID string) string { return filepath.Join(o.dir, runID+".end") }

// leftEnd is the end of a run whose process has died.
func (o *owner) leftEnd(runID string) Change {
	e := end{Reason: agentloop.ServerRestarted}
	if b, err := os.ReadFile(o.endPath(runID)); err == nil {
		_ = json.Unmarshal(b, &e) // half a file says nothing: the process has died
	}
	return Change{To: Paused, Reason: e.Reason, Err: e.Err}
}

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
