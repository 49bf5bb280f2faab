package runs

import (
	"context"
	"errors"
)

// Recover takes over from processes that died: what they were running comes back PAUSED as
// SERVER_RESTARTED, and nothing of it goes on by itself; but a run whose question was answered in
// the meantime goes on with the answer. A server calls it once, before it takes calls. Runs of
// processes that are alive are left alone.
func (m *Manager) Recover(ctx context.Context) error {
	recovered, err := m.store.Recover(ctx)
	for _, r := range recovered {
		m.log.InfoContext(ctx, "recovered", "run", r.ID, "session", r.SessionID, "state", r.State)
	}
	return errors.Join(err, resumer{m}.catchUp(ctx))
}
