package session

import (
	"context"
	"database/sql"
	"errors"
)

// SetFormerKeyboard remembers the keyboard that the phone had before another one took its place;
// "" forgets it. It implements device.Keyboards, and does not read what it is given.
func (s *Store) SetFormerKeyboard(ctx context.Context, serial, former string) error {
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if former == "" {
			return exec(ctx, tx, "DELETE FROM keyboards WHERE serial = ?", serial)
		}
		return exec(ctx, tx, `INSERT INTO keyboards (serial, former, since) VALUES (?, ?, ?)
			ON CONFLICT (serial) DO UPDATE SET former = excluded.former, since = excluded.since`,
			serial, former, millis(s.now()))
	})
	return doing(err, "remembering the keyboard of phone %q", serial)
}

// FormerKeyboard is the keyboard that is to be put back on the phone, "" for none.
func (s *Store) FormerKeyboard(ctx context.Context, serial string) (former string, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT former FROM keyboards WHERE serial = ?",
		serial).Scan(&former)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return former, doing(err, "reading the former keyboard of phone %q", serial)
}
