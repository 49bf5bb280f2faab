package device

import (
	"errors"
	"fmt"
	"image"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/screen"
)

// fit makes a picture cover the logical display exactly, so that a fraction of the frame is the
// same fraction of the display.
func fit(f *screen.Frame, r reading) (*screen.Frame, error) {
	if err := r.shows(f.Size()); err != nil {
		return nil, err
	}
	if alike(f.Size(), r.State.Size) {
		return f, nil
	}
	return letterbox(f, r.State.Size)
}

// shows is nil for the size of a picture that is one of the display. It is not the display's own
// size always, some versions capture physical pixels while an override is set, but never larger
// than both.
func (r reading) shows(size screen.Size) error {
	logical, panel := r.State.Size, r.geometry.panel
	overridden := r.geometry.natural != panel
	fits := alike(size, logical) ||
		overridden && (alike(size, panel) || alike(size, panel.Turned()))
	most := max(logical.W*logical.H, panel.W*panel.H)
	if fits && size.W*size.H <= most+most/20 { // rounding, of a small one
		return nil
	}
	err := fmt.Errorf("the picture is %s, the display %s", size, logical)
	if alike(size, logical.Turned()) {
		return tornError{hint.Add(err, "the display was turning; look again")}
	}
	return tornError{hint.Add(err, "screencap shows another display than the one that "+
		"takes touches; fold or unfold the phone, or switch the other display off")}
}

// alike reports whether two sizes have the same shape, within what rounding makes of it.
func alike(a, b screen.Size) bool {
	const slack = 0.015
	if !a.Valid() || !b.Valid() {
		return false
	}
	x, y := a.W*b.H, b.W*a.H
	return float64(max(x, y)-min(x, y)) <= slack*float64(max(x, y))
}

// letterbox cuts the bars off that surround a display whose override has another shape than its
// panel.
func letterbox(f *screen.Frame, logical screen.Size) (*screen.Frame, error) {
	size := f.Size()
	w, h := size.W, size.W*logical.H/logical.W
	if h > size.H {
		w, h = size.H*logical.W/logical.H, size.H
	}
	if w < 1 || h < 1 {
		return nil, errors.New("the display's override size leaves nothing of the picture")
	}
	at := image.Pt((size.W-w)/2, (size.H-h)/2)
	part := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
	return screen.NewFrame(f.Image().SubImage(part))
}
