package devicetest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// HomeApp is the package of the Fake's home screen.
const HomeApp = "com.android.launcher3"

// Fake is a small phone in memory: a home screen, a few apps that each are one text field of
// several lines, a lock screen. It does no I/O and starts no goroutine, so it works in a synctest
// bubble, whose time its gestures take. The zero value is not usable: see [NewFake]. It is safe for
// concurrent use.
type Fake struct {
	mu       sync.Mutex
	apps     []App
	size     screen.Size // upright
	rotation screen.Rotation
	off      bool
	locked   bool
	pin      bool
	secure   bool
	unicode  bool
	front    string
	texts    map[string]string // by package
	touches  []Touch
	scrolled int
	hanging  chan struct{} // closed by Resume, nil while the phone answers
	gone     bool
	shown    *screen.Frame // the frame for the sum picture, nil before the first
	picture  uint32
}

// Touch is a touch as the Fake took it, in pixels of the display as it was turned.
type Touch struct {
	Verb     string // tap, doubletap, press, swipe, drag
	From, To image.Point
	Took     time.Duration
}

// NewFake is a Fake of 1080x2400, awake, unlocked, at its home screen, that types any text. Without
// apps it has Notes, Clock and Settings.
func NewFake(apps ...App) *Fake {
	if len(apps) == 0 {
		apps = []App{{"Notes", "com.android.notes"}, {"Clock", "com.android.deskclock"},
			{"Settings", "com.android.settings"}}
	}
	return &Fake{apps: apps, size: screen.Size{W: 1080, H: 2400}, unicode: true, front: HomeApp,
		texts: map[string]string{}}
}

// Set changes the phone from outside. Fields of the change that are nil change nothing.
func (f *Fake) Set(c Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set(&f.off, c.Off)
	set(&f.locked, c.Locked)
	set(&f.pin, c.PIN)
	set(&f.secure, c.Secure)
	set(&f.unicode, c.Unicode)
	set(&f.gone, c.Gone)
	set(&f.rotation, c.Rotation)
	set(&f.front, c.Front)
	if c.Text != nil {
		f.texts[f.front] = *c.Text
	}
	if c.Hang != nil && *c.Hang != (f.hanging != nil) {
		if *c.Hang {
			f.hanging = make(chan struct{})
		} else {
			close(f.hanging)
			f.hanging = nil
		}
	}
}

// Change is what a person, a cable or an app does to a Fake.
type Change struct {
	Off, Locked, PIN, Secure *bool
	Unicode                  *bool // it types any text, else ASCII only
	Hang                     *bool // it answers nothing
	Gone                     *bool // it is disconnected
	Rotation                 *screen.Rotation
	Front                    *string // package in front
	Text                     *string // in the field of the app in front
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// Front is the package in front.
func (f *Fake) Front() string { f.mu.Lock(); defer f.mu.Unlock(); return f.front }

// Text is what stands in the field of the app in front.
func (f *Fake) Text() string { f.mu.Lock(); defer f.mu.Unlock(); return f.texts[f.front] }

// Touches are all touches so far.
func (f *Fake) Touches() []Touch {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Touch(nil), f.touches...)
}

// Icon is where an app's icon is on the home screen.
func (f *Fake) Icon(pkg string) screen.Point {
	for i, a := range f.apps {
		if a.Package == pkg {
			return screen.Point{X: 0.5, Y: (float64(i) + 0.5) / float64(len(f.apps))}
		}
	}
	return screen.Point{X: -1, Y: -1}
}

