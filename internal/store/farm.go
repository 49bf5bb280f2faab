package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/store/pictures"
	"github.com/taploop/taploop/internal/wait"
)

// Farm is what the machines that share a database know of each other.
type Farm struct{ *db }

// Room reports whether the store takes a write, the disk takes one, and pictures can be stored.
func (f Farm) Room(ctx context.Context) error {
	err := f.Probe(ctx)
	if err == nil {
		path := filepath.Join(f.dir, "room."+f.owner.ID)
		err = os.WriteFile(path, make([]byte, 1<<20), 0o600)
		err = doing(errors.Join(err, os.Remove(path)), "writing to the data folder")
	}
	if err == nil {
		err = f.Pictures(ctx)
	}
	return err
}

// Pictures reports whether pictures can be stored where they are kept. A folder is not asked.
func (f Farm) Pictures(ctx context.Context) error {
	return doing(f.frames.Probe(ctx), "storing a picture")
}

// Bucket reports whether pictures are kept in a bucket, and not as files of each machine.
func (f Farm) Bucket() bool {
	_, files := f.frames.Keeper.(pictures.Folder)
	return !files
}

// KeepPlaces has runs that a dead process was carrying out keep their phones: this process hands
// them over (see [Runs.HandOver]) before it lets others have them.
func (f Farm) KeepPlaces() { f.places.Store(true) }

// Worker is a process with phones, as it says of itself.
type Worker struct {
	ID     string          `json:"id"` // of its Owner
	Name   string          `json:"name"`
	Role   string          `json:"role"`
	Addr   string          `json:"addr,omitempty"`
	Phones json.RawMessage `json:"phones"`
	At     time.Time       `json:"at"` // by its own clock
	// Gone says that it has died, and did not go by itself.
	Gone bool `json:"gone,omitempty"`

	watched bool // its lease is not known to have ended
}

// goneFor is how long a worker that died is listed, unless there is another one of its name.
const goneFor = 24 * time.Hour

// Shared reports whether processes on other machines may use the store.
func (f Farm) Shared() bool { return !f.engine.alone() }

// Announce stores what this process says of itself, and that it is there.
func (f Farm) Announce(ctx context.Context, w Worker) error {
	err := f.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.present(ctx); err != nil {
			return err
		}
		return tx.exec(ctx, `INSERT INTO workers (id, name, role, addr, phones, at)
			VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name,
			role = excluded.role, addr = excluded.addr, phones = excluded.phones, at = excluded.at`,
			f.owner.ID, w.Name, w.Role, w.Addr, string(w.Phones), millis(tx.at))
	})
	return doing(err, "telling the other machines of the phones")
}

// Workers returns the processes that have announced themselves, by name: the living, and
// the dead for a day.
func (f Farm) Workers(ctx context.Context) ([]Worker, error) {
	list, err := collect(ctx, f.read, func(row scanner) (w Worker, err error) {
		var phones string
		err = row.Scan(&w.ID, &w.Name, &w.Role, &w.Addr, &phones, instant{&w.At}, &w.watched)
		w.Phones = json.RawMessage(phones)
		return w, err
	}, `SELECT id, name, role, addr, phones, at, EXISTS (SELECT 1 FROM leases l WHERE
		l.serial = workers.id AND l.expires_at > l.since) FROM workers ORDER BY name, id`)
	up := map[string]bool{}
	for i, w := range list {
		list[i].Gone = !f.owner.Alive(w.ID)
		up[w.Name] = up[w.Name] || !list[i].Gone
	}
	return slices.DeleteFunc(list, func(w Worker) bool {
		old := up[w.Name] || f.now().Sub(w.At).Abs() > goneFor
		if w.Gone && (old || w.watched) {
			_ = f.bury(ctx, w.ID, old) // the next look tries again
		}
		return w.Gone && old
	}), doing(err, "listing the workers")
}

