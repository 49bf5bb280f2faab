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

// Frame is one picture of a screen. It does not change after it is made, so any number of
// goroutines may use it.
type Frame struct {
	img *image.RGBA // opaque, origin (0,0), no gaps between the rows
}

// NewFrame takes a picture over as a frame; what it shows through is black. The caller must not
// draw on it after that.
func NewFrame(img image.Image) (*Frame, error) {
	b := img.Bounds()
	if b.Empty() {
		return nil, errors.New("empty picture")
	}
	switch img := img.(type) {
	case *image.RGBA:
		if b.Min == (image.Point{}) && img.Stride == 4*b.Dx() && img.Opaque() {
			return &Frame{&image.RGBA{Pix: img.Pix[:img.Stride*b.Dy()], Stride: img.Stride,
				Rect: b}}, nil
		}
	case *image.NRGBA:
		if b.Min == (image.Point{}) && img.Stride == 4*b.Dx() && img.Opaque() {
			return opaque(img), nil
		}
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

// Resized is the frame at exactly size s; the aspect ratio is the caller's business. A side below 1
// counts as 1.
func (f *Frame) Resized(s Size) *Frame {
	s = Size{max(s.W, 1), max(s.H, 1)}
	if s == f.Size() {
		return f
	}
	return opaque(imaging.Resize(f.img, s.W, s.H, imaging.Linear))
}

// Within is the frame with its long side at most side pixels, aspect kept. It never enlarges. A
// side below 1 counts as 1.
func (f *Frame) Within(side int) *Frame {
	side = max(side, 1)
	if side >= max(f.Size().W, f.Size().H) {
		return f
	}
	return opaque(imaging.Fit(f.img, side, side, imaging.Linear))
}

// opaque reads an opaque NRGBA without gaps as RGBA: for opaque pixels both layouts are the same
// bytes, and the JPEG encoder has a fast path for RGBA only.
func opaque(n *image.NRGBA) *Frame {
	return &Frame{&image.RGBA{Pix: n.Pix[:n.Stride*n.Rect.Dy()], Stride: n.Stride, Rect: n.Rect}}
}

// JPEG encodes the frame, quality 1 to 100.
func (f *Frame) JPEG(quality int) ([]byte, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, f.img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encoding a %s frame: %w", f.Size(), err)
	}
	return b.Bytes(), nil
}
