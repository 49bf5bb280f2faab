package screen

import (
	"bytes"
	"image"
	"io"
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

// packed is a picture of four bytes a pixel, compressed: what screens show becomes small in less
// time than it takes to copy it.
type packed struct {
	bytes  []byte
	stride int
}

// blockSize bounds the memory in which pixels are packed and unpacked.
const blockSize = 64 << 10

var packers = sync.Pool{New: func() any {
	return s2.NewWriter(nil, s2.WriterBlockSize(blockSize), s2.WriterConcurrency(1))
}}

func pack(pix []byte, stride int) (packed, error) {
	var b bytes.Buffer
	w := packers.Get().(*s2.Writer)
	defer packers.Put(w)
	w.Reset(&b)
	if err := w.EncodeBuffer(pix); err != nil {
		return packed{}, err
	}
	err := w.Close()
	w.Reset(nil)
	return packed{bytes.Clone(b.Bytes()), stride}, err
}

func (p packed) rows() (rows, error) {
	from := s2.NewReader(bytes.NewReader(p.bytes), s2.ReaderMaxBlockSize(blockSize))
	return &packedRows{from, make([]byte, p.stride)}, nil
}

type packedRows struct {
	from io.Reader
	row  []byte
}

func (p *packedRows) next() ([]byte, int, error) {
	_, err := io.ReadFull(p.from, p.row)
	return p.row, 4, err
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
