package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// presence is what an Owner keeps to be known as alive, and what it has seen of others.
type presence struct {
	mu      sync.Mutex
	renewed time.Time // before the last renewal that was stored was sent
	wanted  bool      // something needs the presence since the last renewal
	lives   map[*life]bool
	kept    []touching // the phones that the last renewal was for, and their tokens
	stop    func()     // ends the renewing, nil while there is none
	renewal sync.WaitGroup
	changed wait.Broadcast // sent when renewed, and when a life ends
	lapse   *time.Timer    // fires when renewed is as old as the TTL
	lapsed  []func()
	seen    map[string]sighting
}

// touching is a phone, and the token of a lease of it.
type touching struct {
	serial string
	token  int64
}

func scanTouching(row scanner) (of touching, err error) {
	err = row.Scan(&of.serial, &of.token)
	return of, err
}

// life is that of a run that may touch its phone under one lease: this process may have the phone
// again for the next run while one that lost it has not noticed yet.
type life struct {
	touching
	since time.Time
}

// sighting is a count of renewals, and when it was first seen.
type sighting struct {
	since, renewals int64
	at              time.Time
}

// seenLately reports whether the owner has renewed since it was looked at, or was looked at for
// less than its TTL and the margin. whole is the answer for one that has never said that it is
// there.
func (o *Owner) seenLately(ctx context.Context, q queryer, id string, whole bool) bool {
	began := time.Now()
	var now sighting
	var expires int64
	known, err := found(q.QueryRowContext(ctx, `SELECT since, renewals, expires_at FROM leases
		WHERE serial = ? AND worker = ?`, id, id), &now.since, &now.renewals, &expires)
	if err != nil || !known {
		return err != nil || whole
	}
	if expires <= now.since { // whoever has watched it says so
		return false
	}
	now.at = time.Now()
	o.mu.Lock()
	defer o.mu.Unlock()
	last, before := o.seen[id]
	if !before || last.since != now.since || last.renewals != now.renewals {
		if o.seen == nil {
			o.seen = map[string]sighting{}
		}
		o.seen[id] = now
		return true
	}
	theirs := time.Duration(expires-now.since) * time.Millisecond // by one clock
	return began.Sub(last.at) < theirs+o.db.opts.Margin
}

// shared is present where others cannot see the file of this owner.
func (t *tx) shared(ctx context.Context) error {
	if t.db.engine.alone() {
		return nil
	}
	return t.present(ctx)
}

// present has the owner say that it is there, from this transaction on, until the store closes or
// no run of it may touch a phone.
func (t *tx) present(ctx context.Context) error {
	o := t.db.owner
	o.mu.Lock()
	o.wanted = true
	going := o.stop != nil
	o.mu.Unlock()
	if going {
		return nil
	}
	began := time.Now()
	kept, err := t.renew(ctx)
	if err != nil {
		return err
	}
	t.committed = append(t.committed, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.stop == nil {
			ctx, stop := context.WithCancel(context.Background())
			o.stop = stop
			o.renewal.Go(func() { o.keep(ctx) })
			o.renewedAt(began, kept)
		}
	})
	return nil
}

// renew renews the leases of the owner: on itself, and on its phones, which it returns. It lets go
// the phones that neither a run of the owner has nor a life of one touches: the answer to a change
// that made them the owner's may have been lost.
func (t *tx) renew(ctx context.Context) (kept []touching, err error) {
	now, expires := millis(t.at), millis(t.at.Add(t.db.opts.TTL))
	err = t.exec(ctx, `INSERT INTO leases (serial, worker, since, expires_at)
		VALUES (?1, ?1, ?2, ?3)
		ON CONFLICT (serial) DO UPDATE SET since = excluded.since,
		expires_at = excluded.expires_at, renewals = leases.renewals + 1`,
		t.db.owner.ID, now, expires)
	if err != nil {
		return nil, err
	}
	kept, err = collect(ctx, t, scanTouching, `UPDATE leases SET renewals = renewals + 1,
		expires_at = ? WHERE worker = ? AND serial <> worker RETURNING serial, token`, expires,
		t.db.owner.ID)
	if stray := t.db.owner.untouched(kept); err == nil && len(stray) > 0 {
		those, list := t.db.engine.among("serial", stray)
		err = t.exec(ctx, `UPDATE leases SET worker = '' WHERE worker = ? AND `+those+`
			AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = leases.run_id
				AND r.owner = leases.worker AND r.state IN ('QUEUED', 'RUNNING'))`,
			t.db.owner.ID, list)
	}
	return kept, err
}

