package screen

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"

	"github.com/disintegration/imaging"
)

// Frame is one picture of a screen. It does not change after it is made, so any number of goroutines may use it.
type Frame struct {
	img *image.RGBA // opaque, origin (0,0)
}

// NewFrame takes a picture over as a frame. The caller must not draw on an *image.RGBA after that.
func NewFrame(img image.Image) (*Frame, error) {
	b := img.Bounds()
	if b.Empty() {
		return nil, errors.New("empty picture")
	}
	if rgba, ok := img.(*image.RGBA); ok && b.Min == (image.Point{}) && rgba.Opaque() {
		return &Frame{rgba}, nil
	}
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, b.Min, draw.Over)
	return &Frame{out}, nil
}

// Size is the frame's own size in pixels.
func (f *Frame) Size() Size { return Size{f.img.Rect.Dx(), f.img.Rect.Dy()} }

// Image is the picture. It must not be drawn on.
func (f *Frame) Image() *image.RGBA { return f.img }

// Resized is the frame at exactly size s; the aspect ratio is the caller's business.
func (f *Frame) Resized(s Size) *Frame {
	if s == f.Size() {
		return f
	}
	return opaque(imaging.Resize(f.img, s.W, s.H, imaging.Linear))
}

// Within is the frame with its long side at most side pixels, aspect kept. It never enlarges.
func (f *Frame) Within(side int) *Frame {
	if side >= max(f.Size().W, f.Size().H) {
		return f
	}
	return opaque(imaging.Fit(f.img, side, side, imaging.Linear))
}

// opaque reads an opaque NRGBA as RGBA: for opaque pixels both layouts are the same bytes, and the JPEG encoder has a
// fast path for RGBA only.
func opaque(n *image.NRGBA) *Frame {
	return &Frame{&image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}}
}

// JPEG encodes the frame, quality 1 to 100.
func (f *Frame) JPEG(quality int) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, f.img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encoding a %s frame: %w", f.Size(), err)
	}
	return b.Bytes(), nil
}
