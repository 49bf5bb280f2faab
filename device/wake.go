package device

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

const hintLocked = "unlock the phone by hand; PINs, patterns and passwords are never typed for you"

const (
	wakeWithin = 3 * time.Second        // see waits
	wakePoll   = 150 * time.Millisecond // between two looks at it
)

// Wake switches the display on and opens the lock screen, and returns the state after that. If
// that needs a PIN, a pattern or a password, the error is screen.ErrLocked. A phone that is on and
// open is left alone. Wake first restores the keyboard that a killed process left behind. A failure
// of that is logged, and the next Wake tries it again.
func (p *Phone) Wake(ctx context.Context) (screen.State, error) {
	p.keyboard.warn(ctx, puttingBack, p.keyboard.restore(ctx))
	r, err := p.display.wake(ctx)
	return r.State, p.failed("waking", err)
}

func (d *display) wake(ctx context.Context) (reading, error) {
	r, err := d.readState(ctx)
	if err != nil {
		return r, err
	}
	if !r.State.On {
		if err := d.must(ctx, keyevent(codeWakeUp)); err != nil {
			return r, err
		}
		if r, err = d.until(ctx, func(r reading) bool { return r.State.On }); err != nil {
			return r, err
		}
		if !r.State.On {
			return r, hint.Add(fmt.Errorf("the display stays off"),
				"press the power button, and look whether the battery is empty")
		}
	}
	if !r.State.Locked {
		return r, nil
	}
	return d.unlock(ctx, r)
}

// unlock dismisses the lock screen. Where the system does not do it, as on some makers' phones, a
// swipe up does.
func (d *display) unlock(ctx context.Context, r reading) (reading, error) {
	open := func(r reading) bool { return !r.State.Locked }
	if err := d.must(ctx, "wm dismiss-keyguard"); err != nil && !r.keyguard.secure {
		return r, err
	}
	r, err := d.until(ctx, open)
	if err != nil || open(r) {
		return r, err
	}
	if !r.keyguard.secure {
		px := pixels(r.State.Size)
		up := px.timed("swipe", 300*time.Millisecond, screen.Point{X: 0.5, Y: 0.9},
			screen.Point{X: 0.5, Y: 0.2})
		if err := d.do(ctx, time.Second, up); err != nil {
			return r, err
		}
		if r, err = d.until(ctx, open); err != nil || open(r) {
			return r, err
		}
	}
	return r, hint.Add(screen.ErrLocked, hintLocked)
}

// until reads the state until it is as wanted or waits.wake has passed, and returns the last
// reading.
func (d *display) until(ctx context.Context, wanted func(reading) bool) (reading, error) {
	began := time.Now()
	for {
		r, err := d.readState(ctx)
		if err != nil || wanted(r) || time.Since(began) >= d.wakes {
			return r, err
		}
		if err := wait.For(ctx, wakePoll); err != nil {
			return r, err
		}
	}
}
