package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// MaxMessages is how many messages a run takes.
const MaxMessages = 50

// What callers may ask of an error of Say.
var (
	// ErrMessageKey says that another message was said to the run under the key.
	ErrMessageKey = errors.New("the key stands for another message")
	// ErrTooMuch says that the run takes no more messages.
	ErrTooMuch = fmt.Errorf("%d messages were sent to the run, and it takes no more", MaxMessages)
)

// Say stores a message for the run, and numbers it. by names the sender for the audit. It survives
// a crash of the machine. The sender may choose a key: a message that is sent again under its key
// is stored once, and replayed reports that it was there. Say returns a *StateError if the run has
// ended or has done its last step, because a stored message is heard before the end.
func (rs Runs) Say(
	ctx context.Context, runID string, m agentloop.Message, key string, by AuditEntry,
) (replayed bool, err error) {
	err = rs.update(ctx, func(ctx context.Context, tx *tx) error {
		r, err := runByID(ctx, tx, runID)
		if err != nil {
			return err
		}
		if replayed, err = sentBefore(ctx, tx, runID, m, key); replayed || err != nil {
			return err
		}
		if err := mayReceive(ctx, tx, r); err != nil {
			return err
		}
		err = tx.exec(ctx, `INSERT INTO messages (run_id, mode, text, key, created_at)
			VALUES (?, ?, ?, ?, ?)`, runID, m.Mode, m.Text,
			sql.NullString{String: key, Valid: key != ""}, millis(tx.at))
		if err != nil {
			return err
		}
		by.Event = AuditSaid
		by.SessionID = r.SessionID
		by.RunID = r.ID
		by.Text = m.Text
		return tx.audit(ctx, by)
	})
	return replayed, doing(err, "keeping a message for run %s", runID)
}

// sentBefore reports whether the message was kept before.
func sentBefore(
	ctx context.Context, tx *tx, runID string, m agentloop.Message, key string,
) (bool, error) {
	if key == "" {
		return false, nil
	}
	var was agentloop.Message
	kept, err := found(tx.QueryRowContext(ctx, `SELECT mode, text FROM messages
		WHERE run_id = ? AND key = ?`, runID, key), &was.Mode, &was.Text)
	if kept && was != m {
		return false, ErrMessageKey
	}
	return kept, err
}

// mayReceive refuses a run to which nothing can be said any more.
func mayReceive(ctx context.Context, tx *tx, r Run) error {
	var kept, last int
	err := tx.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM messages WHERE run_id = ?1),
		(SELECT count(*) FROM steps WHERE run_id = ?1 AND fence = ?2 AND state = 'DONE'
			AND verb IN (?3, ?4))`, r.ID, r.Fence, actions.Complete{}.Verb(),
		actions.Abort{}.Verb()).Scan(&kept, &last)
	switch {
	case err != nil:
		return err
	case r.State.Terminal(), r.State == Running && last > 0:
		return &StateError{RunID: r.ID, State: r.State, Fence: r.Fence}
	case kept >= MaxMessages:
		return ErrTooMuch
	}
	return nil
}

// checkHeard refuses the last step of a run that has not heard all that was said to it.
func checkHeard(
	ctx context.Context, tx *tx, runID string, st agentloop.Step, p agentloop.Progress,
) error {
	switch st.Proposal.Action.(type) {
	case actions.Complete, actions.Abort:
	default:
		return nil
	}
	var unheard int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM messages WHERE run_id = ? AND id > ?",
		runID, p.Heard).Scan(&unheard)
	if err == nil && unheard > 0 {
		err = agentloop.ErrUnheard
	}
	return err
}
