package device_test

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/device/devicetest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/screen"
)

const (
	notesApp    = "com.taploop.sandbox.notes"
	clockApp    = "com.android.deskclock"
	settingsApp = "com.android.settings"
	shopApp     = "com.taploop.sandbox.shop"
	homeApp     = "com.android.launcher3"

	keyHome  = 3
	keyPower = 26
)

// simulated is what a person in front of the simulated phone sees and does.
type simulated struct{ phone *sandbox.Simulator }

func newSimulated(t *testing.T, o sandbox.Options) simulated {
	o.AnimationScale = new(float64)
	p := sandbox.New(&o)
	return simulated{p}
}

// subject is the part of a subject that is the same whatever lies between the phone and us.
func (s simulated) subject(p devicetest.Surface) devicetest.Subject {
	return devicetest.Subject{
		Phone: p, Unicode: true,
		Apps: []devicetest.App{{Name: "Notes", Package: notesApp},
			{Name: "Clock", Package: clockApp}},
		Missing: []string{"Gmail", "Netflix", "微信", "com.android.chrome"},
		Front:   func() string { return s.phone.Screen.Foreground().Package },
		Home:    func() bool { return s.phone.Screen.Foreground().Package == homeApp },
		Field:   s.emptyField, Text: s.fieldText,
		Touches: map[string]func(*testing.T) devicetest.Target{
			"Tap": s.clockIcon, "DoubleTap": s.twoMinutesMore, "LongPress": s.iconMenu,
			"Swipe": s.moreSettings, "Drag": s.notesReordered,
		},
		Rotate: func(_ *testing.T, r screen.Rotation) { s.phone.Display.SetRotation(int(r)) },
		Off:    func(t *testing.T) { s.key(t, keyPower) },
		Lock:   func(t *testing.T) { s.key(t, keyPower); s.key(t, keyPower) },
		Secure: s.payPage,
	}
}

func (s simulated) key(t *testing.T, code int) { require.NoError(t, s.phone.Keys.Key(code)) }

// find is the node that bears the name, or nil.
func (s simulated) find(name string) *sandbox.Node {
	root := s.phone.Screen.UITree()
	return root.Find(func(n *sandbox.Node) bool {
		return strings.HasSuffix(n.ResourceID,
			":id/"+name)
	})
}

func (s simulated) must(t *testing.T, name string) *sandbox.Node {
	t.Helper()
	n := s.find(name)
	require.NotNil(t, n, "nothing on the screen is called %s:\n%s", name, s.phone.Screen.DumpXML())
	return n
}

func (s simulated) tap(t *testing.T, name string) {
	t.Helper()
	c := s.must(t, name).Center()
	s.phone.Touch.Tap(c.X, c.Y)
}

// at is a pixel of the display as a point.
func (s simulated) at(p image.Point) screen.Point {
	size := s.phone.Display.Size()
	return screen.Point{X: (float64(p.X) + 0.5) / float64(size.X), Y: (float64(p.Y) +
		0.5) / float64(size.Y)}
}

func (s simulated) open(t *testing.T, pkg string) {
	t.Helper()
	s.phone.Apps.ForceStop(pkg)
	require.NoError(t, s.phone.Apps.Launch(pkg))
}

func (s simulated) emptyField(t *testing.T) {
	s.open(t, notesApp)
	s.tap(t, "new_note")
	s.tap(t, "edit_body")
	require.True(t, s.must(t, "edit_body").Focused)
}

// fieldText is the note's text; an empty field shows its hint.
func (s simulated) fieldText() string {
	n := s.find("edit_body")
	if n == nil || n.Text == "Note" {
		return ""
	}
	return n.Text
}

func (s simulated) clockIcon(t *testing.T) devicetest.Target {
	s.key(t, keyHome)
	return devicetest.Target{
		At:       s.at(s.must(t, "icon_clock").Center()),
		Happened: func() bool { return s.phone.Screen.Foreground().Package == clockApp },
	}
}

func (s simulated) twoMinutesMore(t *testing.T) devicetest.Target {
	s.open(t, clockApp)
	s.tap(t, "add_alarm")
	s.tap(t, "minutes")
	require.Equal(t, "00", s.must(t, "minutes").Text)
	return devicetest.Target{
		At:       s.at(s.must(t, "minute_plus").Center()),
		Happened: func() bool { return s.find("minutes").Text == "02" },
	}
}

func (s simulated) iconMenu(t *testing.T) devicetest.Target {
	s.key(t, keyHome)
	return devicetest.Target{
		At:       s.at(s.must(t, "icon_clock").Center()),
		Happened: func() bool { return s.find("alertTitle") != nil },
	}
}

func (s simulated) moreSettings(t *testing.T) devicetest.Target {
	s.open(t, settingsApp)
	before := fmt.Sprint(s.phone.Screen.UITree())
	size := s.phone.Display.Size()
	return devicetest.Target{
		At: s.at(image.Pt(size.X/2, size.Y*3/4)), To: s.at(image.Pt(size.X/2, size.Y/4)),
		Happened: func() bool {
			return s.phone.Screen.Foreground().Package == settingsApp &&
				fmt.Sprint(s.phone.Screen.UITree()) != before
		},
	}
}

func (s simulated) notesReordered(t *testing.T) devicetest.Target {
	s.open(t, notesApp)
	order := func() (titles []string) {
		s.phone.Inspect(func(d *apps.Data) {
			for _, n := range d.Notes {
				titles = append(titles, n.Title)
			}
		})
		return titles
	}
	before := order()
	var handles []*sandbox.Node
	root := s.phone.Screen.UITree()
	root.Walk(func(n *sandbox.Node) {
		if strings.HasSuffix(n.ResourceID, ":id/drag_handle") {
			handles = append(handles, n)
		}
	})
	require.GreaterOrEqual(t, len(handles), 2)
	return devicetest.Target{
		At: s.at(handles[1].Center()), To: s.at(handles[0].Center()),
		Happened: func() bool { return !slices.Equal(before, order()) },
	}
}

// payPage goes where the shop asks for the wallet's PIN, which forbids capture.
func (s simulated) payPage(t *testing.T) {
	s.phone.Edit(func(d *apps.Data) {
		d.Shop.User = "+49 170 1234567"
		d.Shop.Cart = []*apps.Item{{Product: apps.Products[0], Size: "42", Color: "black",
			Count: 1}}
	})
	s.open(t, shopApp)
	for _, name := range []string{"cart", "checkout", "pay"} {
		s.tap(t, name)
	}
	require.True(t, s.phone.Screen.Foreground().Secure)
}
