package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

//go:embed migrations/*.sql migrations/postgres/*.sql
var migrations embed.FS

// sqliteMigrations and postgresMigrations are the folders of the migrations. Each file is one, and
// its name begins with its number.
const (
	sqliteMigrations   = "migrations"
	postgresMigrations = "migrations/postgres"
)

// scripts returns the migrations in the folder, by number.
func scripts(folder string) (map[int64]string, error) {
	entries, err := migrations.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	list := map[int64]string{}
	for _, e := range entries {
		number, _, _ := strings.Cut(e.Name(), "_")
		n, err := strconv.ParseInt(number, 10, 64)
		switch {
		case e.IsDir():
			continue
		case err != nil:
			return nil, fmt.Errorf("the migration %s has no number: %w", e.Name(), err)
		case list[n] != "":
			return nil, fmt.Errorf("two migrations have the number %d", n)
		}
		list[n] = path.Join(folder, e.Name())
	}
	return list, nil
}

// Schema returns the schema that this program writes.
func Schema() int {
	all, _ := scripts(sqliteMigrations) // a test has them all
	return int(slices.Max(slices.Collect(maps.Keys(all))))
}

// migrateAll carries out the migrations that the database has not had, each in a transaction.
func migrateAll(
	ctx context.Context, db *sql.DB, scripts map[int64]string, dialect goose.Dialect,
	opts ...goose.ProviderOption,
) error {
	var list []*goose.Migration
	for n, name := range scripts {
		run := func(ctx context.Context, tx *sql.Tx) error {
			script, err := migrations.ReadFile(name)
			if err == nil {
				_, err = tx.ExecContext(ctx, string(script))
			}
			return err
		}
		list = append(list, goose.NewGoMigration(n, &goose.GoFunc{RunTx: run}, nil))
	}
	p, err := goose.NewProvider(dialect, db, nil, append(opts, goose.WithGoMigrations(list...),
		goose.WithDisableGlobalRegistry(true), goose.WithLogger(goose.NopLogger()))...)
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	if part, ok := errors.AsType[*goose.PartialError](err); ok && part.Failed != nil {
		err = fmt.Errorf("migrating to schema %d: %w", part.Failed.Source.Version, part.Err)
	}
	return err
}

// userVersion keeps the number of the newest migration where SQLite has a place for it, as folders
// have it that were made without goose. It is a [database.Store].
type userVersion struct{}

// Tablename implements [database.Store].
func (userVersion) Tablename() string { return "user_version" }

// CreateVersionTable implements [database.Store].
func (userVersion) CreateVersionTable(context.Context, database.DBTxConn) error { return nil }

// Insert implements [database.Store].
func (userVersion) Insert(
	ctx context.Context, db database.DBTxConn, req database.InsertRequest,
) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", req.Version))
	return err
}

// Delete implements [database.Store].
func (userVersion) Delete(context.Context, database.DBTxConn, int64) error {
	return errors.New("there is no way back from a migration")
}

// GetLatestVersion implements [database.Store].
func (userVersion) GetLatestVersion(ctx context.Context, db database.DBTxConn) (int64, error) {
	var n int64
	err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&n)
	return n, err
}

// GetMigration implements [database.Store].
func (v userVersion) GetMigration(
	ctx context.Context, db database.DBTxConn, version int64,
) (*database.GetMigrationResult, error) {
	n, err := v.GetLatestVersion(ctx, db)
	if err == nil && version > n {
		err = database.ErrVersionNotFound
	}
	return &database.GetMigrationResult{IsApplied: true}, err
}

// ListMigrations implements [database.Store].
func (v userVersion) ListMigrations(
	ctx context.Context, db database.DBTxConn,
) ([]*database.ListMigrationsResult, error) {
	n, err := v.GetLatestVersion(ctx, db)
	var list []*database.ListMigrationsResult
	for i := range n + 1 {
		list = append(list, &database.ListMigrationsResult{Version: i, IsApplied: true})
	}
	slices.SortFunc(list, func(a, b *database.ListMigrationsResult) int {
		return cmp.Compare(b.Version, a.Version)
	})
	return list, err
}
