package session

import (
	"context"
	"database/sql"
	"encoding/json"
)

// Entries is the journal of a session without a phone, as one life of its run writes it; run is
// what Transition to Running returned. It is safe for concurrent use.
type Entries struct {
	s   *Store
	run Run
}

// Entries returns the journal of the run's life.
func (s *Store) Entries(run Run) *Entries { return &Entries{s, run} }

// Append adds a line of JSON; it survives a crash of the machine. It is refused with ErrFenced once
// the run is not RUNNING any more, or has another life.
func (e *Entries) Append(ctx context.Context, body json.RawMessage) error {
	err := e.s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		j := journal{s: e.s, run: e.run}
		if state, fence, err := j.present(ctx, tx); err != nil {
			return err
		} else if fence != e.run.Fence || state != Running {
			return j.fenced(state)
		}
		err := exec(ctx, tx, `INSERT INTO entries (session_id, idx, body, at) VALUES (?1,
			(SELECT coalesce(max(idx), 0) + 1 FROM entries WHERE session_id = ?1), ?2, ?3)`,
			e.run.SessionID, string(body), millis(e.s.now()))
		if err != nil {
			return err
		}
		return e.s.touch(ctx, tx, e.run.SessionID)
	})
	return doing(err, "writing the session's journal")
}

// All are the lines of all lives of all runs, in their order.
func (e *Entries) All(ctx context.Context) ([]json.RawMessage, error) {
	list, err := collect(ctx, e.s.read, func(row scanner) (json.RawMessage, error) {
		var body string
		err := row.Scan(&body)
		return json.RawMessage(body), err
	}, "SELECT body FROM entries WHERE session_id = ? ORDER BY idx", e.run.SessionID)
	return list, doing(err, "reading the session's journal")
}
