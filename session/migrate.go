package session

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/taploop/taploop/internal/hint"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the database to the newest schema. PRAGMA user_version counts the migrations that
// it has had.
//
// One process at a time does this, under a lock of its own: switching to WAL does not wait for
// SQLite's locks.
func (s *Store) migrate(ctx context.Context) error {
	lock := flock.New(filepath.Join(s.dir, openLockName))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another process that opens it: %w", err)
	}
	defer lock.Close()
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return err
	}
	version, err := version(ctx, s.write, len(files))
	if err != nil {
		return err
	}
	if version == 0 { // SQLite's own, of a database in which nothing of ours is
		if some, err := s.anyFrames(); err != nil {
			return err
		} else if some {
			return lost("without tables")
		}
	}
	if _, err := s.write.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return fmt.Errorf("switching to WAL: %w", err)
	}
	for _, name := range files[version:] {
		version++
		if err := s.migrateTo(ctx, version, name); err != nil {
			return fmt.Errorf("migrating to schema %d: %w", version, err)
		}
	}
	return nil
}

// version is that of the database, at most known.
func version(ctx context.Context, db *sql.DB, known int) (int, error) {
	var version int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, fmt.Errorf("reading %s: %w", dbName, err)
	}
	if version > known {
		return 0, hint.Add(fmt.Errorf("%w: it has schema %d, this one knows %d", ErrNewerSchema,
			version, known),
			"use the newer taploop, or another data folder")
	}
	return version, nil
}

func (s *Store) migrateTo(ctx context.Context, version int, name string) error {
	script, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	return s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := exec(ctx, tx, string(script)); err != nil {
			return err
		}
		return exec(ctx, tx, fmt.Sprintf("PRAGMA user_version = %d", version))
	})
}

// update runs f in a transaction that survives a crash of the machine when update returns.
func (s *Store) update(ctx context.Context, f func(context.Context, *sql.Tx) error) error {
	return s.transact(ctx, "FULL", f)
}

// note is update for what need only survive a crash of the process yet. The next update, in
// whichever process, makes it survive one of the machine: the log is synced from its beginning.
func (s *Store) note(ctx context.Context, f func(context.Context, *sql.Tx) error) error {
	return s.transact(ctx, "NORMAL", f)
}

// transact runs f in a transaction that holds the write lock from its beginning, and commits it
// with that much of PRAGMA synchronous. The writers of this process are served in the order in
// which they came. A ctx that ends is seen while waiting for that; then the transaction is not cut
// off half way, so the caller knows whether it happened.
func (s *Store) transact(ctx context.Context, synchronous string,
	f func(context.Context, *sql.Tx) error) (err error) {
	defer func() { err = explain(err) }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.ReadOnly() {
		return ErrReadOnly
	}
	callOff := s.watch()
	defer callOff()
	select {
	case s.line <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.line }()
	ctx = context.WithoutCancel(ctx)
	if _, err := s.write.ExecContext(ctx, "PRAGMA synchronous = "+synchronous); err != nil {
		return err
	}
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(ctx, tx); err != nil {
		if rollback := tx.Rollback(); rollback != nil {
			return errors.Join(err, fmt.Errorf("rolling back: %w", rollback))
		}
		return err
	}
	if err = tx.Commit(); err == nil {
		s.stalled.Store(false)
	}
	return err
}
