package actions

import (
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// Kind is the way in which an action reaches the phone.
type Kind int

// The kinds of actions.
const (
	KindNone   Kind = iota // the phone is not touched
	KindTap                // a finger touches one point, once or several times
	KindHold               // a finger rests on one point
	KindPath               // a finger moves from one point to another
	KindText               // text goes to the field in focus, or to the field at a point
	KindKey                // a key is pressed
	KindLaunch             // an app is brought to the front
)

// Traits is what an action does to the phone, for those who judge, draw or compare actions. A field
// that does not apply to the action's kind is zero.
type Traits struct {
	Kind Kind
	// Passive says that a gesture only lets time pass: it can be cut short, needs no fresh look,
	// and repeating it is patience.
	Passive bool
	// Points are where the action touches the screen: one point for a tap, the two ends of a path.
	Points []screen.Point
	// Twice says that the point is touched again at once, before anyone has seen what the first
	// touch did.
	Twice bool
	// Carries says that a path picks up what lies at its beginning and drops it at its end.
	Carries bool
	// Scrolls says that a path only moves the content: where it ends does not matter.
	Scrolls bool
	// Took is how long the finger of a path takes.
	Took time.Duration
	// Text is the text to type, or the name of the app to open.
	Text string
	// Submit says that Enter is pressed after the text.
	Submit bool
	// Key is the chosen key. It is empty for an action that always presses the same one.
	Key Key
}

// Focused reports whether the action goes to the part of the screen that has the focus.
func (t *Traits) Focused() bool { return t.Kind == KindText || t.Key != "" }

// Pointed reports whether the action touches one place and nothing else: a tap or a hold.
func (t *Traits) Pointed() bool { return t.Kind == KindTap || t.Kind == KindHold }

// at is the one point of an action.
func at(p screen.Point) []screen.Point { return []screen.Point{p} }
