package asking

import (
	"context"
	"fmt"
	"time"
)

// StoreTime bounds a write that has to happen although the call or the run is over.
const StoreTime = 10 * time.Second

// ErrStoreTime is the cause of the end of a Detached context.
var ErrStoreTime = fmt.Errorf("the store did not answer within %v", StoreTime)

// Detached is ctx for such a write: it ends after StoreTime, and not with ctx.
func Detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.WithoutCancel(ctx), StoreTime, ErrStoreTime)
}