// keep renews until ctx ends. In a folder that only processes of this machine share it stops as
// well when no run touches a phone: an idle machine writes nothing.
func (o *Owner) keep(ctx context.Context) {
	d := o.db
	for pause := d.opts.TTL / 3; wait.For(ctx, pause) == nil; {
		if d.engine.alone() && o.idle() {
			_ = d.updateUnsynced(ctx, func(ctx context.Context, tx *tx) error {
				return tx.exec(ctx, departure, o.ID) // a row that stays is one that does not move
			})
			return
		}
		var began time.Time
		var kept []touching
		// A server that loses a renewal in a crash would let others take what is renewed here. All
		// servers of one folder are gone with the machine.
		synced := !d.engine.alone()
		err := d.transact(ctx, synced, func(ctx context.Context, tx *tx) (err error) {
			began = time.Now()
			kept, err = tx.renew(ctx)
			return err
		})
		if pause = d.opts.TTL / 3; err != nil {
			pause = d.opts.TTL / 15
			continue
		}
		o.mu.Lock()
		o.renewedAt(began, kept)
		o.mu.Unlock()
	}
}

// renewedAt notes a renewal. The caller holds o.mu.
func (o *Owner) renewedAt(began time.Time, kept []touching) {
	o.renewed, o.kept, o.wanted = began, kept, false
	if left := o.left(); o.lapse == nil {
		o.lapse = time.AfterFunc(left, o.lapses)
	} else {
		o.lapse.Reset(left)
	}
	o.changed.Send()
}

// idle reports whether nothing has needed the presence since the last renewal, and ends it then.
func (o *Owner) idle() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.lives) > 0 || o.wanted {
		return false
	}
	o.stop = nil
	return true
}

// departure ends an owner's lease on its own name.
const departure = "DELETE FROM leases WHERE serial = ? AND worker = serial"

// farewell forgets an owner, and with it whether it was drained.
var farewell = []string{departure, "DELETE FROM workers WHERE id = ?",
	"DELETE FROM closed WHERE what = '" + ClosedWorker + "' || ?"}

// leave ends the renewing, and tells the others that this owner is gone.
func (o *Owner) leave() {
	o.mu.Lock()
	stop := o.stop
	if o.lapse != nil {
		o.lapse.Stop()
	}
	o.mu.Unlock()
	if stop == nil {
		return
	}
	stop()
	o.renewal.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	// If this fails, they find out by themselves.
	for _, statement := range farewell {
		_, _ = o.db.write.ExecContext(ctx, statement, o.ID)
	}
}

// left is how long the last renewal allows touches yet. Both clocks of the machine are read: one
// stands still while the machine sleeps, the other can be set. The caller holds o.mu.
func (o *Owner) left() time.Duration {
	now := time.Now()
	passed := max(now.Sub(o.renewed), now.Round(0).Sub(o.renewed.Round(0)))
	return o.db.opts.TTL - passed
}

// lapses calls what OnLapse has registered, if a run may be touching a phone.
func (o *Owner) lapses() {
	o.mu.Lock()
	held := len(o.lives) > 0 && o.left() <= 0
	calls := o.lapsed
	o.mu.Unlock()
	if !held {
		return
	}
	for _, f := range calls {
		f()
	}
}

// OnLapse has f called when the leases could not be renewed in time: f resets the connections to
// phones. Runs are not ended by that: see May.
func (o *Owner) OnLapse(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lapsed = append(o.lapsed, f)
}

// Touching counts a life of the run, which has the phone, until done is called: it may touch the
// phone from now on, while the lease that it has now is renewed.
func (o *Owner) Touching(ctx context.Context, serial, runID string) (done func(), err error) {
	l := &life{touching{serial: serial}, time.Now()}
	_, err = found(o.db.read.QueryRowContext(ctx, `SELECT token FROM leases
		WHERE serial = ? AND run_id = ? AND worker = ?`, serial, runID, o.ID), &l.token)
	if err != nil {
		return nil, doing(err, "asking for the lease of phone %q", serial)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lives == nil {
		o.lives = map[*life]bool{}
	}
	o.lives[l] = true
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.lives, l)
		o.changed.Send()
	}, nil
}

// untouched returns the phones that no life of a run may touch.
func (o *Owner) untouched(phones []touching) (serials []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	touched := map[string]bool{}
	for l := range o.lives {
		touched[l.serial] = true
	}
	for _, p := range phones {
		if !touched[p.serial] {
			serials = append(serials, p.serial)
		}
	}
	return serials
}

// may reports whether the last renewal is young enough, and was for the lease of every life that
// had begun before it. The caller holds o.mu.
func (o *Owner) may() bool {
	for l := range o.lives {
		if o.left() <= 0 || l.since.Before(o.renewed) && !slices.Contains(o.kept, l.touching) {
			return false
		}
	}
	return true
}

// May returns true as soon as this process may write to phones, and false if done is closed first.
// It may while its leases were renewed within the TTL, and while no run of it has one. A later
// renewal says which phones are its own still. It may not before the runs that have lost theirs
// have ended: the store has given these another life.
func (o *Owner) May(done <-chan struct{}) bool {
	for {
		o.mu.Lock()
		next, may := o.changed.Next(), o.may()
		o.mu.Unlock()
		if may {
			return true
		}
		select {
		case <-next:
		case <-done:
			return false
		}
	}
}
