package mirror

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// stream captures one phone in a goroutine.
type stream struct {
	opts   Options
	serial string
	end    context.CancelCauseFunc
	users  int // guarded by the Mirror's lock

	opened chan struct{} // closed when phone and failed are known
	phone  Phone
	failed error

	wake  chan struct{} // has a token when the screen is about to change
	hands sync.Mutex    // held during a touch

	mu          sync.Mutex
	last        Picture
	changed     wait.Broadcast // sent at each picture and at the end
	why         error          // the reason of the end, or nil
	touched     time.Time      // the last touch through the mirror
	moved       bool           // changed since, without a touch through the mirror
	sensesTouch bool           // the phone reports touches
}

const (
	patience = 10 * time.Second // for one capture
	retry    = 2 * time.Second  // after a failed capture
	echo     = 3 * time.Second  // how long a touch can cause changes
)

// run captures the phone until ctx ends. The error says why there are no more pictures.
func (s *stream) run(ctx context.Context) error {
	s.phone, s.failed = s.opts.Open(ctx, s.serial)
	close(s.opened)
	if s.failed != nil {
		s.publish(Picture{Screen: Lost, Err: s.failed})
		return s.failed
	}
	defer func() {
		if err := s.phone.Close(); err != nil {
			s.opts.Log.Warn("closing the phone", "serial", s.serial, "err", err)
		}
	}()
	var watching sync.WaitGroup
	defer watching.Wait()
	if f, can := s.phone.(TouchSensor); can {
		s.setSensesTouch(true)
		watching.Go(func() { s.watchTouches(ctx, f) })
	}
	s.capture(ctx)
	return context.Cause(ctx)
}

// finish ends the stream and gives viewers the reason.
func (s *stream) finish(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = why
	s.changed.Send()
}

// capture polls the screen, often while it changes and rarely while it is still.
func (s *stream) capture(ctx context.Context) {
	var shown *screen.Frame
	var at, changed, looked time.Time
	for ctx.Err() == nil {
		at = time.Now()
		still := at.Sub(changed) >= restful
		pause := fast
		if still {
			pause = slow
		}
		look := !still || shown == nil || at.Sub(looked) >= checkTime
		if !look {
			f, err := s.frame(ctx)
			look = err != nil || f != shown
		}
		if look {
			looked = at
			was := shown
			var err error
			if shown, err = s.look(ctx, shown); err != nil {
				pause = retry
			}
			if shown != was {
				changed = at
			} else if shown == nil {
				pause = slow
			}
		}
		s.rest(time.Since(changed))
		_ = wait.Until(ctx, max(pause-time.Since(at), fast/4), s.wake)
		if s.justTouched() {
			changed = time.Now()
		}
	}
}

func (s *stream) frame(ctx context.Context) (*screen.Frame, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.phone.Frame(ctx)
}

// look captures the phone with its state and publishes a new picture. It returns the shown frame,
// or nil if missing.
func (s *stream) look(ctx context.Context, shown *screen.Frame) (*screen.Frame, error) {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	o, err := s.phone.Look(within)
	switch {
	case ctx.Err() != nil:
		return shown, nil
	case errors.Is(err, screen.ErrSecure):
		s.offer(Picture{Screen: Secure})
		return nil, nil
	case err != nil:
		s.offer(Picture{Screen: Lost, Err: err})
		return nil, err
	case o.Frame == nil:
		s.offer(Picture{Screen: Off})
		return nil, nil
	case o.State.Secure && !o.State.Locked:
		s.offer(Picture{Screen: Secure})
		return nil, nil
	}
	p := Picture{Screen: Shown}
	if o.State.Locked {
		p.Screen = Locked
	}
	if o.Frame == shown && p.Screen == s.showing() {
		return shown, nil
	}
	if p.JPEG, err = s.encode(o.Frame); err != nil {
		s.offer(Picture{Screen: Lost, Err: err})
		return nil, err
	}
	// equal below the status bar, where the clock changes
	if shown != nil && p.Screen == s.showing() && shown.Size() == o.Frame.Size() &&
		shown.Fingerprint().Below(o.Bar) == o.Frame.Fingerprint().Below(o.Bar) {
		s.replace(p)
	} else {
		s.offer(p)
	}
	return o.Frame, nil
}

// encode encodes the picture, and shrinks it until it has at most MaxBytes.
func (s *stream) encode(f *screen.Frame) ([]byte, error) {
	side, quality := longest, quality
	for {
		b, err := f.Within(side).JPEG(quality)
		if err != nil || len(b) <= s.opts.MaxBytes || side < 200 {
			return b, err
		}
		side, quality = side*3/4, max(quality-10, 30)
	}
}

func (s *stream) showing() Screen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last.Screen
}

// offer publishes a picture if it differs from the last one. The change may be due to a touch of
// the phone, except that a display goes off, and a phone is lost and found, without one.
func (s *stream) offer(p Picture) {
	found := s.showing() == Lost
	if !s.replace(p) || found || p.Screen == Off || p.Screen == Lost {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = s.moved || s.last.N > 1 && !s.sensesTouch && time.Since(s.touched) > echo
}

// replace publishes a picture if it differs from the last one. It reports whether it did.
func (s *stream) replace(p Picture) bool {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	if last.N > 0 && p.Screen == last.Screen && bytes.Equal(p.JPEG, last.JPEG) {
		return false
	}
	s.publish(p)
	return true
}

// rest counts a change without a touch through the mirror as a touch by hand, once the screen is
// still.
func (s *stream) rest(since time.Duration) {
	s.mu.Lock()
	counts := s.moved && since >= restful && time.Since(s.touched) > echo
	if counts {
		s.moved = false
	}
	s.mu.Unlock()
	if counts {
		s.byHand()
	}
}

// byHand publishes that somebody touched the phone itself.
func (s *stream) byHand() {
	s.mu.Lock()
	p := s.last
	p.ByHand++
	s.last.ByHand++
	s.mu.Unlock()
	s.publish(p)
}

// watchTouches publishes touches of the phone itself until they cannot be observed any longer.
func (s *stream) watchTouches(ctx context.Context, f TouchSensor) {
	for {
		if err := f.AwaitTouch(ctx); err != nil {
			s.setSensesTouch(false)
			return
		}
		s.captureNow()
		s.byHand()
		if wait.For(ctx, restful) != nil {
			return
		}
	}
}

func (s *stream) setSensesTouch(can bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sensesTouch = can
}

// publish makes the picture the newest one.
func (s *stream) publish(p Picture) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.N, p.ByHand = s.last.N+1, s.last.ByHand
	s.last = p
	s.changed.Send()
}

// newest returns the last picture and a channel that is closed at the next one.
func (s *stream) newest() (Picture, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.changed.Next()
}

// ended returns why there are no more pictures, or nil.
func (s *stream) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// touch touches the phone, and makes captures frequent for a while.
func (s *stream) touch(
	ctx context.Context, do func(context.Context, actions.Surface) error,
) error {
	if s.phone == nil {
		return errors.Join(s.failed, s.ended())
	}
	s.hands.Lock()
	defer s.hands.Unlock()
	if s.showing() == "" { // positions are fractions of a picture
		if _, err := s.phone.Look(ctx); err != nil && !errors.Is(err, screen.ErrSecure) {
			return err
		}
	}
	err := do(ctx, touched{s.phone})
	s.mu.Lock()
	s.touched, s.moved = time.Now(), false
	s.mu.Unlock()
	s.captureNow()
	return err
}

// captureNow starts the next capture at once.
func (s *stream) captureNow() {
	wait.Wake(s.wake)
}

func (s *stream) justTouched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.touched) < fast
}
