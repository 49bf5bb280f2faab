package sandbox

import (
	"image"
	"slices"

	"github.com/taploop/taploop/internal/sandbox/ui"
	"github.com/taploop/taploop/internal/text"
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
	window   []layer      // the app, and windows in front of it: uiautomator lists the last
	system   []*ui.Placed // bars, banner, toast
	keyboard *ui.Placed   // nil when it is hidden
	field    *ui.Field    // has the focus, or nil
	onPhoto  bool         // the window is the wallpaper: bars are white
}

// at finds the target of a touch: the keyboard and bars first, then the windows from front to
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
	out := text.Each(s.window, func(l layer) *ui.Placed { return l.view })
	if s.keyboard != nil {
		out = append(out, s.keyboard)
	}
	return append(out, s.system...)
}

// focusable lists what can have the focus in the window in front.
func (s *scene) focusable() (list []*ui.Placed) {
	s.front().view.Walk(func(v *ui.Placed) {
		if ui.Focusable(v) && !v.Bounds().Empty() {
			list = append(list, v)
		}
	})
	return list
}
