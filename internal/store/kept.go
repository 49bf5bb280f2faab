package store

import (
	"context"
	"encoding/json"
)

// Kept are values that all who share the database have, by their names.
type Kept struct{ *db }

// Read returns the value, or nil if nothing is kept.
func (k Kept) Read(name string) (json.RawMessage, error) {
	return kept(context.Background(), k.read, name)
}

// Change replaces the value by what edit makes of it, as if no other change ran beside it. edit is
// called again if one did. If edit returns an error, Change returns it and leaves the value alone.
func (k Kept) Change(
	name string, edit func(before json.RawMessage) (json.RawMessage, error),
) error {
	return k.update(context.Background(), func(ctx context.Context, tx *tx) error {
		before, err := kept(ctx, tx, name)
		if err != nil {
			return err
		}
		after, err := edit(before)
		if err != nil {
			return err
		}
		return tx.keep(ctx, name, after)
	})
}

func (tx *tx) keep(ctx context.Context, name string, value json.RawMessage) error {
	return tx.exec(ctx, `INSERT INTO keys (name, key) VALUES (?, ?)
		ON CONFLICT (name) DO UPDATE SET key = excluded.key`, name, []byte(value))
}

func kept(ctx context.Context, q queryer, name string) (value json.RawMessage, err error) {
	row := q.QueryRowContext(ctx, "SELECT key FROM keys WHERE name = ?", name)
	is, err := found(row, (*[]byte)(&value))
	if is && value == nil {
		value = json.RawMessage{} // SQLite has no other word for an empty value
	}
	return value, doing(err, "reading the %s", name)
}
