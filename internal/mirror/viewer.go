package mirror

import "context"

// Screen says what a Picture shows.
type Screen string

// The screens.
const (
	Shown  Screen = "shown"
	Locked Screen = "locked" // the picture shows the lock screen
	Secure Screen = "secure" // no picture: the window in front forbids capture
	Off    Screen = "off"    // no picture: the display is off
	Lost   Screen = "lost"   // no picture: the phone cannot be captured, see Err
)

// Picture is the picture of a phone at one time. It is immutable.
type Picture struct {
	N      uint64 // counts the pictures of this phone from 1
	Screen Screen
	JPEG   []byte // empty if there is no picture
	// how often somebody touched the phone itself, or the screen changed without a touch through
	// the mirror and became still
	ByHand int
	Err    error // under Lost
}

// Viewer receives the pictures of a phone.
type Viewer struct {
	stream *stream
	done   func()
	had    uint64
}

// Next waits for the newest picture that the viewer has not had, and skips older ones. The error is
// ctx's cause, ErrClosed, or why the phone could not be opened.
func (v *Viewer) Next(ctx context.Context) (Picture, error) {
	for {
		p, fresh, changed, err := v.Newest()
		if fresh || err != nil {
			return p, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Picture{}, context.Cause(ctx)
		}
	}
}

// Newest returns the newest picture. fresh reports whether the viewer has not had it yet. changed
// is closed when there may be a newer one. The errors are those of [Viewer.Next].
func (v *Viewer) Newest() (p Picture, fresh bool, changed <-chan struct{}, err error) {
	p, changed = v.stream.newest()
	if p.N > v.had {
		v.had = p.N
		return p, true, changed, nil
	}
	return p, false, changed, v.stream.ended()
}

// Close ends the viewing. Further calls do nothing.
func (v *Viewer) Close() { v.done() }
