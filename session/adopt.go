package session

import (
	"context"
	"database/sql"

	"github.com/taploop/taploop/inquiry"
)

// Orphans are what was begun without a client's name, and goes on: sessions whose latest run has
// not ended, and questions of no run whose answer was not taken up.
type Orphans struct{ Sessions, Questions []string }

// Orphans lists them by id.
func (s *Store) Orphans(ctx context.Context) (Orphans, error) {
	o, err := orphans(ctx, s.read)
	return o, doing(err, "looking for what belongs to no client")
}

func orphans(ctx context.Context, q queryer) (o Orphans, err error) {
	id := func(row scanner) (id string, err error) { return id, row.Scan(&id) }
	o.Sessions, err = collect(ctx, q, id, `SELECT s.id FROM sessions s WHERE s.client = '' AND EXISTS
		(SELECT 1 FROM runs r WHERE r.session_id = s.id AND r.ended_at = 0) ORDER BY s.rowid`)
	if err == nil {
		o.Questions, err = collect(ctx, q, id, `SELECT id FROM questions WHERE run_id = ''
			AND applied_at = 0 AND coalesce(json_extract(body, '$.client'), '') = ''
			AND status IN (?, ?) ORDER BY rowid`, inquiry.Pending, inquiry.Answered)
	}
	return o, err
}

// Adopt makes the orphans the client's, and notes that in the audit.
func (s *Store) Adopt(ctx context.Context, client string, by AuditEntry) (o Orphans, err error) {
	by.Event, by.Text = AuditAdopted, client
	err = s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if o, err = orphans(ctx, tx); err != nil {
			return err
		}
		for _, id := range o.Sessions {
			// A key that a former bearer of the name has used stays that one's.
			err := exec(ctx, tx, `UPDATE sessions SET client = ?1, start_key = CASE WHEN EXISTS
				(SELECT 1 FROM sessions o WHERE o.client = ?1 AND o.start_key = sessions.start_key)
				THEN '' ELSE start_key END WHERE id = ?2`, client, id)
			by.SessionID = id
			if err == nil {
				err = s.audit(ctx, tx, by)
			}
			if err != nil {
				return err
			}
		}
		by.SessionID = ""
		if err := adoptAnswers(ctx, tx, client); err != nil {
			return err
		}
		for _, id := range o.Questions {
			err := exec(ctx, tx,
				"UPDATE questions SET body = json_set(body, '$.client', ?) WHERE id = ?", client, id)
			by.QuestionID = id
			if err == nil {
				err = s.audit(ctx, tx, by)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return o, doing(err, "giving sessions to %s", client)
}
