package session

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/taploop/taploop/inquiry"
)

// Secret is a secret answer that a run was given.
type Secret struct {
	QuestionID string
	Text       string
	Typed      bool // into the phone
}

// String masks the secret.
func (s Secret) String() string { return inquiry.Masked }

// GoString masks the secret.
func (s Secret) GoString() string { return inquiry.Masked }

// Secrets are those of a run that has not ended, the one that was given last at the end. They are
// there from the change that applied the answer (see Change.Apply), even after a crash.
func (s *Store) Secrets(ctx context.Context, runID string) ([]Secret, error) {
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
	if err != nil {
		return nil, fmt.Errorf("reading the secrets of run %s: %w", runID, err)
	}
	return list, nil
}

// SecretTyped notes that the answer to the question was typed into the phone.
func (s *Store) SecretTyped(ctx context.Context, questionID string) error {
	err := s.update(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE secrets SET typed = 1 WHERE question_id = ?",
			questionID)
		return err
	})
	if err != nil {
		return fmt.Errorf("noting that a secret was typed: %w", err)
	}
	return nil
}

// keepSecret keeps a secret answer for the run that applies it.
func (s *Store) keepSecret(ctx context.Context, tx *sql.Tx, q inquiry.Question) error {
	if !q.Secret || q.Resolution == nil || q.Resolution.Type != inquiry.TypeAnswer {
		return nil
	}
	_, err := tx.ExecContext(ctx,
		"INSERT INTO secrets (question_id, run_id, sealed, given_at) VALUES (?, ?, ?, ?)",
		q.ID, q.RunID, s.vault.seal(q.ID, q.Resolution.Response.Reveal()), millis(s.now()))
	return err
}

// dropSecrets erases those of a run that ends.
func dropSecrets(ctx context.Context, tx *sql.Tx, runID string) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM secrets WHERE run_id = ?", runID)
	return err
}
