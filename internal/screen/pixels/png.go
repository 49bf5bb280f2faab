package pixels

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"io"

	"github.com/klauspost/compress/flate"
)

// A PNG's kinds of pixels that are read a row at a time: 8 bits a channel, as screencap writes
// them. See https://www.w3.org/TR/png-3/, 11.2.1.
const (
	pngRGB  = 2
	pngRGBA = 6
)

// PNG is one as screencap writes it, whose rows are read as they come out of it.
type PNG []byte

// OpenPNG reads the header. It returns nil without an error for another kind of PNG.
func OpenPNG(b []byte) (src PNG, size image.Point, err error) {
	r, err := PNG(b).open()
	if r == nil {
		return nil, image.Point{}, err
	}
	return PNG(b), r.size, nil
}

// Rows begins at the top.
func (e PNG) Rows() (Rows, error) { return e.open() }

func (e PNG) open() (*pngRows, error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(e))
	if err != nil {
		return nil, err
	}
	const header = 8 + 8 + 13 + 4 // the magic, and the first chunk with its 13 bytes
	kind, interlaced := [2]byte(e[24:26]), e[28] != 0
	depth := map[[2]byte]int{{8, pngRGB}: 3, {8, pngRGBA}: 4}[kind]
	if depth == 0 || interlaced {
		return nil, nil
	}
	n := 1 + depth*cfg.Width
	r := &pngRows{size: image.Pt(cfg.Width, cfg.Height), depth: depth,
		row: make([]byte, n), last: make([]byte, n)}
	idat := &chunks{rest: e[header:]}
	if _, err := io.CopyN(io.Discard, idat, 2); err != nil { // the zlib stream's header
		return nil, err
	}
	r.inflate = flate.NewReader(idat)
	return r, nil
}

// pngRows reads the rows of a PNG. It checks the sum of each chunk, which makes the zlib stream's
// sum redundant.
type pngRows struct {
	size      image.Point
	depth     int // bytes a pixel
	inflate   io.Reader
	row, last []byte // with the filter's byte in front
}

func (r *pngRows) Next() ([]byte, int, error) {
	r.row, r.last = r.last, r.row
	if _, err := io.ReadFull(r.inflate, r.row); err != nil {
		return nil, 0, fmt.Errorf("not enough pixel data: %w", err)
	}
	err := unfilter(r.row[0], r.row[1:], r.last[1:], r.depth)
	return r.row[1:], r.depth, err
}

// chunks reads the bytes of a PNG's IDAT chunks as one stream.
type chunks struct {
	rest []byte // what comes after the chunk
	data []byte // the rest of the chunk
}

// ReadByte lets flate read without a second buffer.
func (c *chunks) ReadByte() (byte, error) {
	for len(c.data) == 0 {
		if err := c.open(); err != nil {
			return 0, err
		}
	}
	b := c.data[0]
	c.data = c.data[1:]
	return b, nil
}

func (c *chunks) Read(p []byte) (int, error) {
	for len(c.data) == 0 {
		if err := c.open(); err != nil {
			return 0, err
		}
	}
	n := copy(p, c.data)
	c.data = c.data[n:]
	return n, nil
}

// open opens the next IDAT chunk, and checks its sum.
func (c *chunks) open() error {
	for {
		if len(c.rest) < 12 {
			return io.ErrUnexpectedEOF
		}
		n := int(binary.BigEndian.Uint32(c.rest))
		if n < 0 || n > len(c.rest)-12 {
			return io.ErrUnexpectedEOF
		}
		sum := binary.BigEndian.Uint32(c.rest[8+n:])
		if crc32.ChecksumIEEE(c.rest[4:8+n]) != sum {
			return errors.New("a chunk's sum is wrong")
		}
		kind, data := string(c.rest[4:8]), c.rest[8:8+n]
		c.rest = c.rest[12+n:]
		switch kind {
		case "IDAT":
			c.data = data
			return nil
		case "IEND":
			return io.ErrUnexpectedEOF
		}
	}
}

// unfilter undoes a row's filter in place. up is the row above. See the specification, 9.2.
func unfilter(filter byte, row, up []byte, depth int) error {
	switch filter {
	case 0:
	case 1:
		for i := depth; i < len(row); i++ {
			row[i] += row[i-depth]
		}
	case 2:
		addBytes(row, up)
	case 3:
		for i := range depth {
			row[i] += up[i] / 2
		}
		for i := depth; i < len(row); i++ {
			row[i] += uint8((int(row[i-depth]) + int(up[i])) / 2)
		}
	case 4:
		unpaeth(row, up, depth)
	default:
		return fmt.Errorf("a row's filter is %d", filter)
	}
	return nil
}

// addBytes adds b to a, byte by byte, eight at a time.
func addBytes(a, b []byte) {
	const low = 0x7f7f7f7f7f7f7f7f
	b = b[:len(a)]
	for len(a) >= 8 {
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(a, (x&low+y&low)^((x^y)&^low))
		a, b = a[8:], b[8:]
	}
	for i := range a {
		a[i] += b[i]
	}
}

// unpaeth undoes the filter that predicts a byte by its neighbours to the left, above, and both.
func unpaeth(row, up []byte, depth int) {
	up = up[:len(row)]
	for c := range depth {
		left, corner := 0, 0
		for i := c; i < len(row); i += depth {
			above := int(up[i])
			p, q := above-corner, left-corner
			toLeft, toAbove := magnitude(p), magnitude(q)
			toCorner := magnitude(p + q)
			switch {
			case toLeft <= toAbove && toLeft <= toCorner:
			case toAbove <= toCorner:
				left = above
			default:
				left = corner
			}
			left = (left + int(row[i])) & 0xff
			row[i] = byte(left)
			corner = above
		}
	}
}

func magnitude(x int) int {
	m := x >> 63
	return (x ^ m) - m
}
