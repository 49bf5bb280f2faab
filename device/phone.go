package device

import (
	"context"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/screen"
)

// Phone is one phone. It looks and touches for one caller at a time.
type Phone struct {
	serial string
	info   Info
}

// App is an installed app.
type App struct {
	Package string `json:"package"`
	Name    string `json:"name,omitempty"` // from the table of well-known apps, "" when it is not there
	System  bool   `json:"system"`
}

var _ actions.Surface = (*Phone)(nil)

// Serial is the phone's serial.
func (p *Phone) Serial() string { return p.serial }

// Info is what was read of the phone when it was opened.
func (p *Phone) Info() Info { return p.info }

// Close ends the use of the phone.
func (p *Phone) Close() error { return nil }

// Look captures one frame and the state beside it. The frame is nil when the display is off. When the window in front
// forbids capture the error is ErrSecure, and the look holds the state without a frame.
func (p *Phone) Look(ctx context.Context) (screen.Look, error) { return screen.Look{}, errNotYet }

// Tap taps a point.
func (p *Phone) Tap(ctx context.Context, at screen.Point) error { return errNotYet }

// DoubleTap taps a point twice.
func (p *Phone) DoubleTap(ctx context.Context, at screen.Point) error { return errNotYet }

// Press holds a point.
func (p *Phone) Press(ctx context.Context, at screen.Point, hold time.Duration) error {
	return errNotYet
}

// Swipe moves a finger.
func (p *Phone) Swipe(ctx context.Context, from, to screen.Point, took time.Duration) error {
	return errNotYet
}

// Drag picks up what is under from and drops it at to.
func (p *Phone) Drag(ctx context.Context, from, to screen.Point) error { return errNotYet }

// Type types text into the focused field.
func (p *Phone) Type(ctx context.Context, text string) error { return errNotYet }

// Clear empties the focused field.
func (p *Phone) Clear(ctx context.Context) error { return errNotYet }

// Key presses a key.
func (p *Phone) Key(ctx context.Context, key actions.Key) error { return errNotYet }

// Launch brings an app to the front.
func (p *Phone) Launch(ctx context.Context, app string) error { return errNotYet }

// StopApp stops an app.
func (p *Phone) StopApp(ctx context.Context, app string) error { return errNotYet }

// Apps lists the installed apps.
func (p *Phone) Apps(ctx context.Context) ([]App, error) { return nil, errNotYet }

// Wake switches the display on and opens the lock screen when it has no PIN; with one the error is ErrLocked.
func (p *Phone) Wake(ctx context.Context) error { return errNotYet }
