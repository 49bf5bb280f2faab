package mirror_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/mirror"
	"github.com/taploop/taploop/internal/screen"
)

// phone is a phone in memory that counts what it is asked.
type phone struct {
	actions.Surface // nil: only taps are touches here

	mu      sync.Mutex
	shown   *screen.Frame
	bar     float64 // of the status bar
	state   screen.State
	err     error // of every capture
	looks   int
	frames  int
	opened  int
	closed  int
	touches int
}

func newPhone(t testing.TB) *phone {
	p := &phone{state: screen.State{On: true, Size: screen.Size{W: 108, H: 240}}}
	p.draw(t, 1)
	return p
}

// draw shows another screen.
func (p *phone) draw(t testing.TB, n uint8) {
	img := image.NewRGBA(image.Rect(0, 0, 108, 240))
	of := image.NewUniform(color.RGBA{n * 60, n * 5, 90, 255})
	draw.Draw(img, img.Bounds(), of, image.Point{}, draw.Src)
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shown = f
}

func (p *phone) set(f func(p *phone)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

func (p *phone) Look(context.Context) (screen.Observation, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looks++
	o := screen.Observation{State: p.state, At: time.Now()}
	o.Bar = p.bar
	if p.state.On && p.err == nil {
		o.Frame = p.shown
	}
	return o, p.err
}

func (p *phone) Frame(context.Context) (*screen.Frame, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames++
	return p.shown, p.err
}

func (p *phone) Tap(context.Context, screen.Point) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.touches++
	return nil
}

func (p *phone) Key(context.Context, actions.Key) error { return screen.ErrDark }

func (p *phone) TypeByHand(context.Context, string) error { return screen.ErrDark }

func (p *phone) Wake(context.Context) (screen.State, error) {
	p.set(func(p *phone) { p.state.On, p.state.Locked = true, true })
	return screen.State{}, screen.ErrLocked
}

func (p *phone) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed++
	return nil
}

func (p *phone) captures() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.looks + p.frames
}

// touchSensor is a phone that tells when it is touched by hand.
type touchSensor struct {
	*phone
	touched chan error
}

func (f *touchSensor) AwaitTouch(ctx context.Context) error {
	select {
	case err := <-f.touched:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func open(p mirror.Phone) func(context.Context, string) (mirror.Phone, error) {
	return func(context.Context, string) (mirror.Phone, error) {
		switch p := p.(type) {
		case *phone:
			p.set(func(p *phone) { p.opened++ })
		case *touchSensor:
			p.set(func(p *phone) { p.opened++ })
		}
		return p, nil
	}
}

// bubble runs a test with a mirror of the phone, in a bubble of its own.
func bubble(t *testing.T, test func(t *testing.T, p *phone, m *mirror.Mirror)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPhone(t)
		m := mirror.New(&mirror.Options{Open: open(p)})
		test(t, p, m)
		require.NoError(t, m.Close())
		require.Equal(t, p.opened, p.closed)
	})
}

func next(t testing.TB, v *mirror.Viewer) mirror.Picture {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := v.Next(ctx)
	require.NoError(t, err)
	return p
}

func TestAPhoneIsCapturedOnceForAllViewers(t *testing.T) {
	bubble(t, func(t *testing.T, p *phone, m *mirror.Mirror) {
		time.Sleep(time.Minute)
		require.Zero(t, p.captures(), "nobody looks")
		var viewers []*mirror.Viewer
		for range 10 {
			v := m.Watch("A")
			viewers = append(viewers, v)
			require.Equal(t, mirror.Shown, next(t, v).Screen)
		}
		time.Sleep(10 * time.Second)
		before := p.captures()
		time.Sleep(time.Minute)
		require.LessOrEqual(t, p.captures()-before, 50, "while nothing moves")
		require.Equal(t, 1, p.opened)
		for _, v := range viewers {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			_, err := v.Next(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded, "what has not changed is not sent")
			cancel()
			v.Close()
		}
		synctest.Wait()
		before = p.captures()
		time.Sleep(time.Minute)
		require.Equal(t, before, p.captures(), "nobody looks any more")
		require.Equal(t, 1, p.closed)
	})
}

func TestASlowViewerSkipsPicturesAndHoldsUpNobody(t *testing.T) {
	bubble(t, func(t *testing.T, p *phone, m *mirror.Mirror) {
		slow, quick := m.Watch("A"), m.Watch("A")
		defer slow.Close()
		defer quick.Close()
		next(t, slow)
		next(t, quick)
		seen := 0
		began := time.Now()
		for n := uint8(2); n < 52; n++ {
			p.draw(t, n)
			next(t, quick)
			seen++
		}
		took := time.Since(began)
		require.Equal(t, 50, seen)
		require.GreaterOrEqual(t, took, 49*200*time.Millisecond, "at most 5 pictures a second")
		require.Less(t, took, 15*time.Second)
		got := next(t, slow)
		require.EqualValues(t, 51, got.N, "the newest, and none of those in between")
	})
}

func TestWhatCannotBeSeenIsSaid(t *testing.T) {
	bubble(t, func(t *testing.T, p *phone, m *mirror.Mirror) {
		v := m.Watch("A")
		defer v.Close()
		require.Equal(t, mirror.Shown, next(t, v).Screen)
		lost := errors.New("cable")
		for _, c := range []struct {
			change func(p *phone)
			want   mirror.Screen
		}{
			{func(p *phone) { p.err = screen.ErrSecure }, mirror.Secure},
			{func(p *phone) { p.err, p.state.Secure = nil, true }, mirror.Secure},
			{func(p *phone) { p.state.On, p.state.Secure = false, false }, mirror.Off},
			{func(p *phone) { p.state.On, p.state.Locked = true, true }, mirror.Locked},
			{func(p *phone) { p.err = lost }, mirror.Lost},
			{func(p *phone) { p.err, p.state.Locked = nil, false }, mirror.Shown},
		} {
			p.set(c.change)
			got := next(t, v)
			for got.Screen != c.want { // the one before, which changed by itself
				got = next(t, v)
			}
			require.Equal(t, c.want == mirror.Shown || c.want == mirror.Locked, got.JPEG != nil)
			if c.want == mirror.Lost {
				require.ErrorIs(t, got.Err, lost)
			}
		}
	})
}

