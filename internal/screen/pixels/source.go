package pixels

import (
	"bytes"
	"image"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// Source holds a picture's pixels. Any number of goroutines may read them at once, but for those of
// a [Packing].
type Source interface {
	// Rows begins to read from the top.
	Rows() (Rows, error)
}

// Rows hands out the rows of a picture.
type Rows interface {
	// Next is the next row and the bytes of a pixel: 3 for RGB, 4 when one follows that is not
	// looked at. The row is valid until the next call.
	Next() (row []byte, depth int, err error)
}

// staying is rows of four bytes a pixel that stay valid, all of them.
type staying interface{ stay() }

func (r *raw) stay() {}

// Drawn is a picture in memory.
type Drawn struct{ *image.RGBA }

// Rows begins at the top.
func (d Drawn) Rows() (Rows, error) { return &raw{d.Pix, d.Stride}, nil }

// Raw is rows of four bytes a pixel and stride bytes each, without gaps.
func Raw(pix []byte, stride int) Source {
	return Drawn{&image.RGBA{Pix: pix, Stride: stride}}
}

type raw struct {
	rest   []byte
	stride int
}

func (p *raw) Next() ([]byte, int, error) {
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

// Packing hands out the rows of a picture once, and packs them on the way: each band is read from
// memory once for both.
type Packing struct {
	raw
	band []byte // the rest of the band that was packed last
	ends []int  // of the bands that are packed, in memory.all
	*packingMemory
}

type packingMemory struct{ one, all []byte }

var packingMemories = sync.Pool{New: func() any { return new(packingMemory) }}

// NewPacking packs what [Raw] would hand out.
func NewPacking(pix []byte, stride int) *Packing {
	return &Packing{raw: raw{pix, stride}, packingMemory: packingMemories.Get().(*packingMemory)}
}

// Rows are the ones still to be read.
func (p *Packing) Rows() (Rows, error) { return p, nil }

// Next is the next row, see [Rows].
func (p *Packing) Next() ([]byte, int, error) {
	if len(p.band) == 0 {
		n := max(bandSize/p.stride, 1) * p.stride
		p.band = p.rest[:min(n, len(p.rest))]
		p.one = slices.Grow(p.one[:0], s2.MaxEncodedLen(len(p.band)))
		p.all = append(p.all, s2.Encode(p.one[:cap(p.one)], p.band)...)
		p.ends = append(p.ends, len(p.all))
	}
	p.band = p.band[p.stride:]
	return p.raw.Next()
}

// Packed is what has been packed. It is called once, when all rows have been read.
func (p *Packing) Packed() Source {
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

func (p packed) Rows() (Rows, error) { return &packedRows{bands: p.bands, stride: p.stride}, nil }

type packedRows struct {
	bands  [][]byte // that are not unpacked yet
	stride int
	band   []byte // memory of the one that is
	pixels []byte // the rest of them
}

func (p *packedRows) Next() ([]byte, int, error) {
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

// Unpack is the whole picture of a source that was read to its end before, opaque.
func Unpack(src Source, size image.Point) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: size})
	from, err := src.Rows()
	for y := 0; err == nil && y < size.Y; y++ {
		var row []byte
		var depth int
		row, depth, err = from.Next()
		for to := out.Pix[y*out.Stride:][:4*size.X]; err == nil && len(to) > 0; {
			to[0], to[1] = row[0], row[1]
			to[2], to[3] = row[2], 0xff
			row, to = row[depth:], to[4:]
		}
	}
	if err != nil { // it was read to the end before
		panic("pixels: those of a picture have changed: " + err.Error())
	}
	return out
}