// act does something on the phone after d, when it answers until then.
func (f *Fake) act(ctx context.Context, doing string, d time.Duration, do func() error) error {
	err := f.wait(ctx, d)
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		err = do()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// do is act on a display that is on.
func (f *Fake) do(ctx context.Context, doing string, d time.Duration, do func() error) error {
	return f.act(ctx, doing, d, func() error {
		if f.off {
			return screen.ErrDark
		}
		return do()
	})
}

func (f *Fake) wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f.mu.Lock()
	gone, hanging := f.gone, f.hanging
	f.mu.Unlock()
	if gone {
		return screen.ErrDisconnected
	}
	if hanging != nil {
		select {
		case <-hanging:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return wait.For(ctx, d)
}

// now returns the size of the rotated display.
func (f *Fake) now() screen.Size {
	if f.rotation%2 == 1 {
		return f.size.Turned()
	}
	return f.size
}

func (f *Fake) state() screen.State {
	return screen.State{On: !f.off, Locked: f.locked, Secure: f.secure, Rotation: f.rotation,
		Size: f.now(), App: f.front, Activity: f.front + "/.Main"}
}

// Look returns a frame of a tenth of the display's size, whose colour stands for the screen's
// content.
func (f *Fake) Look(ctx context.Context) (look screen.Observation, err error) {
	err = f.act(ctx, "looking", 0, func() error {
		look.At = time.Now()
		look.State = f.state()
		switch {
		case f.off:
			return nil
		case f.secure:
			return screen.ErrSecure
		}
		look.Frame, err = f.frame()
		return err
	})
	return look, err
}

// Frame gives Look's frame without the state.
func (f *Fake) Frame(ctx context.Context) (frame *screen.Frame, err error) {
	err = f.act(ctx, "capturing", 0, func() error {
		frame, err = f.frame()
		return err
	})
	return frame, err
}

// frame returns the same frame while the screen does not change, so that values computed from it
// are computed once.
func (f *Fake) frame() (*screen.Frame, error) {
	h := fnv.New32a()
	fmt.Fprint(h, f.front, f.texts[f.front], f.locked, f.scrolled)
	sum, size := h.Sum32(), screen.Size{W: f.now().W / 10, H: f.now().H / 10}
	if f.shown != nil && f.picture == sum && f.shown.Size() == size {
		return f.shown, nil
	}
	img := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{uint8(sum) | 0x40, uint8(sum >> 8),
		uint8(sum >> 16), 0xff}), image.Point{}, draw.Src)
	var err error
	f.picture = sum
	f.shown, err = screen.NewFrame(img)
	return f.shown, err
}

// Elements lists the apps on the home screen, or the field of the app in front. It lists nothing of
// a dark display or a window that forbids capture.
func (f *Fake) Elements(ctx context.Context) (list []screen.Element, err error) {
	err = f.act(ctx, "listing the elements", 0, func() error {
		switch {
		case f.off:
			return errors.New("the display is off")
		case f.secure:
			return screen.ErrSecure
		case f.front != HomeApp:
			list = []screen.Element{{Bounds: screen.Rect{Max: screen.Point{X: 1, Y: 1}}, Depth: 1,
				Class: "android.widget.EditText", Text: f.texts[f.front], Clickable: true,
				Editable: true, Enabled: true, Focused: true}}
			return nil
		}
		high := 1 / float64(len(f.apps))
		for i, a := range f.apps {
			list = append(list, screen.Element{Text: a.Name, Class: "android.widget.TextView",
				Clickable: true, Enabled: true, Depth: 1, Bounds: screen.Rect{
					Min: screen.Point{Y: float64(i) * high},
					Max: screen.Point{X: 1, Y: min(float64(i+1)*high, 1)}}})
		}
		return nil
	})
	return list, err
}

func (f *Fake) touch(
	ctx context.Context, verb string, from, to screen.Point, took time.Duration,
) error {
	if !from.Valid() || !to.Valid() {
		return fmt.Errorf("%s: a point of %s, %s is not on the screen", verb, from, to)
	}
	return f.do(ctx, verb, took, func() error {
		f.touches = append(f.touches, Touch{verb, from.Pixel(f.now()), to.Pixel(f.now()), took})
		if f.locked {
			return nil
		}
		switch {
		case verb == "swipe":
			f.scrolled++
		case verb == "tap" && f.front == HomeApp:
			f.front = f.apps[min(int(from.Y*float64(len(f.apps))), len(f.apps)-1)].Package
		}
		return nil
	})
}

// Tap opens the app under the point when the home screen is in front.
func (f *Fake) Tap(ctx context.Context, at screen.Point) error {
	return f.touch(ctx, "tap", at, at, 0)
}

// DoubleTap is only noted.
func (f *Fake) DoubleTap(ctx context.Context, at screen.Point) error {
	return f.touch(ctx, "doubletap", at, at, 0)
}

// LongPress is only noted.
func (f *Fake) LongPress(ctx context.Context, at screen.Point, hold time.Duration) error {
	return f.touch(ctx, "press", at, at, hold)
}

// Swipe moves the content: the frame changes.
func (f *Fake) Swipe(ctx context.Context, from, to screen.Point, took time.Duration) error {
	return f.touch(ctx, "swipe", from, to, took)
}

// Drag is only noted.
func (f *Fake) Drag(ctx context.Context, from, to screen.Point) error {
	return f.touch(ctx, "drag", from, to, time.Second)
}