func TestATouchIsSeenSoon(t *testing.T) {
	bubble(t, func(t *testing.T, p *phone, m *mirror.Mirror) {
		v := m.Watch("A")
		defer v.Close()
		next(t, v)
		time.Sleep(time.Hour)
		began := time.Now()
		require.NoError(t, m.Touch(t.Context(), "A",
			func(ctx context.Context, s actions.Surface) error {
				p.draw(t, 9)
				return s.Tap(ctx, screen.Point{X: 0.5, Y: 0.5})
			}))
		require.Zero(t, next(t, v).ByHand, "it was not done on the phone itself")
		require.Less(t, time.Since(began), 300*time.Millisecond)
		require.Equal(t, 1, p.opened, "the phone that is shown is touched")
		require.Equal(t, 1, p.touches)
		time.Sleep(time.Minute)
		p.draw(t, 8)
		next(t, v)
		require.Equal(t, 1, next(t, v).ByHand, "it changed by itself, and came to rest")
	})
}

func TestWhatChangesByItselfIsNoTouch(t *testing.T) {
	bubble(t, func(t *testing.T, p *phone, m *mirror.Mirror) {
		p.bar = 0.05
		v := m.Watch("A")
		defer v.Close()
		next(t, v)
		byHand := func() int {
			time.Sleep(time.Minute)
			return next(t, v).ByHand
		}
		clock := image.NewRGBA(image.Rect(0, 0, 108, 240))
		draw.Draw(clock, clock.Bounds(), p.shown.Image(), image.Point{}, draw.Src)
		draw.Draw(clock, image.Rect(4, 2, 30, 10), image.White, image.Point{}, draw.Src)
		f, err := screen.NewFrame(clock)
		require.NoError(t, err)
		p.set(func(p *phone) { p.shown = f })
		require.Zero(t, byHand(), "the clock in the status bar")
		p.set(func(p *phone) { p.state.On = false })
		require.Zero(t, byHand(), "the display goes off")
		p.set(func(p *phone) { p.state.On = true })
		require.Equal(t, 1, byHand(), "somebody switches it on")
		p.draw(t, 2)
		require.Equal(t, 2, byHand())
	})
}

func TestADarkPhoneIsWoken(t *testing.T) {
	bubble(t, func(t *testing.T, p *phone, m *mirror.Mirror) {
		p.set(func(p *phone) { p.state.On = false })
		v := m.Watch("A")
		defer v.Close()
		require.Equal(t, mirror.Off, next(t, v).Screen)
		press := func(key actions.Key) error {
			return m.Touch(t.Context(), "A",
				func(ctx context.Context, s actions.Surface) error { return s.Key(ctx, key) })
		}
		require.ErrorIs(t, press(actions.KeyHome), screen.ErrDark)
		require.NoError(t, press(actions.KeyWakeUp))
		require.Equal(t, mirror.Locked, next(t, v).Screen)
	})
}

func TestAPhoneTellsThatItIsTouchedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &touchSensor{newPhone(t), make(chan error)}
		m := mirror.New(&mirror.Options{Open: open(f)})
		v := m.Watch("A")
		next(t, v)
		f.draw(t, 2)
		require.Zero(t, next(t, v).ByHand)
		time.Sleep(time.Minute)
		f.touched <- nil
		require.Equal(t, 1, next(t, v).ByHand)
		f.touched <- errors.New("no permission")
		f.draw(t, 3)
		next(t, v)
		require.Equal(t, 2, next(t, v).ByHand, "then its screen tells")
		v.Close()
		require.NoError(t, m.Close())
	})
}

func TestAPhoneThatCannotBeOpenedIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, gone := newPhone(t), errors.New("no phone")
		fails := true
		m := mirror.New(&mirror.Options{
			Open: func(ctx context.Context, serial string) (mirror.Phone, error) {
				if fails {
					return nil, gone
				}
				return open(p)(ctx, serial)
			}})
		v := m.Watch("A")
		require.ErrorIs(t, next(t, v).Err, gone)
		_, err := v.Next(t.Context())
		require.ErrorIs(t, err, gone)
		require.ErrorIs(t, m.Touch(t.Context(), "A", nil), gone)
		fails = false
		again := m.Watch("A")
		require.Equal(t, mirror.Shown, next(t, again).Screen)
		require.NoError(t, m.Close())
		_, err = again.Next(t.Context())
		require.ErrorIs(t, err, mirror.ErrClosed)
		_, err = m.Watch("A").Next(t.Context())
		require.ErrorIs(t, err, mirror.ErrClosed)
	})
}

func TestAPictureHasAtMostSoManyBytes(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32()) | byte(i%4/3*255)
	}
	noise, err := screen.NewFrame(img)
	require.NoError(t, err)
	p := newPhone(t)
	p.shown = noise
	m := mirror.New(&mirror.Options{Open: open(p), MaxBytes: 50 << 10})
	v := m.Watch("A")
	got := next(t, v)
	require.LessOrEqual(t, len(got.JPEG), 50<<10)
	require.NotEmpty(t, got.JPEG)
	v.Close()
	require.NoError(t, m.Close())
}
