package export

import (
	"context"
	"time"

	"github.com/taploop/taploop/session"
)

// Source is what an export reads of a store. A *session.Store is one.
type Source interface {
	Session(ctx context.Context, id string) (session.Session, error)
	Runs(ctx context.Context, sessionID string) ([]session.Run, error)
	Steps(ctx context.Context, sessionID string) ([]session.StepRecord, error)
	Usage(ctx context.Context, runID string) (session.Usage, error)
	Waits(ctx context.Context, sessionID string) (map[int]time.Duration, error)
	Frame(ctx context.Context, id string) ([]byte, error)
	Sessions(ctx context.Context, f session.Filter) ([]session.Overview, error)
	Entries(run session.Run) *session.Entries
}

// trajectory is all of a session but its pictures.
type trajectory struct {
	session session.Session
	runs    []session.Run
	steps   []session.StepRecord
	usage   map[string]session.Usage // of each run
	asked   map[int]time.Duration    // for the answer to a step's question, by the step's index
}

func read(ctx context.Context, src Source, sessionID string) (trajectory, error) {
	var t trajectory
	var err error
	if t.session, err = src.Session(ctx, sessionID); err != nil {
		return t, err
	}
	if t.runs, err = src.Runs(ctx, sessionID); err != nil {
		return t, err
	}
	if t.steps, err = src.Steps(ctx, sessionID); err != nil {
		return t, err
	}
	t.usage = map[string]session.Usage{}
	for _, r := range t.runs {
		if t.usage[r.ID], err = src.Usage(ctx, r.ID); err != nil {
			return t, err
		}
	}
	t.asked, err = src.Waits(ctx, sessionID)
	return t, err
}

// of is the steps of one run.
func (t trajectory) of(r session.Run) []session.StepRecord {
	var steps []session.StepRecord
	for _, st := range t.steps {
		if st.RunID == r.ID {
			steps = append(steps, st)
		}
	}
	return steps
}
