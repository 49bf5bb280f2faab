package store

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// WaitingLease is how long a run that waits for a person keeps its phone.
const WaitingLease = 30 * time.Minute

// Leases are the rights to touch phones. One run at a time holds a phone.
type Leases struct{ *db }

// Take leases the phone to the run, or returns a *BusyError with the holder. A holder in the same
// session gives way, and so does one without a claim: its run is paused or has ended, its owner
// died while it was running, or it has waited for a person for longer than WaitingLease.
func (l Leases) Take(ctx context.Context, serial, runID string) error {
	err := l.update(ctx, func(ctx context.Context, tx *tx) error {
		r, err := runByID(ctx, tx, runID)
		if err != nil {
			return err
		}
		h, held, err := l.holder(ctx, tx, serial)
		if err != nil || held && h.RunID == runID {
			return err
		}
		if held && h.SessionID != r.SessionID {
			return hint.Add(&BusyError{h},
				"wait until that session is done, stop it, or use another phone")
		}
		return tx.exec(ctx, `INSERT INTO leases (serial, run_id, since) VALUES (?, ?, ?)
			ON CONFLICT (serial) DO UPDATE SET run_id = excluded.run_id, since = excluded.since`,
			serial, runID, millis(tx.at))
	})
	return doing(err, "leasing phone %q", serial)
}

// Release ends the run's lease of the phone, if it has one.
func (l Leases) Release(ctx context.Context, serial, runID string) error {
	err := l.update(ctx, func(ctx context.Context, tx *tx) error {
		return tx.exec(ctx, "DELETE FROM leases WHERE serial = ? AND run_id = ?", serial, runID)
	})
	return doing(err, "releasing phone %q", serial)
}

// Holder returns the holder of the phone. It is false if the phone is free.
func (l Leases) Holder(ctx context.Context, serial string) (Hold, bool, error) {
	h, held, err := l.holder(ctx, l.read, serial)
	return h, held, doing(err, "asking who holds phone %q", serial)
}

func (l Leases) holder(ctx context.Context, q queryer, serial string) (Hold, bool, error) {
	h := Hold{Serial: serial}
	var owner string
	var waiting time.Time
	row := q.QueryRowContext(ctx, `
		SELECT r.id, r.session_id, s.client, r.state, r.owner, r.waiting_at, l.since
		FROM leases l JOIN runs r ON r.id = l.run_id JOIN sessions s ON s.id = r.session_id
		WHERE l.serial = ?`, serial)
	leased, err := found(row, &h.RunID, &h.SessionID, &h.Client, &h.State, &owner,
		instant{&waiting}, instant{&h.Since})
	if err != nil || !leased {
		return Hold{}, false, err
	}
	switch {
	case h.State == Queued, h.State == Running:
		return h, l.owner.Alive(owner), nil
	case h.State.Waiting():
		h.Until = waiting.Add(WaitingLease)
		return h, l.now().Before(h.Until), nil
	}
	return h, false, nil
}
