package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"github.com/taploop/taploop/internal/hint"
)

// sqliteEngine is SQLite, with the database as a file in the data folder.
type sqliteEngine struct{}

func (sqliteEngine) alone() bool { return true }

// again implements engine: the lock is held from the beginning.
func (sqliteEngine) again(error) bool { return false }

func (sqliteEngine) among(column string, values []string) (condition string, arg any) {
	list, _ := json.Marshal(values) // strings always can be
	return column + " IN (SELECT value FROM json_each(?))", string(list)
}

func (e sqliteEngine) open(ctx context.Context, d *db) error {
	path := filepath.Join(d.dir, dbName)
	if err := e.checkWhole(d, path); err != nil {
		return err
	}
	if err := privateFile(path); err != nil {
		return err
	}
	const params = "_txlock=immediate&_pragma=secure_delete(ON)"
	var err error
	if d.write, err = e.connect(d, path, 1, params); err != nil {
		return err
	}
	if err := e.migrate(ctx, d); err != nil {
		return err
	}
	if d.read, err = e.connect(d, path, 4, "_pragma=query_only(ON)"); err != nil {
		return err
	}
	if d.vault, err = openVault(filepath.Join(d.dir, vaultName)); err != nil {
		return err
	}
	if d.owner, err = newOwner(d); err != nil {
		return err
	}
	return d.owner.sweep()
}

// connect opens the database with pragmas that are per connection. WAL mode is set by migrate,
// once, because it is kept in the file.
func (sqliteEngine) connect(d *db, path string, conns int, params string) (*sql.DB, error) {
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

// begin begins a transaction that holds the write lock from its beginning.
func (sqliteEngine) begin(ctx context.Context, d *db, durable bool) (transaction, error) {
	synchronous := "NORMAL"
	if durable {
		synchronous = "FULL"
	}
	if _, err := d.write.ExecContext(ctx, "PRAGMA synchronous = "+synchronous); err != nil {
		return nil, err
	}
	return d.write.BeginTx(ctx, nil)
}

// migrate brings the database to the newest schema. PRAGMA user_version counts the migrations that
// it has had.
//
// One process at a time does this, under its own lock: switching to WAL does not wait for
// SQLite's locks.
func (e sqliteEngine) migrate(ctx context.Context, d *db) error {
	lock, err := lockFolder(ctx, d.dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	version, missing, err := e.schema(ctx, d.write)
	if err != nil {
		return orCopy(err, d.dir)
	}
	if version == 0 { // a database without tables
		if some, err := pictured(d); err != nil {
			return err
		} else if some {
			return lostDatabase("without tables")
		}
	}
	// A migration that a power cut takes back is carried out again: none waits for the disk.
	const log = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL"
	if _, err := d.write.ExecContext(ctx, log); err != nil {
		return fmt.Errorf("switching to WAL: %w", err)
	}
	if len(missing) == 0 {
		return nil
	}
	if version > 0 {
		if err := e.keepCopy(ctx, d, version); err != nil {
			return fmt.Errorf("keeping a copy of schema %d: %w", version, err)
		}
	}
	return migrateAll(ctx, d.write, missing, "", goose.WithStore(userVersion{}))
}

// schema is the version of the database, and the migrations that it has not had yet.
func (sqliteEngine) schema(
	ctx context.Context, db *sql.DB,
) (version int64, missing map[int64]string, err error) {
	all, err := scripts(sqliteMigrations)
	if err != nil {
		return 0, nil, err
	}
	if version, err = (userVersion{}).GetLatestVersion(ctx, db); err != nil {
		return 0, nil, fmt.Errorf("reading %s: %w", dbName, err)
	}
	if version >= int64(Schema()) {
		all = nil
	}
	return version, all, notNewer(int(version))
}

func (sqliteEngine) setKey(_ context.Context, d *db, key []byte) (err error) {
	if bytes.Equal(d.vault.key, key) {
		return nil
	}
	path := filepath.Join(d.dir, vaultName)
	if err := errors.Join(os.Remove(path), writeKey(path, key)); err != nil {
		return err
	}
	d.vault, err = newVault(key)
	return err
}

// copied implements engine: the next key is above the largest.
func (sqliteEngine) copied(context.Context, *db, table) error { return nil }

func (sqliteEngine) bytes(_ context.Context, d *db) (sum int64, err error) {
	for _, ending := range []string{"", "-wal", "-shm"} {
		info, failed := os.Stat(filepath.Join(d.dir, dbName+ending))
		if failed == nil {
			sum += info.Size()
		}
	}
	return sum, nil
}

// check asks SQLite whether its file is whole.
func (sqliteEngine) check(ctx context.Context, d *db) error {
	found, err := collect(ctx, d.read, scanID, "SELECT * FROM pragma_integrity_check() "+
		`WHERE integrity_check <> 'ok' UNION ALL
		SELECT "table" || ' refers to nothing' FROM pragma_foreign_key_check()`)
	if err == nil && len(found) > 0 {
		err = hint.Add(fmt.Errorf("%w: %s", ErrDamaged, found[0]), hintRestore)
	}
	return err
}

// privateFile makes the file before SQLite does, so that it and the files that SQLite puts next to
// it are this user's only.
func privateFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return hint.Add(err, hintWritable)
	}
	return errors.Join(f.Chmod(0o600), f.Close())
}

