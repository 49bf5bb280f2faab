package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// db is an open data folder, as the parts of a store share it.
type db struct {
	dir    string // of the database and the pictures
	home   string // the data folder, which has the skills
	opts   Options
	engine engine
	write  *sql.DB // nil if read-only
	// refusal is why a store that is read-only takes no change.
	refusal error
	read    *sql.DB
	// Held by the writer if one writes at a time, else by the one that tries again. It serves
	// waiters in their order, which database/sql's pool does not.
	writeQueue *wait.Line
	stalled    atomic.Bool // see Store.Stalled
	places     atomic.Bool // see Farm.KeepPlaces
	frames     frames
	owner      *Owner
	vault      *vault
	noting     atomic.Pointer[func(Run, string) (AuditEntry, bool)] // see Runs.Note
}

// tx is a transaction that writes, the time of what it writes down, and what follows once it is
// committed: one that is rolled back leaves nothing behind, in memory either.
type tx struct {
	transaction
	db        *db
	at        time.Time
	committed []func()
}

// exec carries a statement out.
func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.ExecContext(ctx, query, args...)
	return err
}

func (d *db) now() time.Time { return d.opts.Now().UTC().Truncate(time.Millisecond) }

// slow is how long an operation may take before Options.Stalled is called.
const slow = 3 * time.Second

// watch calls Options.Stalled after a while unless it is called off.
func (d *db) watch() (callOff func() bool) {
	return time.AfterFunc(slow, func() {
		if !d.stalled.Swap(true) && d.opts.Stalled != nil {
			d.opts.Stalled()
		}
	}).Stop
}

// update runs f in a transaction that survives a crash of the machine when update returns. f is
// called again if transactions that ran beside it made it fail, so it sets what it returns.
func (d *db) update(ctx context.Context, f func(context.Context, *tx) error) error {
	return d.transact(ctx, true, f)
}

// updateUnsynced is update for what need only survive a crash of the process yet. The next update,
// in whichever process, makes it survive one of the machine: the log is synced from its beginning.
func (d *db) updateUnsynced(ctx context.Context, f func(context.Context, *tx) error) error {
	return d.transact(ctx, false, f)
}

// transact runs f in a transaction as if no other ran beside it. Writers of this process that have
// to wait take turns in their order. ctx can end the wait for the turn but not the transaction, so
// the caller knows whether it happened.
func (d *db) transact(
	ctx context.Context, durable bool, f func(context.Context, *tx) error,
) (err error) {
	defer func() { err = explain(d.dir, err) }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d.write == nil {
		return d.refusal
	}
	callOff := d.watch()
	defer callOff()
	if !d.engine.alone() {
		if err = d.attempt(ctx, durable, f); err == nil || !d.engine.again(err) {
			return err
		}
	}
	if err := d.writeQueue.Lock(ctx); err != nil {
		return err
	}
	defer d.writeQueue.Unlock()
	ctx = context.WithoutCancel(ctx)
	began := time.Now()
	for failures := 0; ; failures++ {
		err = d.attempt(ctx, durable, f)
		if err == nil || !d.engine.again(err) || time.Since(began) > d.opts.Patience {
			return err
		}
		if err := wait.For(ctx, wait.Backoff(time.Millisecond, retryPause, failures)); err != nil {
			return err
		}
	}
}

// retryPause is the longest pause before a transaction is tried again.
const retryPause = 50 * time.Millisecond

// attempt runs f in a transaction and commits it.
func (d *db) attempt(
	ctx context.Context, durable bool, f func(context.Context, *tx) error,
) (err error) {
	ctx = context.WithoutCancel(ctx)
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}()
	if !d.engine.alone() { // a server may have gone silent
		var stop func()
		ctx, stop = context.WithTimeoutCause(ctx, 2*d.opts.Patience, ErrSilent)
		defer stop()
	}
	begun, err := d.engine.begin(ctx, d, durable)
	if err != nil {
		return err
	}
	t := &tx{transaction: begun, db: d, at: d.now()}
	if err := f(ctx, t); err != nil {
		if rollback := begun.Rollback(); rollback != nil && !d.engine.again(err) {
			return errors.Join(err, fmt.Errorf("rolling back: %w", rollback))
		}
		return err
	}
	if err := begun.Commit(); err != nil {
		return err
	}
	d.stalled.Store(false)
	for _, follow := range t.committed {
		follow()
	}
	return nil
}

// view runs f in a transaction that reads one state of everything. If the database goes away
// meanwhile, f runs again, until ctx ends.
func (d *db) view(ctx context.Context, f func(*sql.Tx) error) error {
	for failures := 0; ; failures++ {
		err := d.look(ctx, f)
		if err == nil || !d.engine.again(err) ||
			wait.For(ctx, wait.Backoff(time.Millisecond, retryPause, failures)) != nil {
			return err
		}
	}
}

func (d *db) look(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := d.read.BeginTx(ctx,
		&sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing was written
	return f(tx)
}

// Options say how a store works.
type Options struct {
	Now func() time.Time // nil means time.Now
	// URL is the database: "" or "sqlite:" for one in the data folder, "sqlite:DIR" for one in
	// another folder, or that of a PostgreSQL, which several data folders can share.
	URL string
	// Frames is where pictures are: "" or "files:" for files in the data folder, or the URL of a
	// bucket of S3, see [pictures.Scheme].
	Frames string
	// Patience is how long a read or write waits for another program's lock. 0 means 15s.
	Patience time.Duration
	// Stalled is called from a separate goroutine when opening the folder or a write has waited for
	// 3s, and not again before a write has succeeded. nil does nothing.
	Stalled func()
	// TTL is how long this process may touch phones after it last renewed its leases, and Margin
	// how much longer others wait until they take them. 0 means 15s and 1s.
	TTL, Margin time.Duration
	// Reading opens a folder that cannot be written, too. Every change is then refused with
	// ErrReadOnly.
	Reading bool
	// Existing refuses a folder in which there is no store yet.
	Existing bool
	// Pictured opens a folder with the pictures of another store, which is to be copied here. Else
	// pictures without a database are a store that has lost it.
	Pictured bool
}

const (
	framesDir = "frames"
	ownersDir = "owners"
)
