package runs

import (
	"context"
	"sync"
)

// lifetime is that of all runs of a Manager.
type lifetime struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	wg      sync.WaitGroup
	closing sync.Mutex // guards against a spawn during end
}

func newLifetime() *lifetime {
	l := new(lifetime)
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// end ends the lifetime with the cause. Nothing is spawned after that.
func (l *lifetime) end(cause error) {
	l.closing.Lock()
	defer l.closing.Unlock()
	l.cancel(cause)
}

// spawn runs fn on a goroutine that is waited for after the end. It returns false if that has come.
func (l *lifetime) spawn(fn func()) bool {
	l.closing.Lock()
	defer l.closing.Unlock()
	if l.ctx.Err() != nil {
		return false
	}
	l.wg.Go(fn)
	return true
}

// checkOpen returns an error after the end.
func (l *lifetime) checkOpen() error {
	if l.ctx.Err() != nil {
		return Refuse(ServerClosing, "call again when the server is back",
			"the server is shutting down")
	}
	return nil
}
