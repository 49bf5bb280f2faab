package device

import (
	"context"
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/screen"
)

// Tap taps a point.
func (p *Phone) Tap(ctx context.Context, at screen.Point) error {
	return p.touch(ctx, "tapping", 0, func(to pixels) string { return to.line("tap", at) }, at)
}

// DoubleTap taps a point twice, in one service: the second tap has to come within 300 ms.
func (p *Phone) DoubleTap(ctx context.Context, at screen.Point) error {
	return p.touch(ctx, "double-tapping", 0, func(to pixels) string {
		tap := to.line("tap", at)
		return tap + " && " + p.marks.did() + " && " + tap
	}, at)
}

// LongPress holds a point.
func (p *Phone) LongPress(ctx context.Context, at screen.Point, hold time.Duration) error {
	return p.touch(ctx, "pressing", hold, func(to pixels) string {
		return to.timed("swipe", hold, at, at)
	}, at)
}

// Swipe moves a finger from one point to another.
func (p *Phone) Swipe(ctx context.Context, from, to screen.Point, took time.Duration) error {
	return p.touch(ctx, "swiping on", took, func(px pixels) string {
		return px.timed("swipe", took, from, to)
	}, from, to)
}

// dragTakes is how long a drag moves; what is under the finger has been held and picked up before.
const dragTakes = 1500 * time.Millisecond

// Drag picks up what is under from and drops it at to. Phones without `input draganddrop` (before
// Android 7) get a slow swipe.
func (p *Phone) Drag(ctx context.Context, from, to screen.Point) error {
	if p.noDrag.Load() {
		return p.Swipe(ctx, from, to, dragTakes)
	}
	err := p.touch(ctx, "dragging on", dragTakes+time.Second, func(px pixels) string {
		return px.timed("draganddrop", dragTakes, from, to)
	}, from, to)
	if err == nil || !unknownVerb(err) {
		return err
	}
	p.noDrag.Store(true)
	return p.Swipe(ctx, from, to, dragTakes)
}

// unknownVerb reports a refusal of the verb itself: nothing has been touched.
func unknownVerb(err error) bool {
	s := strings.ToLower(err.Error())
	return strings.Contains(s, "unknown command") || strings.Contains(s, "usage:")
}

// touch is the one way by which points reach the phone: they are turned into pixels of the logical
// display as it was at the last look, which is what `input` counts in.
func (p *Phone) touch(ctx context.Context, doing string, takes time.Duration,
	line func(pixels) string, points ...screen.Point) error {
	for _, at := range points {
		if !at.Valid() {
			return fmt.Errorf("%s %s: the point %s is not on the screen (0 to 1 on each axis)",
				doing, p.info.Serial, at)
		}
	}
	size, err := p.logicalSize(ctx)
	if err == nil {
		err = p.do(ctx, takes, line(pixels(size)))
	}
	return p.failed(doing, err)
}

// logicalSize is the display's size at the last look, or now when there was none.
func (p *Phone) logicalSize(ctx context.Context) (screen.Size, error) {
	if size := p.lastReading().State.Size; size.Valid() {
		return size, nil
	}
	r, err := p.readState(ctx)
	if err != nil {
		return screen.Size{}, err
	}
	p.last.Store(&r)
	return r.State.Size, nil
}

// pixels writes the lines of `input` for a display of this size.
type pixels screen.Size

func (px pixels) line(verb string, points ...screen.Point) string {
	words := []string{"input", verb}
	for _, at := range points {
		var c image.Point = at.Pixel(screen.Size(px))
		words = append(words, strconv.Itoa(c.X), strconv.Itoa(c.Y))
	}
	return strings.Join(words, " ")
}

func (px pixels) timed(verb string, d time.Duration, points ...screen.Point) string {
	return px.line(verb, points...) + " " + strconv.FormatInt(max(d.Milliseconds(), 1), 10)
}
