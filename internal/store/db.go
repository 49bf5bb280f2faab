package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// db is an open data folder, as the parts of a store share it.
type db struct {
	dir   string
	opts  Options
	write *sql.DB // one connection, nil if read-only
	read  *sql.DB
	// Held by the writer. It serves waiters in their order, which database/sql's pool does not.
	writeQueue *wait.Line
	stalled    atomic.Bool // see Store.Stalled
	frames     frames
	owner      *Owner
	vault      *vault
}

// tx is a transaction that writes, and the time of what it writes down.
type tx struct {
	*sql.Tx
	db *db
	at time.Time
}

// exec carries a statement out.
func (t *tx) exec(ctx context.Context, query string, args ...any) error {
	_, err := t.ExecContext(ctx, query, args...)
	return err
}

// connect opens the database with pragmas that are per connection. WAL mode is set by migrate,
// once, because it is kept in the file.
func (d *db) connect(path string, conns int, params string) (*sql.DB, error) {
	always := fmt.Sprintf("_pragma=busy_timeout(%d)&_pragma=foreign_keys(ON)&",
		d.opts.Patience.Milliseconds())
	u := url.URL{Scheme: "file", Path: path, RawQuery: always + params}
	c, err := newConnector(u.String())
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	return pool, nil
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

// update runs f in a transaction that survives a crash of the machine when update returns.
func (d *db) update(ctx context.Context, f func(context.Context, *tx) error) error {
	return d.transact(ctx, "FULL", f)
}

// updateUnsynced is update for what need only survive a crash of the process yet. The next update,
// in whichever process, makes it survive one of the machine: the log is synced from its beginning.
func (d *db) updateUnsynced(ctx context.Context, f func(context.Context, *tx) error) error {
	return d.transact(ctx, "NORMAL", f)
}

// transact runs f in a transaction that holds the write lock from its beginning, and commits it
// under that value of PRAGMA synchronous. Writers of this process take turns in their order. ctx
// can end the wait for the turn but not the transaction, so the caller knows whether it happened.
func (d *db) transact(ctx context.Context, synchronous string,
	f func(context.Context, *tx) error) (err error) {
	defer func() { err = explain(err) }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d.write == nil {
		return ErrReadOnly
	}
	callOff := d.watch()
	defer callOff()
	if err := d.writeQueue.Lock(ctx); err != nil {
		return err
	}
	defer d.writeQueue.Unlock()
	ctx = context.WithoutCancel(ctx)
	if _, err := d.write.ExecContext(ctx, "PRAGMA synchronous = "+synchronous); err != nil {
		return err
	}
	begun, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(ctx, &tx{begun, d, d.now()}); err != nil {
		if rollback := begun.Rollback(); rollback != nil {
			return errors.Join(err, fmt.Errorf("rolling back: %w", rollback))
		}
		return err
	}
	if err = begun.Commit(); err == nil {
		d.stalled.Store(false)
	}
	return err
}

// Options say how a store works.
type Options struct {
	Now func() time.Time // nil means time.Now
	// Patience is how long a read or write waits for another program's lock. 0 means 15s.
	Patience time.Duration
	// Stalled is called from a separate goroutine when opening the folder or a write has waited for
	// 3s, and not again before a write has succeeded. nil does nothing.
	Stalled func()
	// Reading opens a folder that cannot be written, too. Every change is then refused with
	// ErrReadOnly.
	Reading bool
}
