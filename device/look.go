package device

import (
	"context"
	"errors"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

const hintSecure = "the app in front forbids screenshots (a password, a payment, a private " +
	"window); do this part by hand on the phone"

// lookAgain is how long a display that was turning gets before the second try.
const lookAgain = 250 * time.Millisecond

// Look captures one frame and reads the state with it, in two services at the same time. The frame
// is nil when the display is off. If the window in front forbids capture, the error is
// screen.ErrSecure and the look holds the state without a frame, so that a black picture never
// passes for content. A torn picture is captured a second time before it is an error.
func (p *Phone) Look(ctx context.Context) (screen.Observation, error) {
	look, err := p.observe(ctx)
	if _, is := errors.AsType[tornError](err); is {
		if err = wait.For(ctx, lookAgain); err == nil {
			look, err = p.observe(ctx)
		}
	}
	return look, p.failed("looking at", err)
}

// Frame captures one frame without reading the state, in one service. It crops the picture like the
// last look. Before the first look it reads the state, too.
func (p *Phone) Frame(ctx context.Context) (*screen.Frame, error) {
	last, err := p.display.known(ctx)
	var f *screen.Frame
	if err == nil {
		f, err = p.capturer.capture(ctx, p.display.captureLimit(), last.shows)
	}
	if err == nil {
		f, err = fit(f, last)
	}
	return f, p.failed("capturing", err)
}

// State reads what the phone says of itself, in one service and without a picture. A Frame that
// comes before the first look goes by it.
func (p *Phone) State(ctx context.Context) (screen.State, error) {
	r, err := p.display.readState(ctx)
	if err == nil {
		p.display.last.CompareAndSwap(nil, &r)
	}
	return r.State, p.failed("reading the state of", err)
}

type captured struct {
	frame *screen.Frame
	err   error
}

// observe takes the picture and reads the state side by side, and waits for both.
func (p *Phone) observe(ctx context.Context) (screen.Observation, error) {
	at := time.Now()
	capturing, cancel := context.WithCancel(ctx)
	shots, now := make(chan captured, 1), make(chan reading, 1)
	go func() {
		frame, err := p.capturer.capture(capturing, p.display.captureLimit(),
			func(s screen.Size) error { return p.display.expected(capturing, s, now) })
		shots <- captured{frame, err}
	}()
	r, err := p.display.readState(ctx)
	now <- r
	if err != nil || !r.State.On {
		// there is nothing to see, and some phones never finish a capture of a dark display
		cancel()
	}
	s := <-shots
	cancel()
	if err != nil {
		return screen.Observation{}, err
	}
	p.display.last.Store(&r)
	look := screen.Observation{State: r.State, Bar: r.bar, At: at}
	if !r.State.On {
		return look, nil
	}
	look.Frame, err = visibleFrame(s, r)
	return look, err
}

// visibleFrame returns the frame of a capture for the state, or an error if missing. It
// trusts the flag of the window in front and not the picture, which also shows the system's bars.
func visibleFrame(s captured, r reading) (*screen.Frame, error) {
	var torn tornError
	whole := s.err == nil
	switch {
	case !whole && !errors.As(s.err, &torn):
		return nil, s.err
	case r.State.Secure && !r.State.Locked, r.hidden && (!whole || s.frame.Black()):
		return nil, hint.Add(screen.ErrSecure, hintSecure)
	case !whole:
		return nil, s.err
	}
	return fit(s.frame, r)
}
