package store

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// WaitingLease is how long a run that waits for a person keeps its phone.
const WaitingLease = 30 * time.Minute

// Leases are the rights to touch phones. One run at a time has a phone, and while it is RUNNING,
// its owner alone may touch it.
type Leases struct{ *db }

// Take leases the phone to the run, or returns a *BusyError with the holder. A holder in the same
// session gives way, and so does one without a claim: its run is paused or has ended, its owner
// died while it was running (but see [Farm.KeepPlaces]), or it has waited for a person for longer
// than WaitingLease. A holder that gives way can write no further intent. A worker that lives has
// its claim until it lets go, whatever others have made of its run: it may be in the middle of a
// gesture.
func (l Leases) Take(ctx context.Context, serial, runID string) error {
	err := l.update(ctx, func(ctx context.Context, tx *tx) error {
		r, err := runByID(ctx, tx, runID)
		if err != nil {
			return err
		}
		return l.take(ctx, tx, serial, r)
	})
	return doing(err, "leasing phone %q", serial)
}

func (l Leases) take(ctx context.Context, tx *tx, serial string, r Run) error {
	h, held, err := l.holder(ctx, tx, serial)
	switch {
	case err != nil:
		return err
	case held && (h.SessionID != r.SessionID || h.touches && h.Worker != r.Owner):
		return hint.Add(&BusyError{h},
			"wait until that session is done, stop it, or use another phone")
	case !held && h.RunID != r.ID && (h.State == Queued || h.State == Running):
		// Its owner may only have been away, and have an intent to write.
		err = tx.exec(ctx, "UPDATE runs SET fence = fence + 1 WHERE id = ?", h.RunID)
	}
	if err == nil && r.Owner == l.owner.ID {
		err = tx.present(ctx)
	}
	if err != nil || held && h.RunID == r.ID && h.Worker == r.Owner {
		return err
	}
	return tx.exec(ctx, `INSERT INTO leases (serial, run_id, since, worker, expires_at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (serial) DO UPDATE SET run_id = excluded.run_id, since = CASE
			WHEN leases.run_id = excluded.run_id THEN leases.since ELSE excluded.since END,
		worker = excluded.worker, token = leases.token + 1, renewals = 0,
		expires_at = excluded.expires_at`, serial, r.ID, millis(tx.at), r.Owner,
		millis(tx.at.Add(l.opts.TTL)))
}

// Release ends the run's lease of the phone, if it has one and no other worker may be touching the
// phone for it. The row stays: its token never falls.
func (l Leases) Release(ctx context.Context, serial, runID string) error {
	_, err := l.exec(ctx, `UPDATE leases SET run_id = NULL, worker = ''
		WHERE serial = ? AND run_id = ? AND worker IN ('', ?)`, serial, runID, l.owner.ID)
	return doing(err, "releasing phone %q", serial)
}

// LetGo says that this process touches the run's phone no longer. The run keeps the phone.
func (l Leases) LetGo(ctx context.Context, runID string) error {
	err := l.update(ctx, func(ctx context.Context, tx *tx) error { return tx.letGo(ctx, runID) })
	return doing(err, "letting the phone of run %s go", runID)
}

func (t *tx) letGo(ctx context.Context, runID string) error {
	return t.exec(ctx, "UPDATE leases SET worker = '' WHERE run_id = ? AND worker = ?", runID,
		t.db.owner.ID)
}

// Holder returns the holder of the phone. It is false if the phone is free.
func (l Leases) Holder(ctx context.Context, serial string) (Hold, bool, error) {
	h, held, err := l.holder(ctx, l.read, serial)
	if !held {
		h = Hold{}
	}
	return h, held, doing(err, "asking who holds phone %q", serial)
}

// holder returns the run that has the phone, and whether it has a claim to it.
func (l Leases) holder(ctx context.Context, q queryer, serial string) (Hold, bool, error) {
	h := Hold{Serial: serial}
	var owner string
	var waiting time.Time
	row := q.QueryRowContext(ctx, `
		SELECT r.id, r.session_id, s.client, r.state, r.owner, r.waiting_at, l.since, l.worker
		FROM leases l JOIN runs r ON r.id = l.run_id JOIN sessions s ON s.id = r.session_id
		WHERE l.serial = ?`, serial)
	leased, err := found(row, &h.RunID, &h.SessionID, &h.Client, &h.State, &owner,
		instant{&waiting}, instant{&h.Since}, &h.Worker)
	if err != nil || !leased {
		return Hold{}, false, err
	}
	h.touches = h.Worker != "" && l.owner.alive(ctx, q, h.Worker)
	switch {
	case h.touches, h.State == Queued && owner == "": // until a worker has the phone
		return h, true, nil
	case h.State == Queued, h.State == Running:
		return h, l.places.Load() || l.owner.alive(ctx, q, owner), nil
	case h.State.Waiting():
		h.Until = waiting.Add(WaitingLease)
		return h, l.now().Before(h.Until), nil
	}
	return h, false, nil
}
