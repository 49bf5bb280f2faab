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

// Phone is the part of a phone that a mirror uses. It must be safe for concurrent use.
type Phone interface {
	actions.Surface
	// Look captures a frame and the state. It returns screen.ErrSecure if the window forbids
	// capture.
	Look(ctx context.Context) (screen.Observation, error)
	// Frame captures a frame only. It returns the same Frame again while the screen is unchanged.
	Frame(ctx context.Context) (*screen.Frame, error)
	// Wake switches the display on. It returns screen.ErrLocked if a person has to unlock the
	// phone.
	Wake(ctx context.Context) (screen.State, error)
	// TypeByHand types a text. It sends keys if no field has the focus.
	TypeByHand(ctx context.Context, text string) error
	Close() error
}

// touched is a Phone for a person who sees it. The power key works while the display is off, and
// text can be typed without a focused field.
type touched struct{ Phone }

// Type types a text.
func (p touched) Type(ctx context.Context, text string) error { return p.TypeByHand(ctx, text) }

// Key presses the key.
func (p touched) Key(ctx context.Context, key actions.Key) error {
	switch key {
	case actions.KeyEnter:
		return p.TypeByHand(ctx, "\n")
	case actions.KeyWakeUp:
		if _, err := p.Wake(ctx); !errors.Is(err, screen.ErrLocked) {
			return err
		}
		return nil
	}
	return p.Phone.Key(ctx, key)
}

// TouchSensor is a Phone that can report touches of its own screen.
type TouchSensor interface {
	// AwaitTouch returns nil once somebody touches the phone's screen. It returns ctx's error, or
	// another one if touches cannot be observed.
	AwaitTouch(ctx context.Context) error
}

// Options configure a Mirror. Open must be set.
type Options struct {
	Open func(ctx context.Context, serial string) (Phone, error)

	MaxBytes int          // of a picture, which is made smaller to fit, 200 KiB by default
	Log      *slog.Logger // nil discards
}

const (
	longest   = 1200                    // side of a picture in pixels
	quality   = 60                      // of the JPEG
	fast      = 200 * time.Millisecond  // between captures while the screen changes
	slow      = 1500 * time.Millisecond // between captures while the screen is still
	restful   = 2 * time.Second         // time without a change until the screen is still
	checkTime = 10 * time.Second        // between reads of the state while the screen is still
)

func (o Options) withDefaults() Options {
	o.MaxBytes = cmp.Or(o.MaxBytes, 200<<10)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}

// Mirror shows phones. It is safe for concurrent use.
type Mirror struct {
	opts Options

	ctx    context.Context // the lifetime of all captures, ended by Close
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	streams map[string]*stream // by serial
	closed  bool
}

// ErrClosed is returned to viewers after the mirror is closed.
var ErrClosed = errors.New("the live picture has ended: the server is closing")

// New returns a mirror. It starts no goroutine before the first Watch. The caller must close it.
func New(opts *Options) *Mirror {
	m := &Mirror{opts: opts.withDefaults(), streams: map[string]*stream{}}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	return m
}

// Close ends all captures and waits for them. Viewers get ErrClosed.
func (m *Mirror) Close() error {
	m.mu.Lock()
	m.closed = true
	m.cancel(ErrClosed)
	m.mu.Unlock()
	m.wg.Wait()
	return nil
}

// Watch starts viewing a phone. The caller must close the viewer.
func (m *Mirror) Watch(serial string) *Viewer {
	s, done := m.use(serial)
	return &Viewer{stream: s, done: done}
}

// Touch calls do with the phone. Calls for one phone do not overlap. Positions are fractions of the
// shown picture.
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

// use returns the stream of the phone, shared by all viewers. The caller must call done once.
func (m *Mirror) use(serial string) (s *stream, done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s = m.streams[serial]; s == nil {
		s = &stream{opts: m.opts, serial: serial, opened: make(chan struct{}),
			wake: make(chan struct{}, 1)}
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

// drop makes the next viewer start a new stream. The caller holds the lock.
func (m *Mirror) drop(s *stream) {
	if m.streams[s.serial] == s {
		delete(m.streams, s.serial)
	}
}

var errUnwatched = errors.New("nobody looks any more")
