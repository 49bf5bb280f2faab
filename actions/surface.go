package actions

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/screen"
)

// Surface is the touches that verbs need of a phone. It lives here, not with its consumer, because
// verbs and touches belong together. Every point is a fraction of the last frame that was looked
// at.
//
// An error says in words for the model what the phone refused, and may carry a [hint]. A method
// returns once the phone has taken the touch, not once the screen has changed. One caller at a
// time.
type Surface interface {
	Tap(ctx context.Context, at screen.Point) error
	DoubleTap(ctx context.Context, at screen.Point) error
	LongPress(ctx context.Context, at screen.Point, hold time.Duration) error
	Swipe(ctx context.Context, from, to screen.Point, took time.Duration) error
	Drag(ctx context.Context, from, to screen.Point) error
	// Type types into the focused field exactly as given, newlines included. It never interprets
	// the text.
	Type(ctx context.Context, text string) error
	// Clear empties the focused field.
	Clear(ctx context.Context) error
	Key(ctx context.Context, key Key) error
	// Launch brings the app to the front. A name that matches no installed app well is an error
	// that lists near ones.
	Launch(ctx context.Context, app string) error
}

// Key is a hardware or navigation key.
type Key string

// The keys that a surface knows.
const (
	KeyBack       Key = "back"
	KeyHome       Key = "home"
	KeyRecents    Key = "recents"
	KeyMenu       Key = "menu"
	KeyEnter      Key = "enter"
	KeyDelete     Key = "delete"
	KeyPower      Key = "power"
	KeyWakeUp     Key = "wakeup"
	KeyVolumeUp   Key = "volume_up"
	KeyVolumeDown Key = "volume_down"
)

// Keys is all of them. Not to be changed.
var Keys = []Key{
	KeyBack, KeyHome, KeyRecents, KeyMenu, KeyEnter, KeyDelete, KeyPower, KeyWakeUp,
	KeyVolumeUp, KeyVolumeDown,
}
