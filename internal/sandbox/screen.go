package sandbox

import (
	"image"

	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Node is one element of the UI tree.
type Node = ui.Node

// The wallpaper's colours.
var wallTop, wallBottom = ui.RGB(0x27406b), ui.RGB(0x7b5f8d)

// Screen is what the phone shows: the windows, the keyboard, and the system's bars around them.
type Screen struct {
	*core
	display  *Display
	lock     *Lock
	stack    *Apps
	keyboard *Keyboard
	shade    *shade

	coverMemory, lockMemory ui.Memory
}

// scene builds and lays out the display.
func (sc *Screen) scene() *scene {
	s := &scene{size: sc.display.size(), metrics: sc.display.metrics()}
	all := image.Rectangle{Max: s.size}
	sc.sys.Wide, sc.sys.High = s.size.X > s.size.Y, s.size.Y*160/s.metrics.Density
	front, mem := sc.windows(s)
	s.field = front.Field(mem.Focus)
	bottom := s.metrics.Px(navHeight)
	if s.field != nil && !sc.keyboard.keyboardHidden {
		h := sc.keyboard.keyboardHeight(s)
		s.keyboard = ui.Layout(sc.keyboard.board(s),
			image.Rect(0, s.size.Y-bottom-h, s.size.X, s.size.Y-bottom), s.metrics, &ui.Memory{})
		bottom += h
	}
	for i, l := range s.window {
		l.declared.Inset(0, statusHeight, 0, bottom)
		s.window[i].view = ui.Layout(l.declared, all, s.metrics, l.mem)
	}
	if v := sc.keyboard.focus.pressable(s); v != nil {
		v.Light()
	}
	for _, v := range sc.shade.views(s) {
		s.system = append(s.system, ui.Layout(v, all, s.metrics, &ui.Memory{}))
	}
	return s
}

// windows builds the windows from back to front and returns the last one with its memory.
func (sc *Screen) windows(s *scene) (front *ui.View, mem *ui.Memory) {
	add := func(v *ui.View, m *ui.Memory) {
		s.window = append(s.window, layer{declared: v, mem: m})
		front, mem = v, m
	}
	photo := func(v *ui.View) *ui.View {
		s.onPhoto = true
		return ui.Stack(v).Fade(wallTop, wallBottom)
	}
	switch page := sc.stack.front.Top(); {
	case sc.lock.locked:
		add(photo(sc.lock.lockScreen(sc.shade.notifications())), &sc.lockMemory)
		return front, mem
	case sc.stack.overview:
		add(photo(sc.stack.recents()), &sc.coverMemory)
		return front, mem
	case sc.stack.front == sc.stack.home:
		add(photo(page.View()), &page.Memory)
	default:
		add(ui.Stack(page.View()).Fill(ui.Background), &page.Memory)
	}
	if sc.stack.front.Dialog != nil {
		add(dialog(sc.stack.front), &sc.stack.front.Dialog.Memory)
	}
	return front, mem
}

// leaveTouchMode gives the first view the focus when nothing has it, and reports whether it did.
func (sc *Screen) leaveTouchMode() bool {
	s := sc.scene()
	focus := keyFocus{keys: true, window: s.front().mem}
	if sc.keyboard.focus == focus {
		return false
	}
	sc.keyboard.focus = focus
	list := s.focusable()
	if s.field != nil || len(list) == 0 {
		return false
	}
	if list[0].Field() != nil {
		sc.enterField(list[0])
	}
	return true
}

func (sc *Screen) enterField(v *ui.Placed) {
	v.Focus()
	sc.keyboard.showLetters()
}

// advance gives the focus to the next field, and reports whether there is one.
func (sc *Screen) advance() bool {
	behind := false
	for _, v := range sc.scene().focusable() {
		if behind && v.Field() != nil {
			sc.enterField(v)
			return true
		}
		behind = behind || v.Focused()
	}
	return false
}

// field is the one that has the focus, or nil.
func (sc *Screen) field() *ui.Field { return sc.scene().field }

func (sc *Screen) tree() Node {
	s := sc.scene()
	if sc.lock.off {
		return Node{Class: "android.widget.FrameLayout", Package: systemUI, Enabled: true,
			Bounds: image.Rectangle{Max: s.size}}
	}
	return s.front().view.Node(sc.window().Package)
}

// KeyboardShown reports whether the input method is in front, as while a text field has the
// focus.
func (sc *Screen) KeyboardShown() bool {
	return look(sc.core, func() bool { return !sc.lock.off && sc.scene().keyboard != nil })
}

// UITree is what uiautomator sees: the window in front, without status bar, navigation bar and
// keyboard.
func (sc *Screen) UITree() Node { return look(sc.core, sc.tree) }

// DumpXML is the UI tree as uiautomator writes it.
func (sc *Screen) DumpXML() []byte {
	return look(sc.core, func() []byte {
		return ui.DumpXML(sc.tree(), sc.display.settings.rotation())
	})
}

// Focus is what has the input focus in the window in front.
func (sc *Screen) Focus() Focus {
	return look(sc.core, func() Focus {
		if sc.lock.off || sc.lock.locked {
			return Focus{}
		}
		s := sc.scene()
		v := s.front().view.Find((*ui.Placed).Focused)
		if v == nil {
			v = sc.keyboard.focus.pressable(s)
		}
		if v == nil {
			return Focus{}
		}
		n := v.Node(sc.window().Package)
		return Focus{n.Class, n.ResourceID, v.Focused(), inputType(v.Field())}
	})
}

// Foreground is the window in front: the app's, its dialog's, or the system's when the phone is
// locked or off.
func (sc *Screen) Foreground() Window { return look(sc.core, sc.window) }

// App is the window of the app in front, whether or not the system covers it.
func (sc *Screen) App() Window { return look(sc.core, sc.stack.window) }

func (sc *Screen) window() Window {
	if sc.lock.locked {
		return Window{Package: systemUI, Activity: "NotificationShade"}
	}
	return sc.stack.window()
}

// StatusBar is the height of the status bar in pixels.
func (sc *Screen) StatusBar() int {
	return look(sc.core, func() int { return sc.display.metrics().Px(statusHeight) })
}
