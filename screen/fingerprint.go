package screen

// cells is how many cells a fingerprint has on each side.
const cells = 24

// Fingerprint is a frame in small: 24x24 grey cells. Equal screens have equal fingerprints; a
// blinking cursor or a clock's minute moves few cells.
type Fingerprint [cells * cells]uint8

// Fingerprint computes the frame's fingerprint: the mean grey of each cell, every pixel counted.
func (f *Frame) Fingerprint() Fingerprint {
	size := f.Size()
	var fp Fingerprint
	for i := range cells {
		top, bottom := span(i, size.H)
		for j := range cells {
			left, right := span(j, size.W)
			fp[i*cells+j] = f.grey(left, top, right, bottom)
		}
	}
	return fp
}

// span is the part of n pixels that cell i covers, at least one.
func span(i, n int) (from, to int) {
	from = i * n / cells
	return from, max((i+1)*n/cells, from+1)
}

// grey is the mean brightness of a part of the frame, with the weights that JPEG uses.
func (f *Frame) grey(left, top, right, bottom int) uint8 {
	var r, g, b uint64
	for y := top; y < bottom; y++ {
		row := f.img.Pix[y*f.img.Stride+4*left : y*f.img.Stride+4*right]
		for ; len(row) >= 4; row = row[4:] {
			r += uint64(row[0])
			g += uint64(row[1])
			b += uint64(row[2])
		}
	}
	return uint8((299*r + 587*g + 114*b) / (1000 * uint64((right-left)*(bottom-top))))
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
