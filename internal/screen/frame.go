package screen

import (
	"bytes"
	"errors"
	"image"
	"image/draw"
	"image/jpeg"
	"slices"
	"sync"

	"github.com/disintegration/imaging"

	"github.com/taploop/taploop/internal/screen/pixels"
)

// Frame is one picture of a screen. It does not change after it is made, so any number of
// goroutines may use it.
//
// It holds itself in small, and its pixels as they were captured, packed. Another size is made when
// it is asked for, a row at a time: the whole picture is never unpacked for it. One of a [Decoder]
// that knows in which sizes frames are asked for holds those instead of its pixels, and others are
// made of the largest of them.
type Frame struct {
	size   Size
	src    pixels.Source // nil when it holds no pixels
	small  func() *Picture
	ready  []*Picture // in other sizes
	wishes *wishes    // the sizes that later frames may be asked for, or nil

	measured sync.Once
	print    Fingerprint

	tiled  sync.Once
	mosaic Mosaic
}

// smallSide is the longest side of what a frame holds of itself in small.
const smallSide = 1280

// newFrame reads the source once: it is whole, and the frame has itself in small, and in those of
// the sizes that are not larger than it. It holds no pixels yet.
func newFrame(size Size, src pixels.Source, sizes []Size) (*Frame, error) {
	outs := []Size{fitted(size, smallSide)}
	for _, s := range sizes {
		if !s.larger(size) && s != outs[0] {
			outs = append(outs, s)
		}
	}
	pictures, err := shrink(src, size, outs...)
	if err != nil {
		return nil, err
	}
	small := func() *Picture { return pictures[0] }
	return &Frame{size: size, small: small, ready: pictures[1:]}, nil
}

// shrink is [pixels.Shrink].
func shrink(src pixels.Source, in Size, outs ...Size) ([]*Picture, error) {
	sizes := make([]image.Point, len(outs))
	for i, out := range outs {
		sizes[i] = out.point()
	}
	list, err := pixels.Shrink(src, in.point(), sizes...)
	pictures := make([]*Picture, len(list))
	for i, img := range list {
		pictures[i] = &Picture{img}
	}
	return pictures, err
}

