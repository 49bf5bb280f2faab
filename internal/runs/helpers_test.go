package runs_test

import (
	"context"
	"errors"
)

var errUnreachable = errors.New("connection refused")

func contextWithCancel(w *fixture) (context.Context, context.CancelFunc) {
	return context.WithCancel(w.ctx())
}
