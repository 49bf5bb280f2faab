package devicetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// clause is one of the contract's, with the fields that a Subject has to have for it.
type clause struct {
	name  string
	test  func(t *testing.T, s Subject)
	needs string
}

var parts = []clause{
	{"Look shows the screen and what it is", looks, ""},
	{"Look follows the rotation", turns, "Rotate"},
	{"Look has no frame when the display is off", looksAtDark, "Off"},
	{"Look does not take a black secure screen for content", looksAtSecure, "Secure"},
	{"Elements lists what is on the screen, at its place", lists, "Front Home"},
	{"Elements follows the rotation", listsTurned, "Rotate Front Home"},
	{"Elements shows what is typed", listsField, "Field"},
	{"Elements tells nothing of what may not be seen", listsNothing, "Secure Off"},
	{"Points beyond the screen are refused", refusesPoints, ""},
	{"Key", keys, "Front Home"},
	{"Type types exactly or refuses", types, "Field"},
	{"Nothing is typed without a field", typesNowhere, "Front Home"},
	{"Clear empties the field", clears, "Field"},
	{"Launch opens what is meant, and nothing else", launches, "Front"},
	{"Relaunch begins an app anew", relaunches, "Front Home Field"},
	{"Wake", wakes, "Off"},
	{"Wake opens a lock screen without a PIN", unlocks, "Lock"},
	{"Wake stops at a PIN", stopsAtPIN, "LockedPIN"},
	{"A cancelled call does nothing", cancelledBefore, ""},
	{"A call ends when it is cancelled", cancelledDuring, "Hang"},
	{"A phone that hangs ends at the deadline", hangs, "Hang"},
	{"A phone that is gone says so, and comes back", disconnects, "Disconnect"},
}

// Run runs the contract. fresh makes a subject for one part of it, and cleans up through t.
func Run(t *testing.T, fresh func(t *testing.T) Subject) {
	all := slices.Clone(parts)
	for name := range gestures(nil, Target{}) {
		all = append(all, clause{name, func(t *testing.T, s Subject) { touches(t, s, name) },
			"Touches." + name})
	}
	for _, part := range all {
		t.Run(part.name, func(t *testing.T) {
			s := fresh(t)
			if !s.has(strings.Fields(part.needs)) {
				t.Log("left out: it cannot be seen or brought about on this phone")
				return
			}
			part.test(t, s)
			if s.Canary != nil {
				require.NoError(t, s.Canary())
			}
		})
	}
}

// has reports whether the subject has these fields, or touches.
func (s Subject) has(fields []string) bool {
	return !slices.ContainsFunc(fields, func(name string) bool {
		if touch, is := strings.CutPrefix(name, "Touches."); is {
			return s.Touches[touch] == nil
		}
		return reflect.ValueOf(s).FieldByName(name).IsNil()
	})
}

// gestures is each touch of p, by name.
func gestures(p Surface, g Target) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"Tap":       func(ctx context.Context) error { return p.Tap(ctx, g.At) },
		"DoubleTap": func(ctx context.Context) error { return p.DoubleTap(ctx, g.At) },
		"LongPress": func(ctx context.Context) error {
			return p.LongPress(ctx, g.At, 800*time.Millisecond)
		},
		"Swipe": func(ctx context.Context) error {
			return p.Swipe(ctx, g.At, g.To, 200*time.Millisecond)
		},
		"Drag": func(ctx context.Context) error { return p.Drag(ctx, g.At, g.To) },
	}
}

func looks(t *testing.T, s Subject) {
	look := see(t, s)
	require.True(t, look.State.On)
	require.False(t, look.State.Locked)
	require.True(t, look.State.Size.Valid())
	require.GreaterOrEqual(t, int(look.State.Rotation), 0)
	require.LessOrEqual(t, int(look.State.Rotation), 3)
	require.WithinDuration(t, time.Now(), look.At, time.Minute)
	require.Equal(t, look.State.Size.Landscape(), look.Frame.Size().Landscape(),
		"the frame is turned as the display is")
	if s.Front != nil {
		require.Equal(t, s.Front(), look.State.App)
	}
}

