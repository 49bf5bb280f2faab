package store

import "context"

var sessionColumns = new(Session).fields().list("s.%s")

func (x *Session) fields() fields {
	return fields{
		{"id", &x.ID}, {"serial", &x.Serial}, {"device", object{&x.Device}}, {"steps", &x.Steps},
		{"client", &x.Client}, {"start_key", &x.StartKey}, {"parent", &x.Parent},
		{"created_at", instant{&x.CreatedAt}}, {"updated_at", instant{&x.UpdatedAt}},
	}
}

func sessionByKey(ctx context.Context, q queryer, client, key string) (Session, error) {
	row := q.QueryRowContext(ctx,
		"SELECT "+sessionColumns+` FROM sessions s WHERE client = ? AND start_key = ?
			AND start_key <> ''`, client, key)
	return oneRow(row, scanRow[Session], "the session with the key", key)
}

func sessionByID(ctx context.Context, q queryer, id string) (Session, error) {
	row := q.QueryRowContext(ctx, "SELECT "+sessionColumns+" FROM sessions s WHERE id = ?", id)
	return oneRow(row, scanRow[Session], "session", id)
}

// touch notes that something happened in the session.
func (t *tx) touch(ctx context.Context, sessionID string) error {
	return t.exec(ctx, "UPDATE sessions SET updated_at = ? WHERE id = ?", millis(t.at), sessionID)
}
