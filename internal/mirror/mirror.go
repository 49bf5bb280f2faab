package mirror

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Phone is what a mirror needs of a phone. Its methods may be called by several goroutines.
type Phone interface {
	actions.Surface
	// Look captures a frame with the state. A window that forbids capture is screen.ErrSecure.
	Look(ctx context.Context) (screen.Observation, error)
	// Frame captures a frame alone. One that shows the same as the one before is the same Frame.
	Frame(ctx context.Context) (*screen.Frame, error)
	// Wake switches the display on. screen.ErrLocked says that a person has to unlock it.
	Wake(ctx context.Context) error
	// TypeByHand types a text, as keys where no field has the focus.
	TypeByHand(ctx context.Context, text string) error
	Close() error
}

// touched is a Phone in the hands of a person, who sees it: its display can be switched on by its
// key, although it takes no touches while it is dark, and it takes keys without a field.
type touched struct{ Phone }

// Type types a text.
func (p touched) Type(ctx context.Context, text string) error { return p.TypeByHand(ctx, text) }

// Key presses the key.
func (p touched) Key(ctx context.Context, key actions.Key) error {
	switch key {
	case actions.KeyEnter:
		return p.TypeByHand(ctx, "\n")
	case actions.KeyWakeUp:
		if err := p.Wake(ctx); !errors.Is(err, screen.ErrLocked) {
			return err
		}
		return nil
	}
	return p.Phone.Key(ctx, key)
}

// TouchSensor is a Phone that can tell when somebody touches it by hand.
type TouchSensor interface {
	// AwaitTouch returns nil once somebody touches the phone itself, and any error but ctx's when
	// it cannot tell.
	AwaitTouch(ctx context.Context) error
}

// Options of a Mirror. Open has to be there.
type Options struct {
	Open func(ctx context.Context, serial string) (Phone, error)

	Side     int // the longest side of a picture, 0 means 1200
	Quality  int // of its JPEG, 0 means 60
	MaxBytes int // of one picture, which is made smaller until it fits, 0 means 200 KiB

	Fast  time.Duration // between two captures while the screen moves, 0 means 200 ms
	Slow  time.Duration // the same while it is still, 0 means 1.5 s
	Rest  time.Duration // without a change makes it still, 0 means 2 s
	Check time.Duration // between two looks at the state while it is still, 0 means 10 s

	Log *slog.Logger // nil discards
}

func (o Options) withDefaults() Options {
	o.Side = cmp.Or(o.Side, 1200)
	o.Quality = cmp.Or(o.Quality, 60)
	o.MaxBytes = cmp.Or(o.MaxBytes, 200<<10)
	o.Fast = cmp.Or(o.Fast, 200*time.Millisecond)
	o.Slow = cmp.Or(o.Slow, 1500*time.Millisecond)
	o.Rest = cmp.Or(o.Rest, 2*time.Second)
	o.Check = cmp.Or(o.Check, 10*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Mirror shows phones. It is safe for concurrent use.
type Mirror struct {
	opts Options

	ctx    context.Context // of all captures: it ends with Close
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	streams map[string]*stream // by serial
	closed  bool
}

// ErrClosed is what viewers get when the mirror is closed.
var ErrClosed = errors.New("the live picture has ended: the server is closing")

// New makes a mirror. It starts no goroutine before somebody looks. The caller closes it.
func New(opts *Options) *Mirror {
	m := &Mirror{opts: opts.withDefaults(), streams: map[string]*stream{}}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	return m
}

// Close ends all captures, and waits for them. Viewers get ErrClosed.
func (m *Mirror) Close() error {
	m.mu.Lock()
	m.closed = true
	m.cancel(ErrClosed)
	m.mu.Unlock()
	m.wg.Wait()
	return nil
}

// Watch begins to look at a phone. The caller closes the viewer.
func (m *Mirror) Watch(serial string) *Viewer {
	s, done := m.use(serial)
	return &Viewer{stream: s, done: done}
}

// Touch calls do for the phone, one call at a time, with places as fractions of the shown picture.
func (m *Mirror) Touch(
	ctx context.Context, serial string, do func(context.Context, actions.Surface) error,
) error {
	s, done := m.use(serial)
	defer done()
	select {
	case <-s.opened:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.ctx.Done():
		return ErrClosed
	}
	return s.touch(ctx, do)
}

// use returns the stream of the phone, which all viewers share. The caller calls done once.
func (m *Mirror) use(serial string) (s *stream, done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s = m.streams[serial]; s == nil {
		s = newStream(m.opts, serial)
		ctx, cancel := context.WithCancelCause(m.ctx)
		s.end = cancel
		m.streams[serial] = s
		if m.closed {
			close(s.opened)
			s.finish(ErrClosed)
		} else {
			m.wg.Go(func() {
				why := s.run(ctx)
				m.forget(s) // the next viewer starts a new stream
				s.finish(why)
			})
		}
	}
	s.users++
	return s, sync.OnceFunc(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if s.users--; s.users == 0 {
			s.end(errUnwatched)
			m.drop(s)
		}
	})
}

func (m *Mirror) forget(s *stream) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(s)
}

// drop makes the next viewer start a new stream. The lock is held.
func (m *Mirror) drop(s *stream) {
	if m.streams[s.serial] == s {
		delete(m.streams, s.serial)
	}
}

var errUnwatched = errors.New("nobody looks any more")
