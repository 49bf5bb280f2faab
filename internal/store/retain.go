package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// AuditPruned is the event of what retention or a person deleted. Its entries stay for ever.
const AuditPruned AuditEvent = "pruned"

// Retention says how much of the past a store keeps. The zero value keeps all.
type Retention struct {
	Sessions time.Duration // delete sessions that did not change for longer, 0 means never
	Frames   time.Duration // delete the pictures of these, 0 means never
	Disk     int64         // delete the oldest pictures while all takes more bytes, 0 means never
}

// Retained is what Retain has deleted.
type Retained struct {
	Sessions int   // each is noted in the audit
	Pictures int   // of sessions that are kept
	Bytes    int64 // that the store takes now, 0 unless Disk is set
}

// Retain deletes what its rules do not keep. A session stays as it is while its run is queued,
// running or waiting, or has a question that is open. The audit keeps all, and steps keep their
// words without their pictures.
func (s *Store) Retain(ctx context.Context, r Retention) (done Retained, err error) {
	now := s.now()
	if r.Sessions > 0 {
		done.Sessions, err = retire(ctx, s, now.Add(-r.Sessions), AuditEntry{}, idle)
		if err != nil {
			return done, doing(err, "deleting old sessions")
		}
	}
	if r.Frames > 0 {
		n, err := dropFrames(ctx, s, now.Add(-r.Frames), math.MaxInt64)
		if done.Pictures = n; err != nil {
			return done, doing(err, "deleting old pictures")
		}
	}
	if r.Disk > 0 {
		bytes, err := s.Bytes()
		n := 0
		if err == nil {
			n, err = dropFrames(ctx, s, now, bytes-r.Disk)
		}
		if done.Pictures += n; err != nil {
			return done, doing(err, "deleting pictures for room")
		}
	}
	if done.Sessions+done.Pictures > 0 {
		err = compact(ctx, s)
	}
	if r.Disk > 0 && err == nil {
		done.Bytes, err = s.Bytes()
	}
	return done, doing(err, "giving room back")
}

