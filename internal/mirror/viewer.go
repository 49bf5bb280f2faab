package mirror

import "context"

// Screen says what a Picture shows.
type Screen string

// What there is to see.
const (
	Shown  Screen = "shown"
	Locked Screen = "locked" // the lock screen, which is in the picture
	Secure Screen = "secure" // nothing: the window in front forbids capture
	Off    Screen = "off"    // nothing: the display is off
	Lost   Screen = "lost"   // nothing: the phone cannot be looked at, Err says why
)

// Picture is how a phone looks. It does not change.
type Picture struct {
	N      uint64 // number of the picture of this phone, from 1
	Screen Screen
	JPEG   []byte // empty when there is nothing to see
	// how often somebody is known to have touched the phone itself, or the screen to have changed
	// without a touch through the mirror and to have come to rest
	ByHand int
	Err    error // under Lost
}

// Viewer is one who looks at a phone.
type Viewer struct {
	stream *stream
	done   func()
	had    uint64
}

// Next waits for the newest picture that the viewer has not had yet. It skips older ones. Its error
// is ctx's cause, ErrClosed, or why the phone could not be opened.
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

// Newest returns the newest picture. fresh says that the viewer has not had it yet. changed is
// closed when there may be another one. The errors are as in [Viewer.Next].
func (v *Viewer) Newest() (p Picture, fresh bool, changed <-chan struct{}, err error) {
	p, changed = v.stream.newest()
	if p.N > v.had {
		v.had = p.N
		return p, true, changed, nil
	}
	return p, false, changed, v.stream.ended()
}

// Close ends the looking. Closing again does nothing.
func (v *Viewer) Close() { v.done() }
