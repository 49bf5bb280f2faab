package phone_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/screen"
)

// finger writes down where it touches, and which keys it presses.
type finger struct {
	at   []screen.Point
	keys []actions.Key
}

func (f *finger) touch(at ...screen.Point) error { f.at = append(f.at, at...); return nil }

func (f *finger) Tap(_ context.Context, at screen.Point) error       { return f.touch(at) }
func (f *finger) DoubleTap(_ context.Context, at screen.Point) error { return f.touch(at) }
func (f *finger) LongPress(_ context.Context, at screen.Point, _ time.Duration) error {
	return f.touch(at)
}
func (f *finger) Swipe(_ context.Context, from, to screen.Point, _ time.Duration) error {
	return f.touch(from, to)
}
func (f *finger) Drag(_ context.Context, from, to screen.Point) error { return f.touch(from, to) }
func (f *finger) Type(context.Context, string) error                  { return nil }
func (f *finger) Clear(context.Context) error                         { return nil }
func (f *finger) Launch(context.Context, string) error                { return nil }
func (f *finger) Key(_ context.Context, k actions.Key) error {
	f.keys = append(f.keys, k)
	return nil
}

// button is a screen that has a button to pay with from one point to the other.
func button(from, to screen.Point) screen.Observation {
	e := at(0, 0, 1, 1, "Pay $79.00", 0, true)
	e.Class, e.Bounds = "android.widget.Button", screen.Rect{Min: from, Max: to}
	return screen.Observation{Elements: []screen.Element{e}, State: screen.State{App: "com.shop",
		Size: screen.Size{W: 1080, H: 2400}}}
}

func allowed(t *testing.T, look screen.Observation, a actions.Action) bool {
	t.Helper()
	p, err := guard.New(nil)
	require.NoError(t, err)
	v, err := phone.New(p, nil).Check(t.Context(), agentloop.Situation{Screen: look,
		Progress: agentloop.Progress{Task: "look around"}}, actions.Decision{Action: a})
	require.NoError(t, err)
	return v.Allowed()
}

// aimed is the action with every point that it has, wherever it keeps it, at p, and what else it
// needs.
func aimed(v reflect.Value, p screen.Point) (points int) {
	switch field := v.Addr().Interface().(type) {
	case *screen.Point:
		*field = p
		return 1
	case *actions.Direction:
		*field = actions.Down
	case *actions.Key:
		*field = actions.KeyEnter
	case *string:
		*field = "x\n"
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return aimed(v.Elem(), p)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return aimed(v.Index(0), p)
	case reflect.Struct:
		for i := range v.NumField() {
			points += aimed(v.Field(i), p)
		}
	}
	return points
}

// Whatever touches a button, or presses the enter key while it has the focus, is judged as what may
// press it: where it really touches, and not where it says that it does.
func TestEveryActionIsJudgedWhereItTouches(t *testing.T) {
	touching := 0
	for _, zero := range actions.Vocabulary() {
		v := reflect.New(reflect.TypeOf(zero)).Elem()
		points := aimed(v, screen.Point{X: 0.5, Y: 0.6})
		a := v.Interface().(actions.Action)
		gesture, is := a.(actions.Gesture)
		if !is || a.Traits().Passive {
			require.Zero(t, points, a.Verb())
			continue
		}
		var f finger
		require.NoError(t, gesture.Do(t.Context(), &f))
		require.Equal(t, points > 0, len(f.at) > 0, "%s: it touches where it has a point", a.Verb())
		if len(f.at) > 0 {
			touching++
			low, high := f.at[0], f.at[0]
			for _, p := range f.at {
				require.Contains(t, a.Traits().Points, p, a.Verb())
				low = screen.Point{X: min(low.X, p.X), Y: min(low.Y, p.Y)}
				high = screen.Point{X: max(high.X, p.X), Y: max(high.Y, p.Y)}
			}
			low, high = screen.Point{X: low.X - 0.1, Y: low.Y - 0.01},
				screen.Point{X: high.X + 0.1, Y: high.Y + 0.01}
			require.False(t, allowed(t, button(low, high), a), actions.Describe(a))
		}
		for _, k := range f.keys {
			look := button(screen.Point{X: 0.1, Y: 0.1}, screen.Point{X: 0.2, Y: 0.2})
			look.Elements[0].Focused = true
			require.Equal(t, k == actions.KeyEnter, !allowed(t, look, a), actions.Describe(a))
		}
	}
	require.GreaterOrEqual(t, touching, 7)
}

// A finger that is drawn from a button presses it while it is hardly off it, on screens of any
// shape: 8 dp are a twentieth of the smallest watch.
func TestAShortWayPressesWhatItBeginsOn(t *testing.T) {
	const right, bottom, quick, slow = 0.6, 0.7, 100 * time.Millisecond, 20 * time.Second
	look := button(screen.Point{X: 0.4, Y: 0.65}, screen.Point{X: right, Y: bottom})
	for name, c := range map[string]struct {
		size   screen.Size
		dx, dy float64 // pixels from near the button's lower right corner
		took   time.Duration
		asked  bool
	}{
		"less than a pixel":           {screen.Size{W: 1080, H: 2400}, 0.01, 0, 0, true},
		"the slop of a phone":         {screen.Size{W: 1080, H: 2400}, 21, 0, quick, true},
		"the slop, downwards":         {screen.Size{W: 1080, H: 2400}, 0, 21, quick, true},
		"the slop of a watch":         {screen.Size{W: 384, H: 384}, 16, 0, quick, true},
		"the slop of a small display": {screen.Size{W: 480, H: 640}, 18, 0, quick, true},
		"the slop, turned":            {screen.Size{W: 2400, H: 1080}, 0, 21, quick, true},
		"the slop of a tablet":        {screen.Size{W: 2560, H: 1600}, 0, 18, quick, true},
		"held before it goes":         {screen.Size{W: 1080, H: 2400}, 0, 400, slow, true},
		"a way that scrolls":          {screen.Size{W: 1080, H: 2400}, 0, 700, quick, false},
	} {
		t.Run(name, func(t *testing.T) {
			look.State.Size = c.size
			from := screen.Point{X: right - 0.001, Y: bottom - 0.001}
			to := screen.Point{X: from.X + c.dx/float64(c.size.W),
				Y: from.Y + c.dy/float64(c.size.H)}
			require.Equal(t, c.asked,
				!allowed(t, look, actions.Slide{From: from, To: to, Took: c.took}))
		})
	}
}

