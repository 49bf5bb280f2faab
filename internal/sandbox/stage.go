package sandbox

import (
	"cmp"
	"image"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// stage turns scenes into frames: it plays transitions and keeps the last frame while nothing
// changes.
type stage struct {
	*core
	display  *Display
	lock     *Lock
	stack    *Apps
	keyboard *Keyboard
	screen   *Screen

	last   []ui.Op // the windows after the last event
	prev   []ui.Op // the windows that are leaving
	start  time.Time
	length time.Duration
	edited time.Time // the cursor is lit from here on

	drawn []ui.Op
	frame *image.RGBA
}

// transition is how long one takes at animation scale 1.
const transition = 300 * time.Millisecond

// settle notes what an event changed, and starts its transition.
func (st *stage) settle() {
	if pkg := st.sys.Crash; pkg != "" {
		st.sys.Crash = ""
		st.stack.end(pkg)
		st.stack.log.died(pkg, crashTag, "java.lang.IllegalStateException: no such picture")
	}
	if st.sys.Want != "" {
		want := st.sys.Find(st.sys.Want)
		st.sys.Want = ""
		if want != nil && want.Activity != "" {
			st.stack.bring(want)
		}
	}
	front := st.stack.front
	st.sys.Front, st.sys.Page = front.App.Package, front.Top().Activity
	if front.Dialog != nil {
		st.sys.Front = cmp.Or(front.Dialog.Package, front.App.Package)
	}
	if m := st.sys.Motion; m != apps.Still {
		scale := st.sys.Settings.Float(apps.Global, "transition_animation_scale", 1)
		st.prev, st.start = st.last, st.sys.Now()
		st.length = time.Duration(float64(transition) * min(max(scale, 0), 20))
		st.sys.Motion = apps.Still
		st.showKeyboard(m)
	}
	if st.keyboard.focus.keys {
		st.screen.leaveTouchMode() // in a window that has just opened the first view has the focus
	}
	st.last = st.paintWindows(st.screen.scene())
}

// showKeyboard says whether a field that has the focus right after a transition has the keyboard
// too: on a new page it has, on one that is come back to it has not.
func (st *stage) showKeyboard(m apps.Motion) {
	switch m {
	case apps.Forward:
		st.keyboard.showLetters()
	case apps.Backward:
		st.keyboard.keyboardHidden = true
	}
}

func (st *stage) paintWindows(s *scene) []ui.Op {
	lit := st.sys.Now().Sub(st.edited)%time.Second < 500*time.Millisecond
	var ops []ui.Op
	for _, l := range s.window {
		ops = append(ops, ui.Paint(l.view, st.display.theme(), lit)...)
	}
	return ops
}

func (st *stage) capture() *image.RGBA {
	size := st.display.size()
	ops := []ui.Op{{Box: image.Rectangle{Max: size}, Clip: image.Rectangle{Max: size},
		Color: ui.Opaque}}
	if !st.lock.off {
		ops = append(ops, st.ops()...)
	}
	if st.frame == nil || !slices.Equal(ops, st.drawn) {
		st.frame, st.drawn = image.NewRGBA(image.Rectangle{Max: size}), ops
		ui.Draw(st.frame, ops)
		if st.opts.CapturePhysical && st.display.override != (image.Point{}) {
			st.frame = ui.Scale(st.frame, st.display.turned(st.opts.Size))
		}
	}
	return st.frame
}

// ops is what draws the display at this moment, transitions included.
func (st *stage) ops() []ui.Op {
	s := st.screen.scene()
	var ops []ui.Op
	if !st.screen.window().Secure {
		ops = append(st.transit(s, st.paintWindows(s)), st.photo(s.size)...)
	}
	if s.keyboard != nil && !st.lock.locked {
		ops = append(ops, ui.Paint(s.keyboard, st.display.theme(), false)...)
	}
	for _, v := range s.system {
		ops = append(ops, ui.Paint(v, st.display.theme(), false)...)
	}
	return ops
}

// photo is the picture over the lower half of an app.
func (st *stage) photo(size image.Point) []ui.Op {
	img := st.opts.Photo
	if img == nil || st.stack.front == st.stack.home || st.lock.locked {
		return nil
	}
	at := image.Pt(0, size.Y/2)
	below := image.Rectangle{at, image.Pt(size.X, size.Y-st.display.metrics().Px(navHeight))}
	box := image.Rectangle{Max: img.Rect.Size()}.Add(at)
	return []ui.Op{{Shape: ui.Photo, Box: box, Clip: box.Intersect(below), Picture: img}}
}

// transit moves the windows of now in from the right over those before them, ever slower.
func (st *stage) transit(s *scene, now []ui.Op) []ui.Op {
	left := 1 - float64(st.sys.Now().Sub(st.start))/float64(st.length)
	if st.length == 0 || left <= 0 {
		return now
	}
	by := image.Pt(int(float64(s.size.X)*left*left), 0)
	ops := slices.Clone(st.prev)
	for _, o := range now {
		ops = append(ops, o.Moved(by, image.Rectangle{Max: s.size}))
	}
	return ops
}
