package sandbox

import (
	"image"
	"slices"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Heights of the system's bars in dp.
const (
	statusHeight = 30
	navHeight    = 48
)

// layer is one tree of the display.
type layer struct {
	declared *ui.View
	mem      *ui.Memory
	view     *ui.Placed
}

// scene is everything on the display at one moment, laid out.
type scene struct {
	size     image.Point
	metrics  ui.Metrics
	window   []layer      // the app, and what is in front of it; uiautomator lists the last
	system   []*ui.Placed // bars, banner, toast
	keyboard *ui.Placed   // nil when it is hidden
	field    *ui.Field    // has the focus; nil when none has
	onPhoto  bool         // the window is the wallpaper: bars are white
}

// screen builds what the phone shows: the windows, and the system's bars around them.
type screen struct {
	*core
	*settings
	*display
	*lock
	*appStack
	*keyboard
	coverMemory, lockMemory ui.Memory
}

// scene builds and lays out the display as it is now.
func (sc *screen) scene() *scene {
	s := &scene{size: sc.size(), metrics: sc.metrics()}
	all := image.Rectangle{Max: s.size}
	sc.sys.Wide = s.size.X > s.size.Y
	front, mem := sc.windows(s)
	s.field = front.Field(mem.Focus)
	bottom := s.metrics.Px(navHeight)
	if s.field != nil && !sc.keyboardHidden {
		h := sc.keyboardHeight(s)
		s.keyboard = ui.Layout(sc.board(s), image.Rect(0, s.size.Y-bottom-h, s.size.X,
			s.size.Y-bottom), s.metrics, &ui.Memory{})
		bottom += h
	}
	for i, l := range s.window {
		l.declared.Inset(0, statusHeight, 0, bottom)
		s.window[i].view = ui.Layout(l.declared, all, s.metrics, l.mem)
	}
	if v := sc.pressable(s); v != nil {
		v.Light()
	}
	for _, v := range sc.systemViews(s) {
		s.system = append(s.system, ui.Layout(v, all, s.metrics, &ui.Memory{}))
	}
	return s
}

// windows builds the windows from back to front and returns the last one with its memory.
func (sc *screen) windows(s *scene) (front *ui.View, mem *ui.Memory) {
	add := func(v *ui.View, m *ui.Memory) {
		s.window = append(s.window, layer{declared: v, mem: m})
		front, mem = v, m
	}
	photo := func(v *ui.View) *ui.View {
		s.onPhoto = true
		return ui.Stack(v).Fade(wallTop, wallBottom)
	}
	switch page := sc.front.Top(); {
	case sc.locked:
		add(photo(sc.lockScreen(sc.notifications())), &sc.lockMemory)
		return front, mem
	case sc.overview:
		add(photo(sc.recents()), &sc.coverMemory)
		return front, mem
	case sc.front == sc.home:
		add(photo(page.View()), &page.Memory)
	default:
		add(ui.Stack(page.View()).Fill(ui.Background), &page.Memory)
	}
	if sc.front.Dialog != nil {
		add(dialog(sc.front), &sc.front.Dialog.Memory)
	}
	return front, mem
}

// at finds what is touched at a point: the keyboard and bars first, then the windows from front to
// back.
func (s *scene) at(at image.Point, want func(*ui.Placed) bool) *ui.Placed {
	for _, v := range slices.Backward(s.stack()) {
		if found, blocked := v.At(at, want); blocked {
			return found
		}
	}
	return nil
}

// front is the window in front.
func (s *scene) front() layer { return s.window[len(s.window)-1] }

// stack is all trees, the one in front last.
func (s *scene) stack() []*ui.Placed {
	var out []*ui.Placed
	for _, l := range s.window {
		out = append(out, l.view)
	}
	if s.keyboard != nil {
		out = append(out, s.keyboard)
	}
	return append(out, s.system...)
}

// field is the one that has the focus, or nil.
func (sc *screen) field() *ui.Field { return sc.scene().field }

func (sc *screen) tree() Node {
	s := sc.scene()
	if sc.off {
		return Node{Class: "android.widget.FrameLayout", Package: systemUI, Enabled: true,
			Bounds: image.Rectangle{Max: s.size}}
	}
	return s.front().view.Node(sc.window().Package)
}

// KeyboardShown reports whether the input method is in front, as it is while a text field has the
// focus.
func (sc *screen) KeyboardShown() bool {
	return look(sc.core, func() bool { return !sc.off && sc.scene().keyboard != nil })
}

// UITree is what uiautomator sees: the window in front, without status bar, navigation bar and
// keyboard.
func (sc *screen) UITree() Node { return look(sc.core, sc.tree) }

// DumpXML is the UI tree as uiautomator writes it.
func (sc *screen) DumpXML() []byte {
	return look(sc.core, func() []byte { return ui.DumpXML(sc.tree(), sc.rotation()) })
}
