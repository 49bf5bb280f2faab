package screen

import (
	"bytes"
	"image"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// source holds a frame's pixels. They can be read any number of times, also concurrently.
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

// staying is rows of four bytes a pixel that stay valid, all of them.
type staying interface{ stay() }

func (p *pixels) stay() {}

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

// packing hands out the rows of pixels, and packs them on the way: each band is read from memory
// once for both.
type packing struct {
	pixels
	band []byte // the rest of the band that was packed last
	ends []int  // of the bands that are packed, in memory.all
	*packingMemory
}

type packingMemory struct{ one, all []byte }

var packingMemories = sync.Pool{New: func() any { return new(packingMemory) }}

func (p *packing) rows() (rows, error) { return p, nil }

func (p *packing) next() ([]byte, int, error) {
	if len(p.band) == 0 {
		n := max(bandSize/p.stride, 1) * p.stride
		p.band = p.rest[:min(n, len(p.rest))]
		p.one = slices.Grow(p.one[:0], s2.MaxEncodedLen(len(p.band)))
		p.all = append(p.all, s2.Encode(p.one[:cap(p.one)], p.band)...)
		p.ends = append(p.ends, len(p.all))
	}
	p.band = p.band[p.stride:]
	return p.pixels.next()
}

// packed is what has been packed. The memory goes back with it.
func (p *packing) packed() packed {
	all, from := bytes.Clone(p.all), 0
	done := packed{make([][]byte, len(p.ends)), p.stride}
	for i, end := range p.ends {
		done.bands[i] = all[from:end]
		from = end
	}
	p.all = p.all[:0]
	packingMemories.Put(p.packingMemory)
	return done
}

func (p packed) rows() (rows, error) { return &packedRows{bands: p.bands, stride: p.stride}, nil }

type packedRows struct {
	bands  [][]byte // that are not unpacked yet
	stride int
	band   []byte // memory of the one that is
	pixels []byte // the rest of them
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
