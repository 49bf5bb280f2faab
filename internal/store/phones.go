package store

import (
	"context"
	"encoding/json"
)

// phones keeps facts about phones: their names, the keyboards to put back on them, and what their
// captures take. It implements what package device remembers, and interprets only the names.
type phones struct{ *db }

// Shared reports whether processes on other machines may use the store.
func (p phones) Shared() bool { return Farm(p).Shared() }

// NamePhone returns the name of the phone with that factory serial and that mark, which tells
// phones with one serial apart: the serial, unless a phone with another mark had that name first. A
// mark that is not known is "", and stands for the phone that had the name first.
func (p phones) NamePhone(ctx context.Context, serial, mark string) (string, error) {
	name, known, err := nameOf(ctx, p.read, serial, mark)
	if err == nil && !known {
		err = p.update(ctx, func(ctx context.Context, tx *tx) error {
			name, known, err = nameOf(ctx, tx, serial, mark) // another process may be faster
			if err != nil || known {
				return err
			}
			return tx.exec(ctx, `INSERT INTO phones (name, serial, mark, since) VALUES (?, ?, ?, ?)
				ON CONFLICT (name) DO UPDATE SET mark = excluded.mark`,
				name, serial, mark, millis(tx.at))
		})
	}
	return name, doing(err, "naming the phone with the serial %q", serial)
}

// nameOf is the name that the phone has, or the one for it if it has none yet.
func nameOf(ctx context.Context, q queryer, serial, mark string) (string, bool, error) {
	var name, first string
	known, err := found(q.QueryRowContext(ctx, `SELECT name FROM phones
		WHERE serial = ? AND (mark = ? OR ? = '') ORDER BY since, name LIMIT 1`,
		serial, mark, mark), &name)
	if known || err != nil {
		return name, known, err
	}
	taken, err := found(q.QueryRowContext(ctx, "SELECT mark FROM phones WHERE name = ?", serial),
		&first)
	if taken && first != "" {
		return serial + "." + mark[:min(len(mark), 6)], false, err
	}
	return serial, false, err
}

// SetFormerKeyboard remembers the phone's keyboard, or forgets it if former is "".
func (p phones) SetFormerKeyboard(ctx context.Context, serial, former string) error {
	err := p.update(ctx, func(ctx context.Context, tx *tx) error {
		if former == "" {
			return tx.exec(ctx, "DELETE FROM keyboards WHERE serial = ?", serial)
		}
		return tx.exec(ctx, `INSERT INTO keyboards (serial, former, since) VALUES (?, ?, ?)
			ON CONFLICT (serial) DO UPDATE SET former = excluded.former, since = excluded.since`,
			serial, former, millis(tx.at))
	})
	return doing(err, "remembering the keyboard of phone %q", serial)
}

// FormerKeyboard returns the remembered keyboard, or "" if missing.
func (p phones) FormerKeyboard(ctx context.Context, serial string) (former string, err error) {
	row := p.read.QueryRowContext(ctx, "SELECT former FROM keyboards WHERE serial = ?", serial)
	_, err = found(row, &former)
	return former, doing(err, "reading the former keyboard of phone %q", serial)
}

// SetCaptures remembers what captures take by a way to a phone.
func (p phones) SetCaptures(ctx context.Context, way string, took json.RawMessage) error {
	err := p.update(ctx, func(ctx context.Context, tx *tx) error {
		return tx.keep(ctx, capturesOf+way, took)
	})
	return doing(err, "remembering the captures of phone %q", way)
}

// Captures returns what was remembered last, or nil.
func (p phones) Captures(ctx context.Context, way string) (json.RawMessage, error) {
	return kept(ctx, p.read, capturesOf+way)
}

const capturesOf = "captures of "
