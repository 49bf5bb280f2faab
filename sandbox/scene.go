package sandbox

import (
	"image"

	"github.com/taploop/taploop/sandbox/apps"
	"github.com/taploop/taploop/sandbox/ui"
)

// Heights of the system's bars in dp.
const (
	statusHeight = 30
	navHeight    = 48
)

// cover is what the system shows in front of the app.
type cover uint8

const (
	coverNone cover = iota
	coverRecents
	coverShade
)

// layer is one laid out tree of the display.
type layer struct {
	view *ui.View
	mem  *ui.Memory
}

// scene is everything on the display at one moment, laid out.
type scene struct {
	size     image.Point
	metrics  ui.Metrics
	window   []layer  // the app and what is in front of it; the last one is listed by uiautomator
	system   []layer  // bars, banner, toast
	keyboard *ui.View // nil when it is hidden
	field    *ui.View // has the focus
	onPhoto  bool     // the window is the wallpaper: bars are white
}

func (p *Phone) metrics() ui.Metrics {
	scale := min(max(p.sys.Settings.Float(apps.System, "font_scale", 1), 0.5), 3)
	return ui.Metrics{Density: p.density, FontScale: scale}
}

func (p *Phone) theme() *ui.Theme {
	if p.sys.Dark() {
		return &ui.Dark
	}
	return &ui.Light
}

// scene builds and lays out the display as it is now.
func (p *Phone) scene() *scene {
	s := &scene{size: p.size(), metrics: p.metrics()}
	all := image.Rectangle{Max: s.size}
	p.sys.Wide = s.size.X > s.size.Y
	front, mem := p.windows(s)
	s.field = front.Find(func(v *ui.View) bool { return v.IsField() && v.Name() == mem.Focus && mem.Focus != "" })
	bottom := s.metrics.Px(navHeight)
	if s.field != nil && !p.keyboardHidden {
		s.keyboard = p.keyboard(s)
		h := p.keyboardHeight(s)
		ui.Layout(s.keyboard, image.Rect(0, s.size.Y-bottom-h, s.size.X, s.size.Y-bottom), s.metrics, &ui.Memory{})
		bottom += h
	}
	for _, l := range s.window {
		l.view.Inset(0, statusHeight, 0, bottom)
		ui.Layout(l.view, all, s.metrics, l.mem)
	}
	for _, v := range p.systemViews(s) {
		ui.Layout(v, all, s.metrics, &ui.Memory{})
		s.system = append(s.system, layer{v, &ui.Memory{}})
	}
	return s
}

// windows builds the windows from back to front and returns the last one with its memory.
func (p *Phone) windows(s *scene) (front *ui.View, mem *ui.Memory) {
	add := func(v *ui.View, m *ui.Memory) {
		s.window = append(s.window, layer{v, m})
		front, mem = v, m
	}
	photo := func(v *ui.View) *ui.View {
		s.onPhoto = true
		return ui.Stack(v).Fade(wallTop, wallBottom)
	}
	switch page := p.front.Top(); {
	case p.locked:
		add(photo(p.lockScreen()), &p.lockMemory)
		return front, mem
	case p.cover == coverRecents:
		add(photo(p.recents()), &p.coverMemory)
		return front, mem
	case p.front == p.home:
		add(photo(page.View()), &page.Memory)
	default:
		add(ui.Stack(page.View()).Fill(ui.Background), &page.Memory)
	}
	if p.front.Dialog != nil {
		add(p.dialog(p.front), &p.front.Dialog.Memory)
	}
	if p.cover == coverShade {
		s.onPhoto = true
		add(ui.Stack(p.shade()).Fill(ui.RGB(0x20242e)).Modal(), &p.coverMemory)
	}
	return front, mem
}

// at finds what is touched at a point: the keyboard and bars first, then the windows from front to back.
func (s *scene) at(at image.Point, want func(*ui.View) bool) *ui.View {
	for _, v := range s.stack() {
		if found := v.At(at, want); found != nil {
			return found
		}
		if v.Blocks(at) {
			return nil
		}
	}
	return nil
}

// stack is all trees, the one in front first.
func (s *scene) stack() []*ui.View {
	var out []*ui.View
	for i := len(s.system) - 1; i >= 0; i-- {
		out = append(out, s.system[i].view)
	}
	if s.keyboard != nil {
		out = append(out, s.keyboard)
	}
	for i := len(s.window) - 1; i >= 0; i-- {
		out = append(out, s.window[i].view)
	}
	return out
}

// field is the view that has the focus, laid out, or nil.
func (p *Phone) field() *ui.View { return p.scene().field }

func (p *Phone) tree() Node {
	s := p.scene()
	if p.off {
		return Node{Class: "android.widget.FrameLayout", Package: systemUI, Enabled: true, Bounds: image.Rectangle{Max: s.size}}
	}
	return s.window[len(s.window)-1].view.Node(p.window().Package)
}
