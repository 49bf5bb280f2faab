package store

import (
	"context"

	"github.com/taploop/taploop/internal/inquiry"
)

// Secret is a secret answer that a run was given, or a text that its model wrote for a password
// field.
type Secret struct {
	QuestionID string // or the id of the text
	Text       string
	Typed      bool // into the phone
}

// String masks the secret.
func (s Secret) String() string { return inquiry.Masked }

// GoString masks the secret.
func (s Secret) GoString() string { return inquiry.Masked }

// Secrets are the secret answers that runs were given, from the change that applied each (see
// Change.Apply) until the run ends, also over a crash.
type Secrets struct{ *db }

// Of are those of the run, the one that was given last at the end.
func (s Secrets) Of(ctx context.Context, runID string) ([]Secret, error) {
	list, err := collect(ctx, s.read, func(row scanner) (Secret, error) {
		var x Secret
		var sealed []byte
		err := row.Scan(&x.QuestionID, &sealed, &x.Typed)
		if err == nil {
			x.Text, err = s.vault.open(x.QuestionID, sealed)
		}
		return x, err
	}, `SELECT question_id, sealed, typed FROM secrets WHERE run_id = ?
		ORDER BY given_at, rowid`, runID)
	return list, doing(err, "reading the secrets of run %s", runID)
}

// Keep keeps a secret that the run's model has written itself, under an id of its own, in the place
// of what was kept under that id.
func (s Secrets) Keep(ctx context.Context, runID string, x Secret) error {
	err := s.update(ctx, func(ctx context.Context, tx *tx) error {
		return tx.keepSecret(ctx, runID, x)
	})
	return doing(err, "keeping a secret of run %s", runID)
}

func (t *tx) keepSecret(ctx context.Context, runID string, x Secret) error {
	return t.exec(ctx, `INSERT INTO secrets (question_id, run_id, sealed, given_at)
		VALUES (?, ?, ?, ?) ON CONFLICT (question_id) DO UPDATE SET sealed = excluded.sealed,
		typed = 0, given_at = excluded.given_at`, x.QuestionID, runID,
		t.db.vault.seal(x.QuestionID, x.Text), millis(t.at))
}

// Typed notes that the answer to the question was typed into the phone.
func (s Secrets) Typed(ctx context.Context, questionID string) error {
	_, err := s.exec(ctx, "UPDATE secrets SET typed = 1 WHERE question_id = ?", questionID)
	return doing(err, "noting that a secret was typed")
}
