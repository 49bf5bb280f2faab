package sandbox

import (
	"image"
	"slices"
	"time"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// stage turns scenes into frames: it plays transitions and keeps the last frame while nothing changes.
type stage struct {
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
	apps.Forward: 300 * time.Millisecond, apps.Backward: 300 * time.Millisecond, apps.Popup: 160 * time.Millisecond,
	apps.Open: 360 * time.Millisecond, apps.Close: 360 * time.Millisecond, apps.Turn: 400 * time.Millisecond,
}

const keysLength = 240 * time.Millisecond

func (p *Phone) scaled(d time.Duration, setting string) time.Duration {
	scale := min(max(p.sys.Settings.Float(apps.Global, setting, 1), 0), 20)
	return time.Duration(float64(d) * scale)
}

// settle notes what an event changed, and starts its transition.
func (p *Phone) settle() {
	if p.sys.Want != "" {
		want := p.sys.Find(p.sys.Want)
		p.sys.Want = ""
		if want != nil && want.Activity != "" {
			p.bring(want)
		}
	}
	st, now := &p.stage, p.sys.Now()
	if p.sys.Motion != apps.Still {
		st.prev, st.motion, st.start = st.last, p.sys.Motion, now
		st.length = p.scaled(lengths[st.motion], "transition_animation_scale")
		p.sys.Motion = apps.Still
		p.showKeyboard(st.motion)
	}
	s := p.scene()
	st.last = p.paintWindows(s)
	if shown := s.keyboard != nil; shown != st.keysShown {
		st.keysShown, st.keysStart = shown, now
	}
	if s.keyboard != nil {
		st.keys = ui.Paint(s.keyboard, p.theme(), false)
	}
}

// showKeyboard says whether a field that has the focus right after a transition has the keyboard too: on a new page or
// dialog it has, on one that is come back to it has not.
func (p *Phone) showKeyboard(m apps.Motion) {
	switch d := p.front.Dialog; {
	case m == apps.Forward, m == apps.Popup && d != nil && d.Memory.Focus != "":
		p.keyboardHidden, p.shift, p.symbols = false, false, false
	case m == apps.Backward, m == apps.Open:
		p.keyboardHidden = true
	}
}

func (p *Phone) paintWindows(s *scene) []ui.Op {
	lit := p.sys.Now().Sub(p.stage.edited)%time.Second < 500*time.Millisecond
	var ops []ui.Op
	for _, l := range s.window {
		ops = append(ops, ui.Paint(l.view, p.theme(), lit)...)
	}
	return ops
}

// Screenshot is the display as it is captured now: black while it is off or a secure window is in front, in the middle of
// a transition while one plays. The picture is shared: callers must not draw on it.
func (p *Phone) Screenshot() (img *image.RGBA) {
	p.do(func() { img = p.capture() })
	return img
}

func (p *Phone) capture() *image.RGBA {
	size := p.size()
	ops := []ui.Op{{Box: image.Rectangle{Max: size}, Clip: image.Rectangle{Max: size}, Color: ui.Opaque}}
	if !p.off && !p.window().Secure {
		ops = append(ops, p.ops()...)
	}
	st := &p.stage
	if st.frame == nil || !slices.Equal(ops, st.drawn) {
		st.frame, st.drawn = image.NewRGBA(image.Rectangle{Max: size}), ops
		ui.Draw(st.frame, ops)
		if p.opts.CapturePhysical && p.override != nil {
			st.frame = ui.Scale(st.frame, p.physicalNow())
		}
	}
	return st.frame
}

func (p *Phone) physicalNow() image.Point {
	if s := p.opts.Size; p.rotation()%2 == 0 {
		return s
	}
	return image.Pt(p.opts.Size.Y, p.opts.Size.X)
}

// ops is what draws the display at this moment, transitions included.
func (p *Phone) ops() []ui.Op {
	s := p.scene()
	ops := p.transit(s, p.paintWindows(s))
	ops = append(ops, p.keyboardOps(s)...)
	for _, l := range s.system {
		ops = append(ops, ui.Paint(l.view, p.theme(), false)...)
	}
	return ops
}

// progress is how far something that began at start and lasts d has come, 0 to 1, slowing down towards the end.
func (p *Phone) progress(start time.Time, d time.Duration) float64 {
	t := p.sys.Now().Sub(start)
	if t >= d || d <= 0 {
		return 1
	}
	rest := 1 - max(float64(t)/float64(d), 0)
	return 1 - rest*rest
}

// transit plays the transition between the windows before and now.
func (p *Phone) transit(s *scene, now []ui.Op) []ui.Op {
	st, all := &p.stage, image.Rectangle{Max: s.size}
	e := p.progress(st.start, st.length)
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
func (p *Phone) keyboardOps(s *scene) []ui.Op {
	st := &p.stage
	e := p.progress(st.keysStart, p.scaled(keysLength, "animator_duration_scale"))
	if !st.keysShown {
		e = 1 - e
	}
	if e <= 0 || p.locked {
		return nil
	}
	if s.keyboard != nil {
		st.keys = ui.Paint(s.keyboard, p.theme(), false)
	}
	return move{y: (1 - e) * float64(p.keyboardHeight(s)), fade: 1, within: image.Rectangle{Max: s.size}}.apply(st.keys)
}
