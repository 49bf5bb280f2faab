package actions

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// Wait waits for the screen to change by itself. For is above 0, and cut to [MaxWait].
type Wait struct {
	For time.Duration `json:"for" arg:"value,duration"`
}

func (Wait) Verb() string { return "WAIT" }

func (a Wait) Validate() error {
	if a.For > 0 {
		return nil
	}
	return because(a, fmt.Errorf("the time is %v (want more than 0, at most %v)", a.For, MaxWait))
}

func (a Wait) Do(ctx context.Context, _ Surface) error { return wait.For(ctx, min(a.For, MaxWait)) }

func (Wait) Traits() Traits { return Traits{Passive: true} }

func (a Wait) with(string) string {
	return min(a.For, MaxWait).Round(100 * time.Millisecond).String()
}

func (a Wait) describe() string {
	return fmt.Sprintf("wait %v", min(a.For, MaxWait).Round(time.Millisecond))
}
