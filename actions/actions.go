package actions

import (
	"context"
	"time"

	"github.com/taploop/taploop/screen"
)

// Action is one member of the closed vocabulary. Members are the struct values of this file; pointers to them are not members.
type Action interface {
	// Verb is the action's name as models and logs write it, for example CLICK.
	Verb() string
	// Validate reports what is wrong in words that a model can act on (which field, its value, what is allowed), or nil.
	Validate() error
	action() // closes the vocabulary
}

// Gesture is an action that is carried out on the phone.
type Gesture interface {
	Action
	// Do carries the action out; it takes for granted that Validate is nil. A refusal by the phone comes back as an error
	// whose text can be told to the model, and it says how far a gesture of several touches came. The end of ctx is
	// returned as its cause.
	Do(ctx context.Context, s Surface) error
}

// Click taps a point.
type Click struct {
	At screen.Point `json:"at"`
}

// DoubleClick taps a point twice.
type DoubleClick struct {
	At screen.Point `json:"at"`
}

// LongPress holds a point. Hold 0 means 1.5 s; at most [MaxTouch].
type LongPress struct {
	At   screen.Point  `json:"at"`
	Hold time.Duration `json:"hold,omitempty"`
}

// Type types text: into the focused field, or at At after tapping it. Clear empties the field first; Submit presses Enter after.
// Text may be empty only with Clear.
type Type struct {
	Text   string        `json:"text"`
	At     *screen.Point `json:"at,omitempty"`
	Clear  bool          `json:"clear,omitempty"`
	Submit bool          `json:"submit,omitempty"`
}

// Slide moves a finger from one point to another. Took 0 means 1.5 s; at most [MaxTouch].
type Slide struct {
	From screen.Point  `json:"from"`
	To   screen.Point  `json:"to"`
	Took time.Duration `json:"took,omitempty"`
}

// Direction is where the content's next part is looked for: scrolling Down shows what is below.
type Direction string

// The directions of a Scroll.
const (
	Up    Direction = "up"
	Down  Direction = "down"
	Left  Direction = "left"
	Right Direction = "right"
)

// Directions is all of them. Not to be changed.
var Directions = []Direction{Up, Down, Left, Right}

// Scroll moves the content under At by about a third of the screen: a swipe that starts at At, or as near to it as keeps
// the whole swipe off the screen's edges, where Android listens for gestures of its own.
type Scroll struct {
	At        screen.Point `json:"at"`
	Direction Direction    `json:"direction"`
}

// Drag picks up what is under From and drops it at To.
type Drag struct {
	From screen.Point `json:"from"`
	To   screen.Point `json:"to"`
}

// OpenApp brings an app to the front; App is a name or a package.
type OpenApp struct {
	App string `json:"app"`
}

// Back presses the back key.
type Back struct{}

// Home presses the home key.
type Home struct{}

// Recents presses the recent-apps key.
type Recents struct{}

// HotKey presses one of the [Keys].
type HotKey struct {
	Key Key `json:"key"`
}

// Wait waits for the screen to change by itself. For is above 0; what is longer than [MaxWait] is cut to it.
type Wait struct {
	For time.Duration `json:"for"`
}

// Info asks a person; Options are answers to choose from, none for a free answer. Secret says that the answer must not be shown anywhere again.
type Info struct {
	Question string   `json:"question"`
	Options  []string `json:"options,omitempty"`
	Secret   bool     `json:"secret,omitempty"`
}

// Complete ends the run as done, with a report, which may be empty.
type Complete struct {
	Report string `json:"report"`
}

// Abort ends the run as not done, with the reason, which may be empty.
type Abort struct {
	Reason string `json:"reason"`
}

// Note remembers something for later steps and does nothing else.
type Note struct {
	Text string `json:"text"`
}