// A finger that leaves what it came down on, by less than what Android takes for still, presses it
// all the same, however far it went.
func TestAWayThatEndsBesideTheButtonPressesIt(t *testing.T) {
	look := button(screen.Point{X: 0.1, Y: 0.65}, screen.Point{X: 0.9, Y: 0.7})
	for beyond, asked := range map[float64]bool{-0.1: true, 0.01: true, 0.019: true, 0.095: false} {
		a := actions.Slide{From: screen.Point{X: 0.2, Y: 0.68},
			To: screen.Point{X: 0.9 + beyond, Y: 0.68}, Took: 300 * time.Millisecond}
		require.Equal(t, asked, !allowed(t, look, a), "%v beyond it", beyond)
		require.False(t, allowed(t, look, actions.Drag{From: a.From, To: a.To}),
			"what is picked up is held, however far it is carried")
	}
}

// What lies at the edge of the screen is touched by a finger on the edge, and what begins at a
// pixel by a finger that comes to that pixel.
func TestTheEdgeIsPartOfWhatLiesThere(t *testing.T) {
	const pixel29 = 29.0 / 100 // which comes to pixel 28
	for name, c := range map[string]struct{ from, to, finger screen.Point }{
		"below":    {screen.Point{Y: 0.9}, screen.Point{X: 1, Y: 1}, screen.Point{X: 0.5, Y: 1}},
		"right":    {screen.Point{X: 0.7}, screen.Point{X: 1, Y: 0.1}, screen.Point{X: 1}},
		"rounding": {screen.Point{}, screen.Point{X: pixel29, Y: 1}, screen.Point{X: pixel29}},
	} {
		look := button(c.from, c.to)
		look.State.Size, look.Elements[0].Text = screen.Size{W: 100, H: 200}, "Delete"
		require.False(t, allowed(t, look, actions.Click{At: c.finger}), name)
	}
}

// A tab may leave the field, and the enter key then presses what is next: an icon, say, that nobody
// has seen to have the focus.
func TestEnterBehindATabIsBlind(t *testing.T) {
	look := button(screen.Point{}, screen.Point{X: 1, Y: 0.1})
	e := &look.Elements[0]
	e.Text, e.Class, e.Editable, e.Focused = "", "android.widget.EditText", true, true
	for text, submit := range map[string]bool{"\t\n": false, "x\n\t\n": false, "x\t\ny": false,
		"\t": true, "x\t": true} {
		require.False(t, allowed(t, look, actions.Type{Text: text, Submit: submit}), "%q", text)
	}
	for text, submit := range map[string]bool{"\t": false, "a\tb\nc\td": false, "a\tb": true} {
		require.True(t, allowed(t, look, actions.Type{Text: text, Submit: submit}), "%q", text)
	}
}

// Where nothing is listed in the lower right corner, a keyboard's enter key may be.
func TestAKeyboardsEnterKeyIsOne(t *testing.T) {
	look := button(screen.Point{}, screen.Point{X: 1, Y: 0.1})
	page, field := at(0, 0, 10, 10, "", 0, false), at(0, 5, 8, 6, "Type a message", 1, true)
	field.Class, field.Editable, field.Focused = "android.widget.EditText", true, true
	look.Elements = []screen.Element{page, field}
	enter, letter := screen.Point{X: 0.93, Y: 0.92}, screen.Point{X: 0.5, Y: 0.8}
	require.False(t, allowed(t, look, actions.Click{At: enter}))
	require.True(t, allowed(t, look, actions.Click{At: letter}))
	look.Elements[1].Text = "Search"
	require.True(t, allowed(t, look, actions.Click{At: enter}))
	look.Elements[1].Text, look.Elements[1].Focused = "Type a message", false
	require.True(t, allowed(t, look, actions.Click{At: enter}), "no keyboard is shown")
}

// A large button is known by its few words, wherever the finger is on it, and a large card is not
// what a button in it is.
func TestALargeButtonHasItsLabelEverywhere(t *testing.T) {
	look := button(screen.Point{}, screen.Point{X: 1, Y: 0.1})
	low := actions.Click{At: screen.Point{X: 0.5, Y: 0.88}}
	card, label := at(0, 6, 10, 9, "", 1, true), at(3, 6, 7, 6.4, "Delete", 2, false)
	look.Elements = []screen.Element{at(0, 0, 10, 10, "", 0, false), card, label}
	require.False(t, allowed(t, look, low))
	look.Elements[2].Clickable = true
	require.True(t, allowed(t, look, low), "a button in a card")
}