// bury ends the lease of a worker that died on its own name, so that nobody has to watch it any
// more, and forgets the worker if that is long ago. One that was only away renews.
func (f Farm) bury(ctx context.Context, id string, forget bool) error {
	return f.updateUnsynced(ctx, func(ctx context.Context, tx *tx) error {
		if f.owner.alive(ctx, tx, id) { // it has renewed in between
			return nil
		}
		if !forget {
			return tx.exec(ctx, "UPDATE leases SET expires_at = since WHERE serial = ?", id)
		}
		var err error
		for _, statement := range farewell {
			err = cmp.Or(err, tx.exec(ctx, statement, id))
		}
		return err
	})
}

// Attend counts once more that somebody waits for the session's run, or watches it. The process
// that carries the run out sees the count grow. 0 means that nobody has to be there.
func (f Farm) Attend(ctx context.Context, sessionID string) error {
	err := f.updateUnsynced(ctx, func(ctx context.Context, tx *tx) error {
		return tx.exec(ctx, `UPDATE runs SET attended = attended + 1
			WHERE session_id = ? AND state IN ('QUEUED', 'RUNNING')`, sessionID)
	})
	return doing(err, "attending session %s", sessionID)
}

// Waiting returns the runs that are QUEUED, oldest first: all, or those that are unclaimed, which a
// process with their phone is to claim. Since is when they became so. The query's first condition
// is that of the index runs_going.
func (f Farm) Waiting(ctx context.Context, unclaimed bool) ([]Hold, error) {
	owned := ""
	if unclaimed {
		owned = " AND r.owner = ''"
	}
	list, err := collect(ctx, f.read, func(row scanner) (h Hold, err error) {
		h.State = Queued
		return h, row.Scan(&h.RunID, &h.SessionID, &h.Serial, &h.Client, instant{&h.Since},
			rawJSON{&h.Settings})
	}, `SELECT r.id, r.session_id, s.serial, s.client, r.updated_at,
		CASE WHEN r.settings LIKE '%"until"%' THEN r.settings ELSE '' END
		FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.state IN ('QUEUED', 'RUNNING')
		AND r.state = 'QUEUED'`+owned+" ORDER BY r.created_at, r.rowid")
	return list, doing(err, "looking who waits for phones")
}

// SetClosed closes or opens a worker or a phone, and reports whether that changed anything. If it
// did, the entry is written to the audit.
func (f Farm) SetClosed(ctx context.Context, what string, closed bool, by AuditEntry) (
	changed bool, err error) {
	statement, args := "DELETE FROM closed WHERE what = ?", []any{what}
	if closed {
		statement = "INSERT INTO closed (what, at) VALUES (?, ?) ON CONFLICT (what) DO NOTHING"
		args = append(args, millis(f.now()))
	}
	err = f.update(ctx, func(ctx context.Context, tx *tx) error {
		n, err := affected(tx.ExecContext(ctx, statement, args...))
		if changed = n > 0; err == nil && changed {
			err = tx.audit(ctx, by)
		}
		return err
	})
	return changed, doing(err, "closing %s", what)
}

// Closed returns what is closed.
func (f Farm) Closed(ctx context.Context) (map[string]bool, error) {
	list, err := collect(ctx, f.read, scanID, "SELECT what FROM closed")
	all := map[string]bool{}
	for _, what := range list {
		all[what] = true
	}
	return all, doing(err, "reading what is closed")
}

// Listen wakes the reader of the channel when another process has moved a run or settled a
// question, until ctx ends. A notice can be lost. On SQLite it returns at once.
func (f Farm) Listen(ctx context.Context, wake chan<- struct{}) {
	e, ok := f.engine.(*postgresEngine)
	for failures := 0; ok && ctx.Err() == nil; failures++ {
		if e.listen(ctx, wake) {
			failures = 0
		}
		if wait.For(ctx, wait.Backoff(100*time.Millisecond, 10*time.Second, failures)) != nil {
			return
		}
	}
}
