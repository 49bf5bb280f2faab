package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

// engine is the database of a store: what SQLite and PostgreSQL do not have in common.
type engine interface {
	// open connects the pools of d, brings the schema to the newest, and sets the owner and the
	// vault.
	open(ctx context.Context, d *db) error
	// openReading does the same without writing anything.
	openReading(ctx context.Context, d *db) error
	// begin begins a transaction that writes. A durable one survives a crash of the machine once
	// it is committed, another with the next durable one.
	begin(ctx context.Context, d *db, durable bool) (transaction, error)
	// alone reports whether one transaction at a time of this process writes.
	alone() bool
	// again reports whether a transaction failed only because of others that ran beside it.
	again(err error) bool
	// among is a condition that the column has one of the values, and its argument.
	among(column string, values []string) (condition string, arg any)
	// setKey replaces the key of secret answers by that of a store that is copied.
	setKey(ctx context.Context, d *db, key []byte) error
	// copied is called when rows were added to a table with keys that the database did not choose.
	copied(ctx context.Context, d *db, t table) error
	// bytes is the size of the database.
	bytes(ctx context.Context, d *db) (int64, error)
	// check reports what is wrong with the database itself.
	check(ctx context.Context, d *db) error
}

// transaction is a transaction that writes.
type transaction interface {
	queryer
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	Commit() error
	Rollback() error
}

// SQLiteURL is the URL of a store in the data folder. A folder behind it is taken in place of that.
const SQLiteURL = "sqlite:"

// engineOf returns the engine for the URL, "" for that of the data folder.
func engineOf(url string) (engine, error) {
	switch {
	case url == "" || strings.HasPrefix(url, SQLiteURL):
		return sqliteEngine{}, nil
	case strings.HasPrefix(url, "postgres://"), strings.HasPrefix(url, "postgresql://"):
		return newPostgres(url)
	}
	scheme, _, _ := strings.Cut(url, ":")
	return nil, hint.Add(fmt.Errorf("there is no store of the kind %q", scheme),
		`use "sqlite:" for the data folder, or postgres://USER@HOST/DATABASE (store.url)`)
}

// table is a table that is copied: the columns in whose order its rows are, and the columns that
// tell its rows apart if these are only an order.
type table struct {
	name string
	key  []string
	id   []string
	of   string // which of its rows are copied, "" for all
}

// from is what SELECT reads the rows from.
func (t table) from() string {
	if t.of == "" {
		return t.name
	}
	return "(SELECT * FROM " + t.name + " WHERE " + t.of + ") AS copied"
}

// queryer is what reads: a transaction, or a pool of connections.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}
