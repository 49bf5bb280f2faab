package asking

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/wait"
)

// StoreTime limits a write that must happen although the call or the run is over.
const StoreTime = 10 * time.Second

// Detached returns a context for such a write. It ends after StoreTime, which does not count while
// other writes go on before it, and not with ctx.
func Detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return wait.Limit(context.WithoutCancel(ctx), StoreTime, agentloop.Unavailable(
		fmt.Sprintf("the store did not answer within %v", StoreTime)))
}
