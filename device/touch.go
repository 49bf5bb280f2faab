package device

import (
	"context"
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Tap taps a point.
func (p *Phone) Tap(ctx context.Context, at screen.Point) error {
	return p.touch(ctx, "tapping", 0, func(to pixels) string { return to.line("tap", at) }, at)
}

// DoubleTap taps a point twice, in one service: the second tap has to come within 300 ms.
func (p *Phone) DoubleTap(ctx context.Context, at screen.Point) error {
	return p.touch(ctx, "double-tapping", 0, func(to pixels) string {
		tap := to.line("tap", at)
		return tap + " && " + p.shell.did() + " && " + tap
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

// dragTakes is how long a drag moves after it has picked something up.
const dragTakes = 1500 * time.Millisecond

// Drag picks up the thing under from and drops it at to. Phones without `input draganddrop` (before
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
			return p.failed(doing,
				fmt.Errorf("the point %s is not on the screen (0 to 1 on each axis)", at))
		}
	}
	r, err := p.display.known(ctx)
	if err == nil {
		err = p.shell.do(ctx, takes, line(pixels(r.State.Size)))
	}
	return p.failed(doing, err)
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

// keycodes are Android's numbers (KeyEvent.KEYCODE_...).
var keycodes = map[actions.Key]int{
	actions.KeyHome:       3,
	actions.KeyBack:       4,
	actions.KeyVolumeUp:   24,
	actions.KeyVolumeDown: 25,
	actions.KeyPower:      codeSleep,
	actions.KeyEnter:      codeEnter,
	actions.KeyDelete:     codeDelete,
	actions.KeyMenu:       82,
	actions.KeyRecents:    187,
	actions.KeyWakeUp:     codeWakeUp,
}

const (
	codeEnter         = 66
	codeDelete        = 67
	codeForwardDelete = 112
	codeMoveEnd       = 123
	codeSleep         = 223 // off, like the power key, but without effect on a dark display
	codeWakeUp        = 224
)

// keyevent is the line that presses keys one after the other.
func keyevent(codes ...int) string {
	return "input keyevent " + strings.Trim(fmt.Sprint(codes), "[]")
}
