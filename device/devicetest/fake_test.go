package devicetest_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/screen"
)

func TestTheFakeKeepsTheContract(t *testing.T) {
	devicetest.Run(t, subject)
}

func TestTheFakeTypesASCIIOnlyWhenAskedTo(t *testing.T) {
	devicetest.Run(t, func(t *testing.T) devicetest.Subject {
		f := devicetest.NewFake()
		f.Set(devicetest.Change{Unicode: new(false)})
		return devicetest.Subject{Phone: f, Apps: apps, Front: f.Front, Field: field(f),
			Text: f.Text}
	})
}

var apps = []devicetest.App{{Name: "Notes", Package: "com.android.notes"},
	{Name: "Clock", Package: "com.android.deskclock"}}

func subject(t *testing.T) devicetest.Subject {
	f := devicetest.NewFake()
	in := func(c devicetest.Change) func(*testing.T) { return func(*testing.T) { f.Set(c) } }
	return devicetest.Subject{
		Phone: f, Unicode: true, Apps: apps, Missing: []string{"Gmail", "Netflix"},
		Front: f.Front, Field: field(f), Text: f.Text,
		Home: func() bool { return f.Front() == devicetest.HomeApp },
		Touches: map[string]func(*testing.T) devicetest.Target{
			"Tap": func(*testing.T) devicetest.Target {
				f.Set(devicetest.Change{Front: new(devicetest.HomeApp)})
				return devicetest.Target{At: f.Icon(apps[1].Package), Happened: func() bool {
					return f.Front() == apps[1].Package
				}}
			},
			"DoubleTap": noted(f, "doubletap"), "LongPress": noted(f, "press"),
			"Swipe": noted(f, "swipe"), "Drag": noted(f, "drag"),
		},
		Rotate: func(_ *testing.T, r screen.Rotation) { f.Set(devicetest.Change{Rotation: &r}) },
		Off:    in(devicetest.Change{Off: new(true)}),
		Lock:   in(devicetest.Change{Locked: new(true)}),
		Secure: in(devicetest.Change{Secure: new(true)}),
		LockedPIN: func(*testing.T) devicetest.Surface {
			f.Set(devicetest.Change{Locked: new(true), PIN: new(true)})
			return f
		},
		Hang:       in(devicetest.Change{Hang: new(true)}),
		Resume:     in(devicetest.Change{Hang: new(false)}),
		Disconnect: in(devicetest.Change{Gone: new(true)}),
		Reconnect:  in(devicetest.Change{Gone: new(false)}),
	}
}

func field(f *devicetest.Fake) func(*testing.T) {
	return func(*testing.T) { f.Set(devicetest.Change{Front: &apps[0].Package, Text: new("")}) }
}

// noted is a target whose effect is that the Fake took the touch, at the pixels that the points
// mean.
func noted(f *devicetest.Fake, verb string) func(*testing.T) devicetest.Target {
	return func(*testing.T) devicetest.Target {
		at, to := screen.Point{X: 0.25, Y: 0.75}, screen.Point{X: 0.25, Y: 0.25}
		if verb == "press" || verb == "doubletap" {
			to = at
		}
		size := screen.Size{W: 1080, H: 2400}
		return devicetest.Target{At: at, To: to, Happened: func() bool {
			return slices.ContainsFunc(f.Touches(), func(touch devicetest.Touch) bool {
				return touch.Verb == verb && touch.From == at.Pixel(size) &&
					touch.To == to.Pixel(size)
			})
		}}
	}
}

// A bubble's clock stands still until all wait, so gestures of any length cost nothing and take
// exactly their time.
func TestTheFakeWorksInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := devicetest.NewFake()
		began := time.Now()
		require.NoError(t, f.LongPress(t.Context(), screen.Point{X: 0.5, Y: 0.5}, time.Hour))
		require.Equal(t, time.Hour, time.Since(began))

		f.Set(devicetest.Change{Hang: new(true)})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := f.Look(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, time.Hour+time.Minute, time.Since(began))
	})
}

func TestTheFakesFrameShowsWhetherTheScreenChanged(t *testing.T) {
	f := devicetest.NewFake()
	print := func() screen.Fingerprint {
		look, err := f.Look(t.Context())
		require.NoError(t, err)
		return look.Frame.Fingerprint()
	}
	home := print()
	require.Zero(t, home.Distance(print()))
	require.NoError(t, f.Launch(t.Context(), "notes"))
	notes := print()
	require.NotZero(t, home.Distance(notes))
	require.NoError(t, f.Type(t.Context(), "milk"))
	require.NotZero(t, notes.Distance(print()))
}
