package skill

import (
	"encoding/hex"
	"image"
	"math/bits"

	"github.com/disintegration/imaging"

	"github.com/taploop/taploop/internal/screen"
)

const (
	side      = 12 // of a fingerprint, in cells
	different = side * side / 8
)

// patch is a fingerprint of how a part of a screen looks: whether each of its cells is lighter than
// their mean. It is "" for a part without any difference in it.
func patch(img image.Image, r screen.Rect) string {
	small := imaging.Grayscale(imaging.Resize(r.Crop(img), side, side, imaging.Box))
	sum, low, high := 0, 255, 0
	for i := 0; i < len(small.Pix); i += 4 {
		v := int(small.Pix[i])
		sum, low, high = sum+v, min(low, v), max(high, v)
	}
	if high-low < 24 {
		return ""
	}
	mean := sum / (side * side)
	out := make([]byte, side*side/8)
	for i := range side * side {
		if int(small.Pix[4*i]) > mean {
			out[i/8] |= 1 << (i % 8)
		}
	}
	return hex.EncodeToString(out)
}

// looksLike reports whether two fingerprints are of the same thing.
func looksLike(a, b string) bool {
	x, err := hex.DecodeString(a)
	y, failed := hex.DecodeString(b)
	if err != nil || failed != nil || len(x) != len(y) || len(x) == 0 {
		return false
	}
	n := 0
	for i := range x {
		n += bits.OnesCount8(x[i] ^ y[i])
	}
	return n <= different
}
