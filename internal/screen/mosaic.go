package screen

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"

	"github.com/taploop/taploop/internal/screen/pixels"
)

// mosaicCell is the side of a mosaic's cells in pixels of a frame in small, 6 dp of most phones: a
// letter that is another one changes a cell.
const mosaicCell = 8

// noticedInCell is the difference in a cell's brightness or colour that is more than the last
// traces of a fading ripple.
const noticedInCell = 6

// Mosaic is a frame as small cells of brightness and colour. Frames of the same screen have equal
// mosaics. Another letter or digit anywhere makes another mosaic.
type Mosaic struct {
	Cols, Rows int
	Cells      []byte // the brightness of each, row by row, then their blue, then red
}

// mostCells bounds the size of a stored mosaic. A frame in small has 1280x1280 pixels at most.
const mostCells = 3 * (smallSide / mosaicCell) * (smallSide / mosaicCell)

// MarshalText writes m in the form in which it is stored, packed.
func (m Mosaic) MarshalText() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%dx%d ", m.Cols, m.Rows)
	text := base64.NewEncoder(base64.RawStdEncoding, &b)
	pack, err := flate.NewWriter(text, flate.DefaultCompression)
	if err == nil {
		_, err = pack.Write(m.Cells)
		err = errors.Join(err, pack.Close(), text.Close())
	}
	return b.Bytes(), err
}

// UnmarshalText reads what MarshalText wrote.
func (m *Mosaic) UnmarshalText(b []byte) error {
	size, cells, _ := bytes.Cut(b, []byte(" "))
	var out Mosaic
	if _, err := fmt.Sscanf(string(size), "%dx%d", &out.Cols, &out.Rows); err != nil {
		return fmt.Errorf("the size of a mosaic: %w", err)
	}
	packed := base64.NewDecoder(base64.RawStdEncoding, bytes.NewReader(cells))
	var err error
	out.Cells, err = io.ReadAll(io.LimitReader(flate.NewReader(packed), mostCells+1))
	if err != nil || len(out.Cells) > mostCells {
		return errors.Join(err, errors.New("the cells of a mosaic cannot be read"))
	}
	*m = out
	return nil
}

// Mosaic is the mean brightness and colour of each cell of the frame in small. It is computed once.
func (f *Frame) Mosaic() Mosaic {
	f.tiled.Do(func() { f.mosaic = f.tile() })
	return f.mosaic
}

func (f *Frame) tile() Mosaic {
	small := f.small()
	size := small.Size()
	m := Mosaic{Cols: cellsAlong(size.W), Rows: cellsAlong(size.H)}
	n := m.Cols * m.Rows
	m.Cells = make([]byte, 3*n)
	img := small.img
	half := Size{(size.W + 1) / 2, (size.H + 1) / 2}.point()
	pixels.Means(m.Cells[:n], m.Cols, img.Y, img.YStride, size.point())
	pixels.Means(m.Cells[n:2*n], m.Cols, img.Cb, img.CStride, half)
	pixels.Means(m.Cells[2*n:], m.Cols, img.Cr, img.CStride, half)
	return m
}

func cellsAlong(n int) int { return (n + mosaicCell - 1) / mosaicCell }

// Everything is all of m's cells.
func (m Mosaic) Everything() Area { return m.Changed(Mosaic{}) }

// Only is m with nothing but the cells in a. All others are the same in every result.
func (m Mosaic) Only(a Area) Mosaic {
	n := m.Cols * m.Rows
	m.Cells = slices.Clone(m.Cells)
	for i := range m.Cells {
		if !a.in[i%n] {
			m.Cells[i] = 0
		}
	}
	return m
}

// Changed is where two mosaics differ noticeably: everywhere if they have other sizes.
func (m Mosaic) Changed(now Mosaic) Area {
	a := Area{cols: max(m.Cols, 1), rows: max(m.Rows, 1)}
	n := a.cols * a.rows
	a.in = make([]bool, n)
	whole := m.Cols*m.Rows*3 == len(m.Cells) && len(m.Cells) > 0
	if now.Cols != m.Cols || now.Rows != m.Rows || len(now.Cells) != len(m.Cells) || !whole {
		for i := range a.in {
			a.in[i] = true
		}
		return a
	}
	for i, v := range m.Cells {
		if d := int(v) - int(now.Cells[i]); d > noticedInCell || d < -noticedInCell {
			a.in[i%n] = true
		}
	}
	return a
}

// Area is some of the cells of a mosaic. The zero value has none.
type Area struct {
	cols, rows int
	in         []bool
}

