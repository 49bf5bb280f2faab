package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/hint"
)

const sessionColumns = "s.id, s.serial, s.device, s.steps, s.created_at, s.updated_at"

func (x *Session) columns() []any {
	return []any{&x.ID, &x.Serial, object{&x.Device}, &x.Steps, instant{&x.CreatedAt}, instant{&x.UpdatedAt}}
}

func scanSession(row scanner) (Session, error) {
	var x Session
	err := row.Scan(x.columns()...)
	return x, err
}

// CreateSession adds a session for the phone. The id and the times are the store's own.
func (s *Store) CreateSession(ctx context.Context, serial string, d Device) (Session, error) {
	now := s.now()
	x := Session{ID: newID(), Serial: serial, Device: d, CreatedAt: now, UpdatedAt: now}
	device, err := text(d)
	if err == nil {
		err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO sessions (id, serial, device, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
				x.ID, serial, device, millis(now), millis(now))
			return err
		})
	}
	if err != nil {
		return Session{}, fmt.Errorf("creating a session: %w", err)
	}
	return x, nil
}

// Session returns a session, or ErrNotFound.
func (s *Store) Session(ctx context.Context, id string) (Session, error) {
	row := s.read.QueryRowContext(ctx, "SELECT "+sessionColumns+" FROM sessions s WHERE id = ?", id)
	x, err := oneRow(row, scanSession, "session", id)
	return x, listHint(err)
}

func listHint(err error) error {
	if errors.Is(err, ErrNotFound) {
		return hint.Add(err, "list the sessions and pass the id of one of them")
	}
	return err
}

// Sessions lists sessions with their latest runs, those that changed last first.
func (s *Store) Sessions(ctx context.Context, f Filter) ([]Overview, error) {
	query := "SELECT " + sessionColumns + ", r.id IS NOT NULL, " + runColumnsOf("r") +
		" FROM sessions s LEFT JOIN runs r ON r.session_id = s.id AND r.seq = (SELECT max(seq) FROM runs WHERE session_id = s.id)"
	var where []string
	var args []any
	if f.State != "" {
		where, args = append(where, "r.state = ?"), append(args, f.State)
	}
	if f.Serial != "" {
		where, args = append(where, "s.serial = ?"), append(args, f.Serial)
	}
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	query += " ORDER BY s.updated_at DESC, s.rowid DESC"
	if f.Limit > 0 {
		query, args = query+" LIMIT ?", append(args, f.Limit)
	}
	list, err := collect(ctx, s.read, scanOverview, query, args...)
	if err != nil {
		return nil, fmt.Errorf("listing sessions: %w", err)
	}
	return list, nil
}

// scanOverview reads the row twice: only the first pass knows whether there is a run to read.
func scanOverview(row scanner) (Overview, error) {
	var o Overview
	var has bool
	head := append(o.Session.columns(), &has)
	pass := slices.Clone(head)
	for range runColumns {
		pass = append(pass, new(any))
	}
	if err := row.Scan(pass...); err != nil || !has {
		return o, err
	}
	o.Latest = new(Run)
	return o, row.Scan(append(head, o.Latest.columns()...)...)
}

// touch notes that something happened in the session.
func (s *Store) touch(ctx context.Context, tx *sql.Tx, sessionID string) error {
	_, err := tx.ExecContext(ctx, "UPDATE sessions SET updated_at = ? WHERE id = ?", millis(s.now()), sessionID)
	return err
}
