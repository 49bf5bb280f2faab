package runs_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// fakePhones is phones that keep their state between openings, and notices when two use one at a
// time.
type fakePhones struct {
	mu     sync.Mutex
	phones map[string]*handset
}

// set attaches a phone, or takes it away with nil.
func (f *fakePhones) set(serial string, h *handset) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if h == nil {
		delete(f.phones, serial)
		return
	}
	f.phones[serial] = h
}

type handset struct {
	serial  string
	mu      sync.Mutex
	touches []string
	open    int
	opened  int
	user    *openPhone // who has touched it and not closed it since
	clashes int
	scene   int
	front   string // the app in front
	wake    error
	refuse  error                           // of every touch
	took    time.Duration                   // of every touch
	onTouch func(ctx context.Context) error // before a touch has an effect
	panics  bool
	asks    bool // for a password, in a field that has the focus
	pad     bool // it shows one, for a PIN

	pickedUp int // looks until somebody switches the display off, 0 for never
}

// padKeys are the keys of a shuffled pad, from its upper left on, three on a line.
const padKeys = "705394186⌫2⏎"

// keyAt is the middle of a key of the pad.
func keyAt(key string) screen.Point {
	i := slices.Index([]rune(padKeys), []rune(key)[0])
	return screen.Point{X: 0.21 + 0.3*float64(i%3), Y: 0.61 + 0.1*float64(i/3)}
}

func newFakePhones(serials ...string) *fakePhones {
	f := &fakePhones{phones: map[string]*handset{}}
	for _, s := range serials {
		f.phones[s] = &handset{serial: s}
	}
	return f
}

func (f *fakePhones) List(context.Context) ([]runs.PhoneInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []runs.PhoneInfo
	for s := range f.phones {
		list = append(list, runs.PhoneInfo{Serial: s, State: "device", Usable: true})
	}
	return list, nil
}

func (f *fakePhones) Open(_ context.Context, serial string) (runs.Phone, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if serial == "" && len(f.phones) == 1 {
		for s := range f.phones {
			serial = s
		}
	}
	h := f.phones[serial]
	if h == nil {
		return nil, hint.Add(fmt.Errorf("no phone %q", serial), "plug it in")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open++
	h.opened++
	return &openPhone{handset: h}, nil
}

// unplug takes a phone away, also from who has it open.
func (f *fakePhones) unplug(serial string) *handset {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.phones[serial]
	delete(f.phones, serial)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refuse = screen.ErrDisconnected
	return h
}

func (h *handset) done() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.touches)
}

// idle reports that nobody has the phone open, and that nobody ever shared it.
func (h *handset) idle(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	require.Zero(t, h.open, "the phone is still open")
	require.Zero(t, h.clashes, "two runs touched the phone at a time")
}

// openPhone is an open phone.
type openPhone struct {
	runs.Hands // nil: runs have no use for them
	*handset
	closed bool
}

func (l *openPhone) Device() store.Device {
	return store.Device{
		ID:      l.serial,
		Size:    screen.Size{W: 54, H: 120},
		Model:   "double",
		Android: "15",
	}
}

func (l *openPhone) State(context.Context) (screen.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return screen.State{On: true, Size: screen.Size{W: 54, H: 120}, App: l.front}, nil
}

func (l *openPhone) Wake(context.Context) (screen.State, error) { return screen.State{}, l.wake }

func (l *openPhone) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.New("closed twice")
	}
	l.closed = true
	l.open--
	if l.user == l {
		l.user = nil
	}
	return nil
}

func (l *openPhone) Look(ctx context.Context) (screen.Observation, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.panics {
		panic("out of paint")
	}
	if errors.Is(l.refuse, screen.ErrDisconnected) {
		return screen.Observation{}, l.refuse
	}
	if l.pickedUp--; l.pickedUp == 0 {
		return screen.Observation{}, nil
	}
	img := image.NewRGBA(image.Rect(0, 0, 54, 120))
	v := uint8(40 + l.scene*20%200)
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{v, v, v, 255}), image.Point{},
		draw.Src)
	frame, err := screen.NewFrame(img)
	return screen.Observation{
		Frame: frame,
		State: screen.State{On: true, Size: screen.Size{W: 54, H: 120}, App: l.front},
		At:    time.Now(),
	}, err
}

func (l *openPhone) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := l.Look(ctx)
	return look.Frame, err
}

// Elements implements agentloop.Reader: a field for each text that was typed.
func (l *openPhone) Elements(context.Context) (list []screen.Element, err error) {
	for _, did := range l.done() {
		if typed, ok := strings.CutPrefix(did, "type "); ok {
			list = append(list, screen.Element{Text: typed, Editable: true})
		}
	}
	if l.pad {
		list = append(list, screen.Element{Text: "Enter your PIN"})
		for _, r := range padKeys {
			at := keyAt(string(r))
			list = append(list, screen.Element{Text: string(r), Clickable: true, Depth: 1,
				Bounds: screen.Rect{Min: screen.Point{X: at.X - 0.1, Y: at.Y - 0.04},
					Max: screen.Point{X: at.X + 0.1, Y: at.Y + 0.04}}})
		}
	}
	if l.asks {
		list = append(list, screen.Element{Password: true, Editable: true, Focused: true,
			Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 0.2}}})
	}
	return list, nil
}

func (l *openPhone) do(ctx context.Context, form string, args ...any) error {
	l.mu.Lock()
	if l.user == nil {
		l.user = l
	}
	if l.user != l {
		l.clashes++
	}
	refuse, took, onTouch := l.refuse, l.took, l.onTouch
	l.mu.Unlock()
	if onTouch != nil {
		if err := onTouch(ctx); err != nil {
			return err
		}
	}
	if refuse != nil {
		return refuse
	}
	select {
	case <-time.After(took):
	case <-ctx.Done():
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.touches = append(l.touches, fmt.Sprintf(form, args...))
	l.scene++
	return nil
}

func (l *openPhone) Tap(ctx context.Context, at screen.Point) error {
	for _, r := range padKeys {
		if l.pad && at == keyAt(string(r)) {
			return l.do(ctx, "tap %c", r)
		}
	}
	return l.do(ctx, "tap")
}
func (l *openPhone) DoubleTap(ctx context.Context, _ screen.Point) error {
	return l.do(ctx, "double tap")
}
func (l *openPhone) LongPress(ctx context.Context, _ screen.Point, _ time.Duration) error {
	return l.do(ctx, "press")
}
func (l *openPhone) Swipe(ctx context.Context, _, _ screen.Point, _ time.Duration) error {
	return l.do(ctx, "swipe")
}
func (l *openPhone) Drag(ctx context.Context, _, _ screen.Point) error { return l.do(ctx, "drag") }

func (l *openPhone) Type(ctx context.Context, text string) error {
	return l.do(ctx, "type %s", text)
}
func (l *openPhone) Clear(ctx context.Context) error { return l.do(ctx, "clear") }

func (l *openPhone) Key(ctx context.Context, k actions.Key) error {
	return l.do(ctx, "key %s", k)
}

func (l *openPhone) Relaunch(ctx context.Context, app string, used []string) error {
	return l.do(ctx, "relaunch %s unless %v", app, used)
}

func (l *openPhone) Launch(ctx context.Context, app string) error {
	return l.do(ctx, "launch %s", app)
}
