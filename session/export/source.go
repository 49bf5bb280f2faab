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
