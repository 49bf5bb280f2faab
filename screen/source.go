package screen

import (
	"bytes"
	"image"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// source is where a frame's pixels are; they can be read any number of times, and at once.
type source interface {
	// rows begins to read from the top.
	rows() (rows, error)
}

// rows hands out the rows of a picture.
type rows interface {
	// next is the next row and the bytes of a pixel: 3 for RGB, 4 when one follows that is not
	// looked at. The row is valid until the next call.
	next() (row []byte, depth int, err error)
}

// drawn is a picture in memory.
type drawn struct{ *image.RGBA }

func (d drawn) rows() (rows, error) { return pixels{d.Pix, d.Stride}.rows() }

// pixels are rows of four bytes a pixel, without gaps.
type pixels struct {
	rest   []byte
	stride int
}

func (p pixels) rows() (rows, error) { return &p, nil }

func (p *pixels) next() ([]byte, int, error) {
	row := p.rest[:p.stride]
	p.rest = p.rest[p.stride:]
	return row, 4, nil
}

// packed is a picture of four bytes a pixel, compressed in bands of rows: what screens show becomes
// small in less time than it takes to copy it.
type packed struct {
	bands  [][]byte
	stride int
}

// bandSize bounds the memory in which pixels are packed and unpacked.
const bandSize = 64 << 10

// packers are memory to pack in: a band, and all of them.
var packers = sync.Pool{New: func() any { return new([2][]byte) }}

func pack(pix []byte, stride int) packed {
	memory := packers.Get().(*[2][]byte)
	defer packers.Put(memory)
	all := memory[1][:0]
	var ends []int
	for band := range slices.Chunk(pix, bandRows(stride)*stride) {
		memory[0] = slices.Grow(memory[0][:0], s2.MaxEncodedLen(len(band)))
		all = append(all, s2.Encode(memory[0][:cap(memory[0])], band)...)
		ends = append(ends, len(all))
	}
	memory[1] = all
	all = bytes.Clone(all)
	p := packed{bands: make([][]byte, len(ends)), stride: stride}
	from := 0
	for i, end := range ends {
		p.bands[i] = all[from:end]
		from = end
	}
	return p
}

// bandRows is how many rows a band has, but for the last.
func bandRows(stride int) int { return max(bandSize/stride, 1) }

func (p packed) rows() (rows, error) { return &packedRows{bands: p.bands, stride: p.stride}, nil }

type packedRows struct {
	bands  [][]byte // that are not unpacked yet
	stride int
	band   []byte // memory of the one that is
	pixels []byte // what is left of it
}

func (p *packedRows) next() ([]byte, int, error) {
	if len(p.pixels) == 0 {
		if len(p.bands) == 0 {
			return nil, 0, io.ErrUnexpectedEOF
		}
		var err error
		if p.band, err = s2.Decode(p.band[:cap(p.band)], p.bands[0]); err != nil {
			return nil, 0, err
		}
		p.bands, p.pixels = p.bands[1:], p.band
	}
	row := p.pixels[:p.stride]
	p.pixels = p.pixels[p.stride:]
	return row, 4, nil
}

// unpack is a source's whole picture, opaque.
func unpack(src source, size Size) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, size.W, size.H))
	from, err := src.rows()
	for y := 0; err == nil && y < size.H; y++ {
		var row []byte
		var depth int
		row, depth, err = from.next()
		for to := out.Pix[y*out.Stride:][:4*size.W]; err == nil && len(to) > 0; {
			to[0], to[1] = row[0], row[1]
			to[2], to[3] = row[2], 0xff
			row, to = row[depth:], to[4:]
		}
	}
	if err != nil { // it was read to the end before
		panic("screen: the pixels of a frame have changed: " + err.Error())
	}
	return out
}