func turns(t *testing.T, s Subject) {
	upright := see(t, s).State.Size
	for _, r := range []screen.Rotation{1, 3, 0} {
		s.Rotate(t, r)
		look := see(t, s)
		require.Equal(t, r, look.State.Rotation)
		want := upright
		if r%2 == 1 {
			want = upright.Turned()
		}
		require.Equal(t, want, look.State.Size)
		require.Equal(t, want.Landscape(), look.Frame.Size().Landscape())
		frame, err := s.Phone.Frame(t.Context())
		require.NoError(t, err)
		require.Equal(t, look.Frame.Size(), frame.Size())
		require.Less(t, look.Frame.Fingerprint().Distance(frame.Fingerprint()), 0.05)
		if s.Touches["Tap"] != nil {
			touched(t, s, "Tap", s.Touches["Tap"](t))
		}
	}
}

func looksAtDark(t *testing.T, s Subject) {
	s.Off(t)
	look, err := s.Phone.Look(t.Context())
	require.NoError(t, err)
	require.False(t, look.State.On)
	require.Nil(t, look.Frame)
	untouched(t, s)
	look, err = s.Phone.Look(t.Context())
	require.NoError(t, err)
	require.False(t, look.State.On, "the power key never lights a display that a person put out")
}

// untouched checks that a person who puts the display out stops everything.
func untouched(t *testing.T, s Subject) {
	at := screen.Point{X: 0.5, Y: 0.5}
	for name, do := range gestures(s.Phone, Target{At: at, To: screen.Point{X: 0.5, Y: 0.2}}) {
		require.ErrorIs(t, do(t.Context()), screen.ErrDark, name)
	}
	for _, k := range []actions.Key{actions.KeyHome, actions.KeyPower, actions.KeyWakeUp,
		actions.KeyMenu} {
		require.ErrorIs(t, s.Phone.Key(t.Context(), k), screen.ErrDark, k)
	}
	for _, app := range s.Apps {
		require.ErrorIs(t, s.Phone.Launch(t.Context(), app.Package), screen.ErrDark)
		require.ErrorIs(t, s.Phone.Relaunch(t.Context(), app.Package, nil), screen.ErrDark)
	}
}

func looksAtSecure(t *testing.T, s Subject) {
	s.Secure(t)
	look, err := s.Phone.Look(t.Context())
	require.ErrorIs(t, err, screen.ErrSecure)
	require.True(t, look.State.Secure)
	require.True(t, look.State.On)
	require.Nil(t, look.Frame, "no picture of a screen that forbids it")
}

func touches(t *testing.T, s Subject, name string) {
	g := s.Touches[name](t)
	see(t, s)
	touched(t, s, name, g)
}

// touched checks that a touch has its effect, and that the effect was not there before.
func touched(t *testing.T, s Subject, name string, g Target) {
	t.Helper()
	require.False(t, g.Happened(), "the effect is there before the touch")
	require.NoError(t, gestures(s.Phone, g)[name](t.Context()))
	require.Eventually(t, g.Happened, patience, 5*time.Millisecond, "the touch has no effect")
}

func refusesPoints(t *testing.T, s Subject) {
	before := front(s)
	in, out := screen.Point{X: 0.5, Y: 0.5}, screen.Point{X: 0.5, Y: 1.5}
	for name, do := range gestures(s.Phone, Target{At: out, To: in}) {
		require.Error(t, do(t.Context()), name)
	}
	g := gestures(s.Phone, Target{At: in, To: out})
	require.Error(t, g["Swipe"](t.Context()))
	require.Error(t, g["Drag"](t.Context()))
	require.Equal(t, before, front(s))
}

func front(s Subject) string {
	if s.Front == nil {
		return ""
	}
	return s.Front()
}

func keys(t *testing.T, s Subject) {
	ctx := t.Context()
	require.NoError(t, s.Phone.Launch(ctx, s.Apps[0].Package))
	comesToFront(t, s, s.Apps[0].Package)
	require.NoError(t, s.Phone.Key(ctx, actions.KeyHome))
	require.Eventually(t, s.Home, patience, 5*time.Millisecond)
	for _, k := range []actions.Key{actions.KeyVolumeUp, actions.KeyVolumeDown, actions.KeyMenu,
		actions.KeyWakeUp} {
		require.NoError(t, s.Phone.Key(ctx, k))
	}
	require.Error(t, s.Phone.Key(ctx, "no such key; touch "+Canary))
}

