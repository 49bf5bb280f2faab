package sandbox

import (
	"image"
	"slices"
	"time"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// stage turns scenes into frames: it plays transitions and keeps the last frame while nothing
// changes.
type stage struct {
	*screen
	last   []ui.Op // the windows after the last event
	prev   []ui.Op // the windows that are leaving
	motion apps.Motion
	start  time.Time
	length time.Duration

	keys      []ui.Op // the keyboard as last seen
	keysShown bool
	keysStart time.Time
	edited    time.Time // the cursor is lit from here on

	drawn []ui.Op
	frame *image.RGBA
}

// Lengths of transitions at animation scale 1.
var lengths = map[apps.Motion]time.Duration{
	apps.Forward: 300 * time.Millisecond, apps.Backward: 300 * time.Millisecond,
	apps.Popup: 160 * time.Millisecond,
	apps.Open:  360 * time.Millisecond, apps.Close: 360 * time.Millisecond,
	apps.Turn: 400 * time.Millisecond,
}

const keysLength = 240 * time.Millisecond

func (st *stage) scaled(d time.Duration, setting string) time.Duration {
	scale := min(max(st.sys.Settings.Float(apps.Global, setting, 1), 0), 20)
	return time.Duration(float64(d) * scale)
}

// settle notes what an event changed, and starts its transition.
func (st *stage) settle() {
	if st.sys.Want != "" {
		want := st.sys.Find(st.sys.Want)
		st.sys.Want = ""
		if want != nil && want.Activity != "" {
			st.bring(want)
		}
	}
	now := st.sys.Now()
	if st.sys.Motion != apps.Still {
		st.prev = st.last
		st.motion, st.start = st.sys.Motion, now
		st.length = st.scaled(lengths[st.motion], "transition_animation_scale")
		st.sys.Motion = apps.Still
		st.showKeyboard(st.motion)
	}
	if st.focus.keys {
		st.leaveTouchMode() // in a window that has just opened the first view has the focus
	}
	s := st.scene()
	st.last = st.paintWindows(s)
	if shown := s.keyboard != nil; shown != st.keysShown {
		st.keysShown, st.keysStart = shown, now
	}
	if s.keyboard != nil {
		st.keys = ui.Paint(s.keyboard, st.theme(), false)
	}
}

// showKeyboard says whether a field that has the focus right after a transition has the keyboard
// too: on a new page or dialog it has, on one that is come back to it has not.
func (st *stage) showKeyboard(m apps.Motion) {
	switch d := st.front.Dialog; {
	case m == apps.Forward, m == apps.Popup && d != nil && d.Memory.Focus != "":
		st.showLetters()
	case m == apps.Backward, m == apps.Open:
		st.keyboardHidden = true
	}
}

func (st *stage) paintWindows(s *scene) []ui.Op {
	lit := st.sys.Now().Sub(st.edited)%time.Second < 500*time.Millisecond
	var ops []ui.Op
	for _, l := range s.window {
		ops = append(ops, ui.Paint(l.view, st.theme(), lit)...)
	}
	return ops
}

// Screenshot is the display as it is captured now: black while it is off, and below the system's
// bars and the keyboard while a secure window is in front; in the middle of a transition while one
// plays. The picture is shared: callers must not draw on it.
func (st *stage) Screenshot() *image.RGBA { return look(st.screen.core, st.capture) }

func (st *stage) capture() *image.RGBA {
	size := st.size()
	ops := []ui.Op{{Box: image.Rectangle{Max: size}, Clip: image.Rectangle{Max: size},
		Color: ui.Opaque}}
	if !st.off {
		ops = append(ops, st.ops()...)
	}
	if st.frame == nil || !slices.Equal(ops, st.drawn) {
		st.frame, st.drawn = image.NewRGBA(image.Rectangle{Max: size}), ops
		ui.Draw(st.frame, ops)
		if st.opts.CapturePhysical && st.override != nil {
			st.frame = ui.Scale(st.frame, st.turn(st.opts.Size))
		}
	}
	return st.frame
}

// ops is what draws the display at this moment, transitions included.
func (st *stage) ops() []ui.Op {
	s := st.scene()
	var ops []ui.Op
	if !st.window().Secure {
		ops = append(st.transit(s, st.paintWindows(s)), st.photo(s.size)...)
	}
	ops = append(ops, st.keyboardOps(s)...)
	for _, v := range s.system {
		ops = append(ops, ui.Paint(v, st.theme(), false)...)
	}
	return ops
}

// photo is the picture over the lower half of an app.
func (st *stage) photo(size image.Point) []ui.Op {
	img := st.opts.Photo
	if img == nil || st.front == st.home || st.locked {
		return nil
	}
	at := image.Pt(0, size.Y/2)
	below := image.Rectangle{at, image.Pt(size.X, size.Y-st.metrics().Px(navHeight))}
	box := image.Rectangle{Max: img.Rect.Size()}.Add(at)
	return []ui.Op{{Shape: ui.Photo, Box: box, Clip: box.Intersect(below), Picture: img}}
}

// progress is how far something that began at start and lasts d has come, 0 to 1, slowing down
// towards the end.
func (st *stage) progress(start time.Time, d time.Duration) float64 {
	t := st.sys.Now().Sub(start)
	if t >= d || d <= 0 {
		return 1
	}
	rest := 1 - max(float64(t)/float64(d), 0)
	return 1 - rest*rest
}

// transit plays the transition between the windows before and now.
func (st *stage) transit(s *scene, now []ui.Op) []ui.Op {
	all := image.Rectangle{Max: s.size}
	e := st.progress(st.start, st.length)
	if e >= 1 {
		return now
	}
	w, h := float64(s.size.X), float64(s.size.Y)
	in := move{within: all, fade: 1}
	out := in
	switch st.motion {
	case apps.Forward:
		in.x, out.x = w*(1-e), -0.25*w*e
	case apps.Backward:
		in.x, out.x = -0.25*w*(1-e), w*e
		return append(in.apply(now), out.apply(st.prev)...)
	case apps.Open:
		in.y, in.fade = 0.12*h*(1-e), e
	case apps.Close:
		out.y, out.fade = 0.12*h*e, 1-e
		return append(in.apply(now), out.apply(st.prev)...)
	case apps.Turn:
		in.fade = e
		return in.apply(now)
	default:
		in.fade = e
	}
	return append(out.apply(st.prev), in.apply(now)...)
}

// move shifts and fades ops.
type move struct {
	x, y, fade float64
	within     image.Rectangle
}

func (m move) apply(ops []ui.Op) []ui.Op {
	out := make([]ui.Op, len(ops))
	for i, o := range ops {
		out[i] = o.Moved(image.Pt(int(m.x), int(m.y)), m.within).Faded(m.fade)
	}
	return out
}

// keyboardOps draws the keyboard as it slides in or out.
func (st *stage) keyboardOps(s *scene) []ui.Op {
	e := st.progress(st.keysStart, st.scaled(keysLength, "animator_duration_scale"))
	if !st.keysShown {
		e = 1 - e
	}
	if e <= 0 || st.locked {
		return nil
	}
	if s.keyboard != nil {
		st.keys = ui.Paint(s.keyboard, st.theme(), false)
	}
	return move{y: (1 - e) * float64(st.keyboardHeight(s)), fade: 1,
		within: image.Rectangle{Max: s.size}}.apply(st.keys)
}
