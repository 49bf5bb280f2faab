package sandbox

import (
	"cmp"
	"image"
	"strconv"

	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/ui"
)

// Display is the panel: its size and rotation.
type Display struct {
	*core
	settings *Settings
	override image.Point // zero for none
}

// PhysicalSize is the size of the panel in natural orientation.
func (d *Display) PhysicalSize() image.Point { return d.opts.Size }

// Closed is the size of the panel that is dark while the phone is unfolded, zero for none.
func (d *Display) Closed() image.Point { return d.opts.Closed }

// Override is the size that was set in place of the physical one, in natural orientation, zero when
// none is set.
func (d *Display) Override() image.Point {
	return look(d.core, func() image.Point { return d.override })
}

// SetOverride sets the size that apps and input see, in natural orientation. Zero goes back to the
// physical size. Sides are held between 200 and 8192.
func (d *Display) SetOverride(size image.Point) {
	d.do(func() {
		if size != (image.Point{}) {
			size.X = min(max(size.X, 200), 8192)
			size.Y = min(max(size.Y, 200), 8192)
		}
		d.override = size
		d.sys.Moved(apps.Popup)
	})
}

// Size is the logical display in its rotation: the coordinates of taps, captures and the UI
// tree.
func (d *Display) Size() image.Point { return look(d.core, d.size) }

func (d *Display) size() image.Point {
	return d.turned(cmp.Or(d.override, d.opts.Size))
}

// turned is a size in natural orientation as the display is turned now.
func (d *Display) turned(s image.Point) image.Point {
	if d.settings.rotation()%2 == 0 {
		return s
	}
	return image.Pt(s.Y, s.X)
}

// Density is the panel's in dots per inch, which apps are laid out with.
func (d *Display) Density() int { return d.opts.Density }

// Rotation is how far the display is turned, in quarter turns, 0 to 3.
func (d *Display) Rotation() int { return look(d.core, d.settings.rotation) }

// SetRotation turns the display to r quarter turns.
func (d *Display) SetRotation(r int) {
	d.do(func() {
		d.settings.put(apps.System, "user_rotation", strconv.Itoa(((r%4)+4)%4))
		d.settings.put(apps.System, "accelerometer_rotation", "0")
	})
}

func (d *Display) metrics() ui.Metrics {
	scale := min(max(d.sys.Settings.Float(apps.System, "font_scale", 1), 0.5), 3)
	return ui.Metrics{Density: d.opts.Density, FontScale: scale}
}

func (d *Display) theme() *ui.Theme {
	if d.sys.Dark() {
		return &ui.Dark
	}
	return &ui.Light
}