// idle fails with a *StateError for a session that is not to be touched.
func idle(ctx context.Context, tx *tx, id string) error {
	if err := notBusy(ctx, tx, id); err != nil {
		return err
	}
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM questions WHERE session_id = ?
		AND status = 'pending'`, id).Scan(&n)
	if err == nil && n > 0 {
		err = &StateError{State: Paused} // and asks
	}
	return err
}

// leaves reports whether err means that retention leaves a session alone.
func leaves(err error) bool {
	_, busy := errors.AsType[*StateError](err)
	return busy
}

// Prune deletes the sessions without a change since before, except the ones that Delete refuses,
// and frames of no session. It returns the number of deleted sessions.
func (s *Store) Prune(ctx context.Context, before time.Time, by AuditEntry) (int, error) {
	n, err := retire(ctx, s, before, by, notBusy)
	if err == nil {
		err = s.frames.prune(ctx, func() ([]string, error) {
			return collect(ctx, s.read, scanID, "SELECT id FROM sessions")
		})
	}
	return n, doing(err, "deleting old sessions")
}

// changed are the sessions without a change after that, the oldest change first.
func changed(ctx context.Context, s *Store, last time.Time) ([]string, error) {
	return collect(ctx, s.read, scanID, `SELECT id FROM sessions WHERE updated_at < ?
		ORDER BY updated_at`, millis(last))
}

// retire deletes sessions without a change since before, unless spared returns an error that leaves
// one alone, with a line of the audit for each.
func retire(ctx context.Context, s *Store, before time.Time, by AuditEntry,
	spared func(context.Context, *tx, string) error) (n int, err error) {
	ids, err := changed(ctx, s, before)
	for _, id := range ids {
		if err != nil || ctx.Err() != nil {
			break
		}
		by.Event, by.SessionID, by.Text = AuditPruned, id, "the session was older than is kept"
		deleted, failed := deleteSession(ctx, s, id, before,
			func(ctx context.Context, tx *tx) error {
				return cmp.Or(spared(ctx, tx, id), tx.audit(ctx, by))
			})
		if deleted {
			n++
		}
		if !leaves(failed) {
			err = failed
		}
	}
	return n, cmp.Or(err, context.Cause(ctx))
}

// dropFrames deletes the pictures of sessions without a change since before, the oldest session's
// first, until they were that many bytes.
func dropFrames(ctx context.Context, s *Store, before time.Time, excess int64) (
	n int, err error) {
	there, err := s.frames.sessions(ctx)
	if err != nil {
		return 0, err
	}
	ids, err := changed(ctx, s, before)
	for _, id := range ids {
		if err != nil || excess <= 0 || ctx.Err() != nil {
			break
		}
		if !there[id] {
			continue
		}
		dropped, bytes, failed := dropFramesOf(ctx, s, id, before)
		n += dropped
		excess -= bytes
		if !leaves(failed) {
			err = failed
		}
	}
	return n, cmp.Or(err, context.Cause(ctx))
}

// dropFramesOf deletes the pictures of a session. The rows come first, so that no step seems to
// have lost a picture. One that is put meanwhile, by a run that was just continued, stays.
func dropFramesOf(ctx context.Context, s *Store, id string, before time.Time) (
	n int, bytes int64, err error) {
	var names []string
	for p, err := range s.frames.List(ctx, id) {
		if err != nil {
			return 0, 0, err
		}
		names, bytes = append(names, p.Name), bytes+p.Size
	}
	err = s.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := idle(ctx, tx, id); err != nil {
			return err
		}
		old, err := found(tx.QueryRowContext(ctx,
			"SELECT 1 FROM sessions WHERE id = ? AND updated_at < ?", id, millis(before)), new(int))
		if err == nil && !old { // it was continued meanwhile, or deleted
			err = &StateError{State: Paused}
		}
		if err != nil {
			return err
		}
		rows, err := affected(tx.ExecContext(ctx, `UPDATE steps SET frame = '', frame_bytes = 0,
			frame_sum = ? WHERE session_id = ? AND frame <> ''`, []byte{}, id))
		n = int(rows)
		return err
	})
	if err == nil && len(names) > 0 { // none is all of them
		err = s.frames.Delete(ctx, id, names...)
	}
	if err != nil {
		return 0, 0, err
	}
	return n, bytes, nil
}

// compact gives room of the database back to the disk, when a quarter of it is free and no run
// would have to wait for that.
func compact(ctx context.Context, s *Store) error {
	if _, own := s.engine.(sqliteEngine); !own {
		return nil // a server does that
	}
	load, err := s.Load(ctx)
	if err != nil || load.Runs[Running]+load.Runs[Queued] > 0 {
		return err
	}
	if err := s.writeQueue.Lock(ctx); err != nil {
		return err
	}
	defer s.writeQueue.Unlock()
	var free, pages int
	err = s.write.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free)
	if err == nil {
		err = s.write.QueryRowContext(ctx, "PRAGMA page_count").Scan(&pages)
	}
	if err == nil && free*4 > pages {
		_, err = s.write.ExecContext(ctx, "VACUUM")
	}
	if err == nil {
		_, err = s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return explain(s.dir, err)
}

// Prune deletes the entries from before the time, except those of questions that are open, and
// notes in an entry that stays how many there were, and by whom they were deleted.
func (a Audit) Prune(ctx context.Context, before time.Time, by AuditEntry) (n int, err error) {
	err = a.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.exec(ctx, "INSERT INTO audit_pruned (before) VALUES (?)",
			millis(before)); err != nil {
			return err
		}
		rows, err := affected(tx.ExecContext(ctx, `DELETE FROM audit WHERE at < ?
			AND event <> 'pruned' AND NOT EXISTS (SELECT 1 FROM questions q
			WHERE q.id = audit.question_id AND q.status = 'pending')`, millis(before)))
		if err != nil {
			return err
		}
		if err := tx.exec(ctx, "DELETE FROM audit_pruned"); err != nil {
			return err
		}
		n = int(rows)
		by.Event = AuditPruned
		by.Text = fmt.Sprintf("%d entries from before %s", n, before.UTC().Format(time.RFC3339))
		return tx.audit(ctx, by)
	})
	return n, doing(err, "pruning the audit")
}
