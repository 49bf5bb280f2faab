package screen

import (
	"fmt"
	"image"
	"math"
)

// Size is a width and a height in pixels.
type Size struct {
	W int `json:"w"`
	H int `json:"h"`
}

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.W, s.H) }

func (s Size) point() image.Point { return image.Pt(s.W, s.H) }

// Valid reports whether both sides are at least 1.
func (s Size) Valid() bool { return s.W > 0 && s.H > 0 }

// Turned swaps the sides.
func (s Size) Turned() Size { return Size{s.H, s.W} }

// Landscape reports whether s is wider than high.
func (s Size) Landscape() bool { return s.W > s.H }

// Point is a place on a frame as fractions of its sides: (0,0) is the top left corner, (1,1) the
// bottom right.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Valid reports whether p is on the frame. NaN is not.
func (p Point) Valid() bool { return p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1 }

// Pixel is the pixel of s under p. It is always inside s: points beyond the frame land on the
// nearest edge, NaN on the first pixel.
func (p Point) Pixel(s Size) image.Point {
	return image.Pt(pixel(p.X, s.W), pixel(p.Y, s.H))
}

func pixel(f float64, n int) int {
	at := math.Floor(f * float64(n))
	if math.IsNaN(at) {
		return 0
	}
	return int(min(max(at, 0), max(float64(n-1), 0)))
}

func (p Point) String() string { return fmt.Sprintf("(%.3f,%.3f)", p.X, p.Y) }
