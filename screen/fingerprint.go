package screen

import (
	"fmt"
	"math/bits"

	"github.com/disintegration/imaging"
)

// Fingerprint is a frame in small: 24x24 grey cells. Equal screens have equal fingerprints; a blinking cursor or
// a clock's minute moves few cells.
type Fingerprint [24 * 24]uint8

// Fingerprint computes the frame's fingerprint.
func (f *Frame) Fingerprint() Fingerprint {
	small := imaging.Grayscale(imaging.Resize(f.img, 24, 24, imaging.Box))
	var fp Fingerprint
	for i := range fp {
		fp[i] = small.Pix[i*4]
	}
	return fp
}

// Distance is the share of cells, 0 to 1, that differ noticeably.
func (a Fingerprint) Distance(b Fingerprint) float64 {
	n := 0
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > 6 || d < -6 {
			n++
		}
	}
	return float64(n) / float64(len(a))
}

// Hash is a short text that is equal for equal fingerprints, for logs and for counting repeated screens.
func (a Fingerprint) Hash() string {
	h := uint64(14695981039346656037)
	for _, c := range a {
		h = (h ^ uint64(c>>3)) * 1099511628211
	}
	return fmt.Sprintf("%016x", bits.RotateLeft64(h, 7))
}

// Black reports whether the frame is (nearly) all black, as a secure window is captured.
func (f *Frame) Black() bool {
	const dark = 12
	p := f.img.Pix
	for i := 0; i+3 < len(p); i += 4 {
		if p[i] > dark || p[i+1] > dark || p[i+2] > dark {
			return false
		}
	}
	return true
}
