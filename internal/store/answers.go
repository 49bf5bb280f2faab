package store

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/inquiry"
)

const answerColumns = "body, uses, used_at"

func scanAnswer(row scanner) (m inquiry.Remembered, err error) {
	return m, row.Scan(object{&m}, &m.Uses, instant{&m.UsedAt})
}

// clientOf returns the client that the question belongs to.
func clientOf(ctx context.Context, q queryer, x inquiry.Question) (client string, err error) {
	if x.SessionID == "" {
		return x.Client, nil
	}
	row := q.QueryRowContext(ctx, "SELECT client FROM sessions WHERE id = ?", x.SessionID)
	if known, err := found(row, &client); known || err != nil {
		return client, err
	}
	return x.Client, nil
}

// remember stores the answer of a settled question if its resolution says so, in place of an older
// one. It counts the use of an answer that was recalled.
func remember(ctx context.Context, tx *tx, q inquiry.Question) error {
	r := q.Resolution
	if r.Recalled != "" {
		return tx.exec(ctx, "UPDATE answers SET uses = uses + 1, used_at = ? WHERE id = ?",
			millis(r.At), r.Recalled)
	}
	if r.Remember == "" || q.Secret {
		return nil
	}
	client, err := clientOf(ctx, tx, q)
	if err != nil {
		return err
	}
	m := inquiry.NewRemembered(q, client)
	err = tx.exec(ctx, `DELETE FROM answers WHERE likeness = ? AND client = ? AND scope = ? AND
		session_id = ? AND app = ? OR id = ?`, inquiry.Likeness(q), client, m.Scope, m.SessionID,
		m.App, m.ID)
	if err != nil {
		return err
	}
	err = tx.exec(ctx, `INSERT INTO answers (id, likeness, client, scope, session_id,
		app, body) VALUES (?, ?, ?, ?, ?, ?, ?)`, m.ID, inquiry.Likeness(q), client, m.Scope,
		m.SessionID, m.App, object{m})
	if err != nil {
		return err
	}
	e := about(AuditRemembered, q, *r)
	e.Text = string(m.Scope)
	return tx.audit(ctx, e)
}

// Answers are the remembered answers, which are reused when the same question is asked again.
type Answers struct{ *db }

// List lists the owners' answers, oldest first.
func (a Answers) List(ctx context.Context, of Owners) ([]inquiry.Remembered, error) {
	w := where{sql: "true"}
	w.owned("client", of)
	list, err := collect(ctx, a.read, scanAnswer,
		"SELECT "+answerColumns+" FROM answers WHERE "+w.sql+" ORDER BY rowid", w.args...)
	return list, doing(err, "listing the remembered answers")
}

// Forget removes and returns the owners' answer with the id, or all of them if id is "", and
// records each in the audit. It returns ErrNotFound if there is no such answer.
func (a Answers) Forget(
	ctx context.Context, id string, of Owners, by AuditEntry,
) (gone []inquiry.Remembered, err error) {
	err = a.update(ctx, func(ctx context.Context, tx *tx) error {
		w := where{sql: "true"}
		w.and("id = ?", id)
		w.owned("client", of)
		gone, err = tx.forget(ctx, w, by)
		if err == nil && id != "" && len(gone) == 0 {
			err = fmt.Errorf("answer %q: %w", id, ErrNotFound)
		}
		return err
	})
	return gone, doing(err, "forgetting a remembered answer")
}

// forget removes and returns those answers.
func (t *tx) forget(ctx context.Context, w where, by AuditEntry) ([]inquiry.Remembered, error) {
	gone, err := collect(ctx, t, scanAnswer,
		"DELETE FROM answers WHERE "+w.sql+" RETURNING "+answerColumns, w.args...)
	for i := 0; i < len(gone) && err == nil; i++ {
		by.Event, by.QuestionID, by.SessionID = AuditForgotten, gone[i].ID, gone[i].SessionID
		err = t.audit(ctx, by)
	}
	return gone, err
}
