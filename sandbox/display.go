package sandbox

import (
	"image"
	"strconv"

	"github.com/taploop/taploop/sandbox/apps"
)

// PhysicalSize is the size of the panel in natural orientation.
func (p *Phone) PhysicalSize() image.Point { return p.opts.Size }

// Override returns the size that was set in place of the physical one, in natural orientation, and whether one is set.
func (p *Phone) Override() (size image.Point, set bool) {
	p.do(func() {
		if p.override != nil {
			size, set = *p.override, true
		}
	})
	return size, set
}

// SetOverride sets the size that apps and input see, in natural orientation; nil goes back to the physical size.
// Sides are held between 200 and 8192.
func (p *Phone) SetOverride(size *image.Point) {
	p.do(func() {
		p.override = nil
		if size != nil {
			p.override = &image.Point{X: min(max(size.X, 200), 8192), Y: min(max(size.Y, 200), 8192)}
		}
		p.sys.Moved(apps.Turn)
	})
}

// Size is the logical display as it is turned now: the coordinates of taps, captures and the UI tree.
func (p *Phone) Size() (size image.Point) {
	p.do(func() { size = p.size() })
	return size
}

func (p *Phone) size() image.Point {
	s := p.opts.Size
	if p.override != nil {
		s = *p.override
	}
	if p.rotation()%2 == 1 {
		s.X, s.Y = s.Y, s.X
	}
	return s
}

// PhysicalDensity is the panel's own density in dots per inch.
func (p *Phone) PhysicalDensity() int { return p.opts.Density }

// Density is the density that apps are laid out with.
func (p *Phone) Density() (dpi int) {
	p.do(func() { dpi = p.density })
	return dpi
}

// SetDensity sets the density, held between 72 and 1000; 0 goes back to the physical one.
func (p *Phone) SetDensity(dpi int) {
	p.do(func() {
		p.density = p.opts.Density
		if dpi != 0 {
			p.density = min(max(dpi, 72), 1000)
		}
		p.sys.Moved(apps.Turn)
	})
}

// Rotation is how far the display is turned, in quarter turns, 0 to 3.
func (p *Phone) Rotation() (turns int) {
	p.do(func() { turns = p.rotation() })
	return turns
}

// SetRotation turns the display to r quarter turns; auto says whether it would follow the accelerometer afterwards. The
// simulated phone lies still, so with auto it goes back to portrait.
func (p *Phone) SetRotation(r int, auto bool) {
	p.do(func() {
		p.put(apps.System, "user_rotation", strconv.Itoa(((r%4)+4)%4))
		p.put(apps.System, "accelerometer_rotation", map[bool]string{true: "1", false: "0"}[auto])
	})
}

func (p *Phone) rotation() int {
	if p.sys.Settings.Bool(apps.System, "accelerometer_rotation") {
		return 0
	}
	return p.sys.Settings.Int(apps.System, "user_rotation", 0) & 3
}
