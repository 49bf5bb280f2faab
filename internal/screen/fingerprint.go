package screen

// cells is how many cells a fingerprint has on each side.
const cells = 24

// Fingerprint is a frame as 24x24 grey cells. Equal screens have equal fingerprints. A blinking
// cursor or a clock's minute changes few cells.
type Fingerprint [cells * cells]uint8

// Below returns the fingerprint without the top share of the frame, 0 to 1. Rows of cells with a
// quarter or more in that share are equal in all results.
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

// Cells are some of the cells of a screen's fingerprints. The zero value has none.
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
