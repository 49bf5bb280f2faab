package device

import (
	"bytes"
	"context"
	"time"

	"github.com/taploop/taploop/internal/wait"
)

// Rest waits until the screen is at rest after something was opened: until it had time to react and
// two pictures in a row are the same, for 3 seconds at most. It says nothing about a phone that
// shows no picture, or has none that is the same twice.
func (p *Phone) Rest(ctx context.Context) {
	const reaction, longest, pause = 600 * time.Millisecond, 3 * time.Second, 150 * time.Millisecond
	began, former := time.Now(), []byte(nil)
	for {
		f, err := p.Frame(ctx)
		if err != nil {
			return
		}
		now, err := f.Thumbnail()
		took := time.Since(began)
		if err != nil || took > longest || took > reaction && bytes.Equal(now, former) ||
			wait.For(ctx, pause) != nil {
			return
		}
		former = now
	}
}
