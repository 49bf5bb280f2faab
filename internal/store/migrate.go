package store

import (
	"context"
	"database/sql"
	"embed"
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
// One process at a time does this, under its own lock: switching to WAL does not wait for
// SQLite's locks.
func (d *db) migrate(ctx context.Context) error {
	lock := flock.New(filepath.Join(d.dir, "open.lock"))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return fmt.Errorf("waiting for another process that opens it: %w", err)
	}
	defer lock.Close()
	version, missing, err := schema(ctx, d.write)
	if err != nil {
		return err
	}
	if version == 0 { // a database without tables
		if some, err := d.frames.any(); err != nil {
			return err
		} else if some {
			return lostDatabase("without tables")
		}
	}
	if _, err := d.write.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return fmt.Errorf("switching to WAL: %w", err)
	}
	for _, name := range missing {
		version++
		if err := d.migrateTo(ctx, version, name); err != nil {
			return fmt.Errorf("migrating to schema %d: %w", version, err)
		}
	}
	return nil
}

// schema is the version of the database, and the migrations that it has not had yet.
func schema(ctx context.Context, db *sql.DB) (version int, missing []string, err error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return 0, nil, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, nil, fmt.Errorf("reading %s: %w", dbName, err)
	}
	if version > len(files) {
		return 0, nil, hint.Add(fmt.Errorf("%w: it has schema %d, this one knows %d",
			ErrNewerSchema, version, len(files)), "use the newer taploop, or another data folder")
	}
	return version, files[version:], nil
}

func (d *db) migrateTo(ctx context.Context, version int, name string) error {
	script, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	return d.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.exec(ctx, string(script)); err != nil {
			return err
		}
		return tx.exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	})
}