func types(t *testing.T, s Subject) {
	for i, text := range Nasty {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			s.Field(t)
			require.Empty(t, s.Text(), "the field starts empty")
			err := s.Phone.Type(t.Context(), text)
			if mustType(text, s.Unicode) {
				require.NoError(t, err, "%q", text)
			}
			want := ""
			if err == nil {
				want = strings.ReplaceAll(text, "\r\n", "\n")
			}
			require.Eventually(t, func() bool { return s.Text() == want }, patience,
				5*time.Millisecond, "typing %q (%v)", text, err)
			if s.Canary != nil {
				require.NoError(t, s.Canary(), "typing %q", text)
			}
		})
	}
}

// typesNowhere types on the home screen, where a space would open an app.
func typesNowhere(t *testing.T, s Subject) {
	ctx := t.Context()
	require.NoError(t, s.Phone.Key(ctx, actions.KeyHome))
	require.Eventually(t, s.Home, patience, 5*time.Millisecond)
	for name, typing := range map[string]func() error{
		"a text":        func() error { return s.Phone.Type(ctx, "a b\nc") },
		"clearing":      func() error { return s.Phone.Clear(ctx) },
		"the Enter key": func() error { return s.Phone.Key(ctx, actions.KeyEnter) },
	} {
		require.ErrorContains(t, typing(), "no text field has the focus", name)
		require.True(t, s.Home(), "%s opened %s", name, front(s))
	}
}

// mustType reports whether a phone may not refuse a text: characters with a meaning of their own
// may be refused.
func mustType(text string, anyText bool) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		control := unicode.IsControl(r) && r != '\n' && (r != '\t' || !anyText)
		if control || r > unicode.MaxASCII && !anyText {
			return false
		}
	}
	return true
}

func clears(t *testing.T, s Subject) {
	for _, text := range []string{"", "short", strings.Repeat("a longer text ", 30), "two\nlines"} {
		s.Field(t)
		require.NoError(t, s.Phone.Type(t.Context(), text))
		require.Eventually(t, func() bool { return s.Text() == text }, patience, 5*time.Millisecond)
		require.NoError(t, s.Phone.Clear(t.Context()))
		require.Eventually(t, func() bool { return s.Text() == "" }, patience, 5*time.Millisecond,
			"clearing %q", text)
	}
}

func launches(t *testing.T, s Subject) {
	ctx := t.Context()
	for _, app := range s.Apps {
		for _, name := range []string{app.Name, strings.ToUpper(app.Name), " " + app.Name + " ",
			app.Package} {
			require.NoError(t, s.Phone.Launch(ctx, name), "%q", name)
			comesToFront(t, s, app.Package)
		}
	}
	before := s.Front()
	names := append([]string{"", "no such app at all", "; touch " + Canary, "$(touch " + Canary +
		")", before + "; touch " + Canary}, s.Missing...)
	for _, name := range append(names, Nasty...) {
		require.Error(t, s.Phone.Launch(ctx, name), "%q is no app", name)
		require.Equal(t, before, s.Front(), "launching %q opened another app", name)
	}
	near := s.Apps[1].Name + "zzz"
	err := s.Phone.Launch(ctx, near)
	require.ErrorContains(t, err, s.Apps[1].Package, "an error lists near names")
}

func relaunches(t *testing.T, s Subject) {
	ctx := t.Context()
	s.Field(t)
	app, text := s.Front(), "a draft"
	require.NoError(t, s.Phone.Type(ctx, text))
	require.Eventually(t, func() bool { return s.Text() == text }, patience, 5*time.Millisecond)
	home := func() {
		require.NoError(t, s.Phone.Key(ctx, actions.KeyHome))
		require.Eventually(t, s.Home, patience, 5*time.Millisecond)
	}
	home()
	for _, wrong := range append([]string{"", "no such app at all"}, s.Missing...) {
		require.Error(t, s.Phone.Relaunch(ctx, wrong, nil))
		require.True(t, s.Home())
	}
	require.NoError(t, s.Phone.Relaunch(ctx, app, []string{app}))
	comesToFront(t, s, app)
	require.Equal(t, text, s.Text(), "an app that is in use goes on where it was")
	home()
	require.NoError(t, s.Phone.Relaunch(ctx, app, nil))
	comesToFront(t, s, app)
	require.NotEqual(t, text, s.Text(), "an app that is not begins anew")
}

