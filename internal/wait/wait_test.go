package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/wait"
)

func TestAPauseTakesItsTimeUnlessItIsEnded(t *testing.T) {
	gone := errors.New("the phone is gone")
	for name, c := range map[string]struct {
		d, ended, woken time.Duration // 0 is never
		took            time.Duration
		err             error
	}{
		"the whole time":        {d: time.Hour, took: time.Hour},
		"no time":               {d: 0, took: 0},
		"less than no time":     {d: -time.Hour, took: 0},
		"the context ends":      {d: time.Hour, ended: time.Minute, took: time.Minute, err: gone},
		"the context had ended": {d: time.Hour, ended: -1, took: 0, err: gone},
		"no time, but ended":    {d: 0, ended: -1, took: 0, err: gone},
		"something happens":     {d: time.Hour, woken: time.Second, took: time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				wake := make(chan struct{})
				switch {
				case c.ended < 0:
					cancel(gone)
				case c.ended > 0:
					time.AfterFunc(c.ended, func() { cancel(gone) })
				case c.woken > 0:
					time.AfterFunc(c.woken, func() { close(wake) })
				}
				start := time.Now()
				require.Equal(t, c.err, wait.Until(ctx, c.d, wake))
				require.Equal(t, c.took, time.Since(start))
				if c.woken == 0 {
					require.Equal(t, c.err, wait.For(ctx, min(c.d, 0)))
				}
				cancel(nil)
			})
		})
	}
}
