package skill

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

// SourceOf is the session's last run that was completed. The source reads pictures from the store
// under ctx.
func SourceOf(ctx context.Context, db *store.Store, sessionID string) (src Source, err error) {
	all, err := db.Trajectory(ctx, sessionID)
	if err != nil {
		return src, err
	}
	for _, r := range all.Runs {
		if r.State == store.Completed {
			src.Run, src.Usage = r, all.Usage[r.ID]
		}
	}
	if src.Run.ID == "" {
		return src, hint.Add(fmt.Errorf("no run of session %s was completed", sessionID),
			"taploop sessions lists sessions with the states of their runs")
	}
	for _, s := range all.Steps {
		if s.RunID == src.Run.ID {
			src.Steps = append(src.Steps, s)
		}
	}
	src.Frame = func(id string) ([]byte, error) { return db.Frame(ctx, id) }
	return src, nil
}