// pictured reports whether there are pictures that make a missing database a lost one.
func pictured(d *db) (bool, error) {
	if d.opts.Pictured {
		return false, nil
	}
	sessions, err := os.ReadDir(filepath.Join(d.dir, framesDir))
	return len(sessions) > 0, err
}

// checkWhole refuses a database that is empty, or is not there, while the frames of its sessions
// are: they would be taken for left over ones. SQLite would also throw its log away.
func (sqliteEngine) checkWhole(d *db, path string) error {
	// In this order: another process may be making the folder.
	some, err := pictured(d)
	if err != nil {
		return err
	}
	log, err := os.Stat(path + "-wal")
	if (err != nil || log.Size() == 0) && !some {
		return nil
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return lostDatabase("not there")
	case err != nil || info.Size() > 0:
		return err
	}
	return lostDatabase("empty")
}

// onlyReading are the parameters of a connection that writes nothing. With a log another process
// writes, or was killed: the log has to be read, too. Without one SQLite would want to make one.
func (sqliteEngine) onlyReading(path string) string {
	if log, err := os.Stat(path + "-wal"); err != nil || log.Size() == 0 {
		return "immutable=1"
	}
	return "mode=ro"
}

// openReading opens a folder without writing anything to it.
func (e sqliteEngine) openReading(ctx context.Context, d *db) error {
	path := filepath.Join(d.dir, dbName)
	if _, err := os.Stat(path); err != nil {
		return hint.Add(err, hintWritable)
	}
	if d.write != nil { // a part of the folder was written
		if err := d.write.Close(); err != nil {
			return err
		}
		d.write = nil
	}
	var err error
	d.read, err = e.connect(d, path, 4, e.onlyReading(path)+"&_pragma=query_only(ON)")
	if err != nil {
		return err
	}
	have, missing, err := e.schema(ctx, d.read)
	err = orCopy(err, d.dir)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("it has the older schema %d, and cannot be brought to %d: %w", have,
			Schema(), d.refusal)
		if !errors.Is(err, ErrDiskFull) {
			err = hint.Add(err, "copy it to where this user may write, and open the copy")
		}
	}
	if err != nil {
		return err
	}
	d.owner = &Owner{dir: filepath.Join(d.dir, ownersDir), db: d}
	key, err := os.ReadFile(filepath.Join(d.dir, vaultName))
	if errors.Is(err, fs.ErrNotExist) {
		key, err = newKey(), nil // nothing was ever kept under one
	}
	if err == nil {
		d.vault, err = newVault(key)
	}
	return err
}