// Type adds to the field of the app in front. The home screen has none, and refuses.
func (f *Fake) Type(ctx context.Context, text string) error {
	return f.do(ctx, "typing", 0, func() error {
		text = strings.ReplaceAll(text, "\r\n", "\n")
		for _, r := range text {
			if unicode.IsControl(r) && r != '\n' && r != '\t' {
				return fmt.Errorf("the text holds the control character %U", r)
			}
			if r > unicode.MaxASCII && !f.unicode {
				return fmt.Errorf("%c is not ASCII, and there is no keyboard for it", r)
			}
		}
		if !utf8.ValidString(text) {
			return fmt.Errorf("the text is not valid UTF-8")
		}
		return f.edit(func(old string) string { return old + text })
	})
}

// AwaitTouch waits for the end of ctx. A phone in memory is never touched by hand.
func (f *Fake) AwaitTouch(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// TypeByHand is Type, and does nothing where no field has the focus.
func (f *Fake) TypeByHand(ctx context.Context, text string) error {
	if err := f.Type(ctx, text); err == nil || !strings.Contains(err.Error(), noField) {
		return err
	}
	return nil
}

const noField = "no text field has the focus"

// edit changes the text in the field of the app in front.
func (f *Fake) edit(change func(old string) string) error {
	if f.front == HomeApp || f.locked {
		return errors.New(noField)
	}
	f.texts[f.front] = change(f.texts[f.front])
	return nil
}

// Clear empties the field of the app in front.
func (f *Fake) Clear(ctx context.Context) error {
	return f.do(ctx, "clearing", 0, func() error {
		return f.edit(func(string) string { return "" })
	})
}

func (f *Fake) leave() error { f.front = HomeApp; return nil }
func (f *Fake) still() error { return nil }

var fakeKeys = map[actions.Key]func(*Fake) error{
	actions.KeyBack: (*Fake).leave,
	actions.KeyHome: (*Fake).leave,
	actions.KeyEnter: func(f *Fake) error {
		return f.edit(func(old string) string { return old + "\n" })
	},
	actions.KeyDelete:     func(f *Fake) error { return f.edit(shorter) },
	actions.KeyPower:      func(f *Fake) error { f.off = true; return nil },
	actions.KeyWakeUp:     func(f *Fake) error { f.off = false; return nil },
	actions.KeyRecents:    (*Fake).still,
	actions.KeyMenu:       (*Fake).still,
	actions.KeyVolumeUp:   (*Fake).still,
	actions.KeyVolumeDown: (*Fake).still,
}

func shorter(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-n]
}

// Key presses a key.
func (f *Fake) Key(ctx context.Context, key actions.Key) error {
	return f.do(ctx, "pressing "+string(key), 0, func() error {
		press, ok := fakeKeys[key]
		if !ok {
			return fmt.Errorf("there is no key %q", key)
		}
		return press(f)
	})
}

// Launch brings the app of that name or package to the front.
func (f *Fake) Launch(ctx context.Context, app string) error {
	return f.do(ctx, "launching", 0, func() error {
		pkg, err := f.find(app)
		if err == nil {
			f.front = pkg
		}
		return err
	})
}

// Relaunch is Launch with an empty field, unless the app is one of those in use.
func (f *Fake) Relaunch(ctx context.Context, app string, used []string) error {
	return f.do(ctx, "launching", 0, func() error {
		pkg, err := f.find(app)
		if err != nil {
			return err
		}
		if !slices.Contains(used, pkg) {
			delete(f.texts, pkg)
		}
		f.front = pkg
		return nil
	})
}

func (f *Fake) find(app string) (string, error) {
	var all []string
	for _, a := range f.apps {
		if strings.EqualFold(strings.TrimSpace(app), a.Name) || app == a.Package {
			return a.Package, nil
		}
		all = append(all, a.Name+" ("+a.Package+")")
	}
	return "", fmt.Errorf("no installed app is called %q; there are %s", app,
		strings.Join(all, ", "))
}

// Wake switches the display on and opens the lock screen when it has no PIN, see device.Phone.
func (f *Fake) Wake(ctx context.Context) (s screen.State, err error) {
	err = f.act(ctx, "waking", 0, func() error {
		f.off = false
		if f.locked && f.pin {
			return screen.ErrLocked
		}
		f.locked = false
		s = f.state()
		return nil
	})
	return s, err
}