// FromJPEG is a JPEG as a frame.
func FromJPEG(b []byte) (*Frame, error) {
	img, err := jpeg.Decode(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return NewFrame(img)
}

// NewFrame makes a frame of a picture, with black for transparency. The caller must not draw on the
// picture after that.
func NewFrame(img image.Image) (*Frame, error) {
	b := img.Bounds()
	if b.Empty() {
		return nil, errors.New("empty picture")
	}
	f := &Frame{size: Size{b.Dx(), b.Dy()}, src: pixels.Drawn{RGBA: rgba(img)}}
	f.small = sync.OnceValue(func() *Picture { return f.shrunk(fitted(f.size, smallSide)) })
	return f, nil
}

// rgba is img, opaque, from (0,0) on and without gaps between the rows.
func rgba(img image.Image) *image.RGBA {
	b := img.Bounds()
	if img, ok := img.(*image.RGBA); ok && b.Min == (image.Point{}) && img.Stride == 4*b.Dx() &&
		img.Opaque() {
		return &image.RGBA{Pix: img.Pix[:img.Stride*b.Dy()], Stride: img.Stride, Rect: b}
	}
	out := image.NewRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(out, out.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(out, out.Bounds(), img, b.Min, draw.Over)
	return out
}

// Size is the frame's own size in pixels.
func (f *Frame) Size() Size { return f.size }

// Image is the whole picture, opaque. It must not be drawn on.
func (f *Frame) Image() *image.RGBA {
	switch src := f.src.(type) {
	case nil:
		return rgba(f.Resized(f.size).img)
	case pixels.Drawn:
		return src.RGBA
	}
	return pixels.Unpack(f.src, f.size.point())
}

// Resized returns the frame at exactly size s, without regard to its aspect ratio. A side below 1
// counts as 1.
func (f *Frame) Resized(s Size) *Picture {
	s = Size{max(s.W, 1), max(s.H, 1)}
	if s == fitted(f.size, smallSide) {
		return f.small()
	}
	if s.larger(f.size) && f.src != nil {
		return enlarged(f.Image(), s)
	}
	if f.wishes != nil {
		f.wishes.add(s)
	}
	for _, p := range f.ready {
		if p.Size() == s {
			return p
		}
	}
	return f.shrunk(s)
}

// Within is the frame with its long side at most side pixels, aspect kept. It never enlarges. A
// side below 1 counts as 1. Where a whole number of pixels makes one, and little is lost by it, the
// picture is a bit smaller than it could be.
func (f *Frame) Within(side int) *Picture { return f.Resized(fitted(f.size, side)) }

// JPEG encodes the frame at its own size, quality 1 to 100.
func (f *Frame) JPEG(quality int) ([]byte, error) { return f.Resized(f.size).JPEG(quality) }

func (f *Frame) shrunk(s Size) *Picture {
	src, size := f.src, f.size
	if src == nil {
		held := f.largest()
		if src, size = (pixels.Drawn{RGBA: rgba(held.img)}), held.Size(); s.larger(size) {
			return enlarged(rgba(held.img), s)
		}
	}
	p, err := shrink(src, size, s)
	if err != nil { // it was read to the end before
		panic("screen: the pixels of a frame have changed: " + err.Error())
	}
	return p[0]
}

// largest is the picture that the frame holds of itself with the most pixels.
func (f *Frame) largest() *Picture {
	most := f.small()
	for _, p := range f.ready {
		if a, b := p.Size(), most.Size(); a.W*a.H > b.W*b.H {
			most = p
		}
	}
	return most
}

// larger reports whether a side of s is longer than than's.
func (s Size) larger(than Size) bool { return s.W > than.W || s.H > than.H }

// fitted is the size of a picture of size s within side pixels.
func fitted(s Size, side int) Size {
	side = max(side, 1)
	long := max(s.W, s.H)
	if long <= side {
		return s
	}
	k := (long + side - 1) / side
	if s.W%k == 0 && s.H%k == 0 && 3*long/k >= 2*side {
		return Size{s.W / k, s.H / k}
	}
	return s.Scaled(side)
}

// Scaled is s with its long side at side pixels, aspect kept.
func (s Size) Scaled(side int) Size {
	long := max(s.W, s.H)
	n := func(n int) int { return max((n*side+long/2)/long, 1) }
	return Size{n(s.W), n(s.H)}
}

// Fingerprint is the mean grey of each cell of the frame in small. It is computed once.
func (f *Frame) Fingerprint() Fingerprint {
	f.measured.Do(func() { f.print = f.fingerprint() })
	return f.print
}

func (f *Frame) fingerprint() Fingerprint {
	small := f.small()
	var fp Fingerprint
	pixels.Means(fp[:], cells, small.img.Y, small.img.YStride, small.Size().point())
	return fp
}

// Black reports whether the frame is (nearly) all black, as a secure window is captured.
func (f *Frame) Black() bool {
	const dark = 12
	img := f.small().img
	bright := func(v uint8) bool { return v > dark }
	coloured := func(v uint8) bool { return v < 128-6 || v > 128+6 }
	return !slices.ContainsFunc(img.Y, bright) && !slices.ContainsFunc(img.Cb, coloured) &&
		!slices.ContainsFunc(img.Cr, coloured)
}

// wishes are the sizes in which frames of one phone are asked for.
type wishes struct {
	mu   sync.Mutex
	now  []Size // asked for since the last call of sizes
	last []Size // and before
}

// mostWishes bounds how many sizes are made in advance.
const mostWishes = 3

func (w *wishes) add(s Size) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.now) <= mostWishes && !slices.Contains(w.now, s) {
		w.now = append(w.now, s)
	}
}

// sizes returns the sizes that were asked for last, or none if they were too many.
func (w *wishes) sizes() []Size {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.now) > 0 {
		w.last, w.now = w.now, nil
	}
	if len(w.last) > mostWishes {
		return nil
	}
	return w.last
}

// enlarged is img at a size that is larger on one side at least.
func enlarged(img *image.RGBA, s Size) *Picture {
	out := imaging.Resize(img, s.W, s.H, imaging.Linear) // of opaque pixels: NRGBA is RGBA
	p, err := shrink(pixels.Drawn{RGBA: (*image.RGBA)(out)}, s, s)
	if err != nil {
		panic("screen: " + err.Error()) // a picture in memory can be read
	}
	return p[0]
}
