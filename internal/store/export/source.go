package export

import (
	"context"
	"encoding/json"

	"github.com/taploop/taploop/internal/store"
)

// Source is what an export reads of a store. A *store.Store is one.
type Source interface {
	Trajectory(ctx context.Context, sessionID string) (store.Trajectory, error)
	Frame(ctx context.Context, id string) ([]byte, error)
	Sessions(ctx context.Context, f store.Filter) ([]store.Overview, error)
	Noted(ctx context.Context, sessionID string) ([]json.RawMessage, error)
}
