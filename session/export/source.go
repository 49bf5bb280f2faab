package export

import (
	"context"

	"github.com/taploop/taploop/session"
)

// Source is what an export reads of a store. A *session.Store is one.
type Source interface {
	Trajectory(ctx context.Context, sessionID string) (session.Trajectory, error)
	Frame(ctx context.Context, id string) ([]byte, error)
	Sessions(ctx context.Context, f session.Filter) ([]session.Overview, error)
	Entries(run session.Run) *session.Entries
}

// trajectory is all of a session but its pictures.
type trajectory session.Trajectory

func read(ctx context.Context, src Source, sessionID string) (trajectory, error) {
	t, err := src.Trajectory(ctx, sessionID)
	return trajectory(t), err
}

// of is the steps of one run.
func (t trajectory) of(r session.Run) []session.StepRecord {
	var steps []session.StepRecord
	for _, st := range t.Steps {
		if st.RunID == r.ID {
			steps = append(steps, st)
		}
	}
	return steps
}