func wakes(t *testing.T, s Subject) {
	_, err := s.Phone.Wake(t.Context())
	require.NoError(t, err, "a phone that is awake stays so")
	before := front(s)
	s.Off(t)
	woken, err := s.Phone.Wake(t.Context())
	require.NoError(t, err)
	look := see(t, s)
	require.True(t, look.State.On)
	require.False(t, look.State.Locked)
	require.Equal(t, look.State, woken)
	require.Equal(t, before, front(s))
}

func unlocks(t *testing.T, s Subject) {
	s.Lock(t)
	look, err := s.Phone.Look(t.Context())
	require.NoError(t, err)
	require.True(t, look.State.Locked)
	woken, err := s.Phone.Wake(t.Context())
	require.NoError(t, err)
	require.False(t, woken.Locked)
	require.False(t, see(t, s).State.Locked)
}

func stopsAtPIN(t *testing.T, s Subject) {
	p := s.LockedPIN(t)
	_, err := p.Wake(t.Context())
	require.ErrorIs(t, err, screen.ErrLocked)
}

// everything is each method once, as a cancelled or hanging call.
func everything(p Surface, app string) map[string]func(context.Context) error {
	all := gestures(p, Target{At: screen.Point{X: 0.5, Y: 0.5}, To: screen.Point{X: 0.5, Y: 0.2}})
	maps.Copy(all, map[string]func(context.Context) error{
		"Look":     func(ctx context.Context) error { _, err := p.Look(ctx); return err },
		"Frame":    func(ctx context.Context) error { _, err := p.Frame(ctx); return err },
		"Elements": func(ctx context.Context) error { _, err := p.Elements(ctx); return err },
		"Type":     func(ctx context.Context) error { return p.Type(ctx, "text") },
		"Clear":    p.Clear,
		"Key":      func(ctx context.Context) error { return p.Key(ctx, actions.KeyBack) },
		"Launch":   func(ctx context.Context) error { return p.Launch(ctx, app) },
		"Relaunch": func(ctx context.Context) error { return p.Relaunch(ctx, app, nil) },
		"Wake":     func(ctx context.Context) error { _, err := p.Wake(ctx); return err },
	})
	return all
}

func cancelledBefore(t *testing.T, s Subject) {
	see(t, s)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("not wanted any more")
	cancel(cause)
	before := front(s)
	for name, call := range everything(s.Phone, s.Apps[0].Package) {
		require.ErrorIs(t, call(ctx), cause, name)
	}
	require.Equal(t, before, front(s))
	see(t, s)
}

func cancelledDuring(t *testing.T, s Subject) {
	see(t, s)
	s.Hang(t)
	cause := errors.New("not wanted any more")
	for name, call := range everything(s.Phone, s.Apps[0].Package) {
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		timer := time.AfterFunc(30*time.Millisecond, func() { cancel(cause) })
		require.ErrorIs(t, call(ctx), cause, name)
		require.Less(t, time.Since(began), late, name)
		timer.Stop()
		cancel(nil)
	}
	s.Resume(t)
	see(t, s)
}

func hangs(t *testing.T, s Subject) {
	see(t, s)
	s.Hang(t)
	for name, call := range everything(s.Phone, s.Apps[0].Package) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		began := time.Now()
		err := call(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded, name)
		require.NotErrorIs(t, err, screen.ErrDisconnected, name)
		require.Less(t, time.Since(began), late, name)
		cancel()
	}
	s.Resume(t)
	see(t, s)
}

func disconnects(t *testing.T, s Subject) {
	see(t, s)
	s.Disconnect(t)
	for name, call := range everything(s.Phone, s.Apps[0].Package) {
		require.ErrorIs(t, call(t.Context()), screen.ErrDisconnected, name)
	}
	s.Reconnect(t)
	require.Eventually(t, func() bool { _, err := s.Phone.Look(t.Context()); return err == nil },
		2*patience, 50*time.Millisecond)
}
