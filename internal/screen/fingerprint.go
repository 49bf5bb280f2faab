package screen

import (
	"encoding/binary"
	"slices"
)

// cells is how many cells a fingerprint has on each side.
const cells = 24

// Fingerprint is a frame in small: 24x24 grey cells. Equal screens have equal fingerprints; a
// blinking cursor or a clock's minute moves few cells.
type Fingerprint [cells * cells]uint8

// Fingerprint is the mean grey of each cell of the frame in small. It is computed once.
func (f *Frame) Fingerprint() Fingerprint {
	f.measured.Do(func() { f.print = f.fingerprint() })
	return f.print
}

func (f *Frame) fingerprint() Fingerprint {
	small := f.small().img
	size := f.small().Size()
	var fp Fingerprint
	for i := range cells {
		top, bottom := span(i, size.H)
		for j := range cells {
			left, right := span(j, size.W)
			sum := 0
			for y := top; y < bottom; y++ {
				sum += total(small.Y[y*small.YStride:][left:right])
			}
			fp[i*cells+j] = uint8(sum / ((right - left) * (bottom - top)))
		}
	}
	return fp
}

// total adds bytes up, eight at a time: in pairs first, each in 16 bits, and these in the highest.
func total(list []byte) (sum int) {
	const ones = 0x0001_0001_0001_0001
	for ; len(list) >= 8; list = list[8:] {
		v := binary.LittleEndian.Uint64(list)
		sum += int((v&low8 + v>>8&low8) * ones >> 48)
	}
	for _, b := range list {
		sum += int(b)
	}
	return sum
}

// span is the part of n pixels that cell i covers, at least one.
func span(i, n int) (from, to int) {
	from = i * n / cells
	return from, max((i+1)*n/cells, from+1)
}

// Below is the fingerprint without what is in the top share of the frame, 0 to 1: rows of cells of
// which a quarter or more lies there are the same in all.
func (a Fingerprint) Below(share float64) Fingerprint {
	rows := min(max(int(share*cells+0.75), 0), cells)
	clear(a[:rows*cells])
	return a
}

// Distance is the share of cells, 0 to 1, that differ noticeably.
func (a Fingerprint) Distance(b Fingerprint) float64 {
	var c Cells
	c.Add(a, b)
	return c.Share()
}

// Cells are some of the cells of a screen's fingerprints. The zero value is none.
type Cells [cells * cells]bool

// Add adds those in which two fingerprints differ noticeably.
func (c *Cells) Add(a, b Fingerprint) {
	for i := range a {
		if d := int(a[i]) - int(b[i]); d > 6 || d < -6 {
			c[i] = true
		}
	}
}

// Share is how many of all cells they are, 0 to 1.
func (c *Cells) Share() float64 {
	n := 0
	for _, in := range c {
		if in {
			n++
		}
	}
	return float64(n) / float64(len(c))
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
