package usecase

import (
	"context"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
)

// Delegate hands a goal to agents.
type Delegate struct {
	Goal    string   `json:"goal" max:"20000"`
	Key     string   `json:"idempotency_key,omitempty" max:"200" listed:"gelab"`
	Seconds *float64 `json:"wait_seconds,omitempty" max:"3600"`
}

// Delegate begins work on a goal, and waits for it.
func (u *Cases) Delegate(ctx context.Context, c *Call, a Delegate) (*Outcome, error) {
	w := &wait{began: time.Now(), budget: c.Budget(a.Seconds)}
	if strings.TrimSpace(a.Goal) == "" {
		return nil, invalid("say what is to be reached", "the goal is empty")
	}
	var err error
	w.Status, err = u.opts.Runs.Start(ctx, runs.StartRequest{Kind: store.OfAgents, Task: a.Goal,
		Client: c.Client, Key: a.Key, By: c.By})
	if err != nil {
		return nil, err
	}
	return u.follow(ctx, c, w)
}
