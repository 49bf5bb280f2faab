package store

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// connector opens connections that keep what they have prepared: parsing its statements was a
// third of what a step costs the database.
type connector struct{ driver.Connector }

func newConnector(dsn string) (driver.Connector, error) {
	c, err := sqlite.NewConnector(dsn)
	return connector{c}, err
}

// Connect is of driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	made, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := made.(sqliteConn)
	if !ok {
		return nil, fmt.Errorf("a connection of SQLite lacks a part: %T", made)
	}
	return &connection{conn, map[string]*statement{}}, nil
}

// sqliteConn is what the driver's connections can do, and database/sql makes use of.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// connection keeps its statements. database/sql calls a connection and what belongs to it from one
// goroutine at a time.
type connection struct {
	sqliteConn
	kept map[string]*statement
}

type statement struct {
	run  sqliteStmt
	busy bool // its rows are being read
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// mostKept bounds the memory for queries whose text depends on what is asked; ours are fewer.
const mostKept = 100

// statement is the query's, nil when it is not kept, or being read.
func (c *connection) statement(ctx context.Context, query string) (*statement, error) {
	if s := c.kept[query]; s != nil {
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	verb, _, _ := strings.Cut(strings.TrimLeft(query, " \t\n"), " ")
	switch verb {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
	default:
		return nil, nil // of a schema, or a script
	}
	if len(c.kept) == mostKept {
		return nil, nil
	}
	made, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	run, ok := made.(sqliteStmt)
	if !ok {
		return nil, made.Close()
	}
	s := &statement{run: run}
	c.kept[query] = s
	return s, nil
}

// ExecContext is of driver.ExecerContext.
func (c *connection) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.run.ExecContext(ctx, args)
}

// QueryContext is of driver.QueryerContext.
func (c *connection) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.run.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &reading{rows, s}, nil
}

// reading is the rows of a statement, which is free again once they are closed.
type reading struct {
	driver.Rows
	of *statement
}

// Close is of driver.Rows.
func (r *reading) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}

// Close is of driver.Conn.
func (c *connection) Close() error {
	for _, s := range c.kept {
		_ = s.run.Close() // closing the connection says what is wrong
	}
	return c.sqliteConn.Close()
}