// Share is how much of the screen the area covers, 0 to 1.
func (a Area) Share() float64 {
	n := 0
	for _, in := range a.in {
		if in {
			n++
		}
	}
	return float64(n) / float64(max(len(a.in), 1))
}

// Empty reports whether there is nothing in the area.
func (a Area) Empty() bool { return a.Share() == 0 }

// keep is the cells of a for which f holds: it gets their index and their place, as a part of the
// screen.
func (a Area) keep(f func(i int, at Rect) bool) Area {
	out := Area{a.cols, a.rows, make([]bool, len(a.in))}
	w, h := float64(a.cols), float64(a.rows)
	for i, in := range a.in {
		if !in {
			continue
		}
		x, y := float64(i%a.cols), float64(i/a.cols)
		out.in[i] = f(i, Rect{Point{x / w, y / h}, Point{(x + 1) / w, (y + 1) / h}})
	}
	return out
}

// Within is what of a lies in r, with cells that are partly in it.
func (a Area) Within(r Rect) Area {
	return a.keep(func(_ int, at Rect) bool { return at.overlaps(r) })
}

// Without is what of a lies outside r. Cells that are partly in r count as in it.
func (a Area) Without(r Rect) Area {
	return a.keep(func(_ int, at Rect) bool { return !at.overlaps(r) })
}

// And is the part both in a and in b: nothing if they are of mosaics of other sizes.
func (a Area) And(b Area) Area {
	return a.keep(func(i int, _ Rect) bool { return b.has(a, i) })
}

// Except is a without b.
func (a Area) Except(b Area) Area {
	return a.keep(func(i int, _ Rect) bool { return !b.has(a, i) })
}

func (a Area) has(like Area, i int) bool {
	return a.cols == like.cols && a.rows == like.rows && a.in[i]
}

// in reports whether all of r lies in s.
func (r Rect) in(s Rect) bool {
	return s.Min.X <= r.Min.X && r.Max.X <= s.Max.X && s.Min.Y <= r.Min.Y && r.Max.Y <= s.Max.Y
}

func (r Rect) overlaps(s Rect) bool {
	return r.Min.X < s.Max.X && s.Min.X < r.Max.X && r.Min.Y < s.Max.Y && s.Min.Y < r.Max.Y
}

// What a cursor is at most, in pixels of a frame in small, and how much higher than wide.
const (
	cursorWide  = 4
	cursorHigh  = 48
	cursorShape = 4
	cursorInk   = 20 // how much brighter or darker than the ground behind it
)

// Cursors is what of a, where f and now differ, is nothing but a thin upright line that came or
// went: a cursor that blinks.
func (f *Frame) Cursors(now *Frame, a Area) Area {
	was, is := f.small(), now.small()
	out := Area{a.cols, a.rows, make([]bool, len(a.in))}
	if was.Size() != is.Size() || cellsAlong(was.Size().W) != a.cols ||
		cellsAlong(was.Size().H) != a.rows {
		return out
	}
	left := Area{a.cols, a.rows, slices.Clone(a.in)}
	for i := range left.in {
		if !left.in[i] {
			continue
		}
		group := left.takeGroup(i)
		box := differing(was, is, a, group)
		thin := box.Dx() <= cursorWide && box.Dy() >= cursorShape*box.Dx()
		if thin && !box.Empty() && box.Dy() <= cursorHigh {
			for _, j := range group {
				out.in[j] = true
			}
		}
	}
	return out
}

// takeGroup removes the cells that hang together with the cell i, and returns them.
func (a Area) takeGroup(i int) []int {
	group := []int{i}
	a.in[i] = false
	for n := 0; n < len(group); n++ {
		x, y := group[n]%a.cols, group[n]/a.cols
		for dy := max(y-1, 0); dy <= min(y+1, a.rows-1); dy++ {
			for dx := max(x-1, 0); dx <= min(x+1, a.cols-1); dx++ {
				if j := dy*a.cols + dx; a.in[j] {
					a.in[j] = false
					group = append(group, j)
				}
			}
		}
	}
	return group
}

// differing is the box around the pixels of these cells of a that are brighter or darker.
func differing(was, is *Picture, a Area, cells []int) (box image.Rectangle) {
	size := was.Size()
	for _, i := range cells {
		top, bottom := pixels.Part(i/a.cols, a.rows, size.H)
		left, right := pixels.Part(i%a.cols, a.cols, size.W)
		for y := top; y < bottom; y++ {
			for x := left; x < right; x++ {
				d := int(was.img.Y[y*was.img.YStride+x]) - int(is.img.Y[y*is.img.YStride+x])
				if d > cursorInk || d < -cursorInk {
					box = box.Union(image.Rect(x, y, x+1, y+1))
				}
			}
		}
	}
	return box
}
