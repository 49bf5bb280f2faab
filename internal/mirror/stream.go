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

// stream is one phone that is shown: a goroutine that captures it.
type stream struct {
	opts   Options
	serial string
	end    context.CancelCauseFunc
	users  int // guarded by the Mirror's lock

	opened chan struct{} // closed when phone and failed are known
	phone  Phone
	failed error

	wake  chan struct{} // holds a token when the screen is about to change
	hands sync.Mutex    // of the one who touches

	mu          sync.Mutex
	last        Picture
	changed     wait.Broadcast // at the next picture, and at the end
	why         error          // it has ended
	touched     time.Time      // through the mirror
	moved       bool           // changed since, and without a touch through the mirror
	sensesTouch bool           // the phone tells when it is touched
}

func newStream(opts Options, serial string) *stream {
	return &stream{opts: opts, serial: serial, opened: make(chan struct{}),
		wake: make(chan struct{}, 1)}
}

const (
	patience = 10 * time.Second // of one capture
	retry    = 2 * time.Second  // after one that went wrong
	echo     = 3 * time.Second  // for how long a touch may be why the screen changes
)

// run captures the phone until ctx ends. Its error says why there are no more pictures.
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

// finish tells the viewers that there are no more pictures, and why.
func (s *stream) finish(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.why = why
	s.changed.Send()
}

// capture looks again and again: often while the screen moves, seldom while it is still.
func (s *stream) capture(ctx context.Context) {
	var shown *screen.Frame
	var at, changed, looked time.Time
	for ctx.Err() == nil {
		at = time.Now()
		still := at.Sub(changed) >= s.opts.Rest
		pause := s.opts.Fast
		if still {
			pause = s.opts.Slow
		}
		look := !still || shown == nil || at.Sub(looked) >= s.opts.Check
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
				pause = s.opts.Slow
			}
		}
		s.rest(time.Since(changed))
		_ = wait.Until(ctx, max(pause-time.Since(at), s.opts.Fast/4), s.wake)
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

// look captures the phone with its state, and publishes a new picture. It returns the frame that is
// shown now, or nil if none is.
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
	if shown != nil && p.Screen == s.showing() && sameBelow(o.Bar, shown, o.Frame) {
		s.replace(p)
	} else {
		s.offer(p)
	}
	return o.Frame, nil
}

// sameBelow reports whether nothing but the status bar is another: the clock changes untouched.
func sameBelow(bar float64, a, b *screen.Frame) bool {
	return a.Size() == b.Size() && a.Fingerprint().Below(bar) == b.Fingerprint().Below(bar)
}

// encode makes the picture, smaller and smaller until it has no more bytes than it may.
func (s *stream) encode(f *screen.Frame) ([]byte, error) {
	side, quality := s.opts.Side, s.opts.Quality
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

// offer publishes a picture that differs from the last one, which somebody's touch may be why. A
// display goes off, and a phone is lost and found, by itself.
func (s *stream) offer(p Picture) {
	found := s.showing() == Lost
	if !s.replace(p) || found || p.Screen == Off || p.Screen == Lost {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved = s.moved || s.last.N > 1 && !s.sensesTouch && time.Since(s.touched) > echo
}

// replace publishes a picture when it differs from the last one.
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

// rest counts a screen that has changed without a touch through the mirror, once it is at rest.
func (s *stream) rest(since time.Duration) {
	s.mu.Lock()
	counts := s.moved && since >= s.opts.Rest && time.Since(s.touched) > echo
	if counts {
		s.moved = false
	}
	s.mu.Unlock()
	if counts {
		s.byHand()
	}
}

// byHand tells that the phone itself was touched.
func (s *stream) byHand() {
	s.mu.Lock()
	p := s.last
	p.ByHand++
	s.last.ByHand++
	s.mu.Unlock()
	s.publish(p)
}

// watchTouches tells whenever the phone itself is touched, until it cannot tell any more.
func (s *stream) watchTouches(ctx context.Context, f TouchSensor) {
	for {
		if err := f.AwaitTouch(ctx); err != nil {
			s.setSensesTouch(false)
			return
		}
		s.captureNow()
		s.byHand()
		if wait.For(ctx, s.opts.Rest) != nil {
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

// newest returns the last picture, and a channel that is closed at the next one.
func (s *stream) newest() (Picture, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, s.changed.Next()
}

// ended returns why there will be no more pictures, or nil while there may be.
func (s *stream) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// touch touches the phone, and has the screen looked at more often for a while.
func (s *stream) touch(
	ctx context.Context, do func(context.Context, actions.Surface) error,
) error {
	if s.phone == nil {
		return errors.Join(s.failed, s.ended())
	}
	s.hands.Lock()
	defer s.hands.Unlock()
	if s.showing() == "" { // places are fractions of what was looked at
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

// captureNow has the phone captured now.
func (s *stream) captureNow() {
	wait.Wake(s.wake)
}

func (s *stream) justTouched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.touched) < s.opts.Fast
}
