package pixels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"math/bits"
	"sync"
)

// jpegForm is what JPEGs of one quality have in common: the bytes in front of the picture's own,
// and the tables in them. Both are those of image/jpeg, whose own encoder takes three times as long
// for a screen: it knows nothing of areas of one colour, widens the colours, and divides. See
// https://www.w3.org/Graphics/JPEG/itu-t81.pdf.
type jpegForm struct {
	head    []byte // as that of a picture of 1x1
	size    int    // where height and width are in it
	quantum [2]quanta
	dc, ac  [2]huffman
}

// quanta divide coefficients by a table, in zig-zag order.
type quanta struct {
	times [64]uint64 // 1<<quantumBits divided by the divisor
	least [64]int64  // smaller values become 0
}

const quantumBits = 36

// code is what stands for a symbol: n bits.
type code struct {
	bits uint64
	n    uint
}

type huffman [256]code

// jpegForms are those of all qualities, each made when it is needed.
var jpegForms = func() (forms [101]func() (*jpegForm, error)) {
	for quality := range forms {
		forms[quality] = sync.OnceValues(func() (*jpegForm, error) {
			return newJPEGForm(quality)
		})
	}
	return forms
}()

// Markers of a JPEG's parts.
const (
	jpegQuanta  = 0xdb
	jpegSize    = 0xc0
	jpegHuffman = 0xc4
	jpegScan    = 0xda
)

// newJPEGForm reads the parts in front of a picture that image/jpeg has made.
func newJPEGForm(quality int) (*jpegForm, error) {
	var b bytes.Buffer
	dot := image.NewYCbCr(image.Rect(0, 0, 1, 1), image.YCbCrSubsampleRatio420)
	if err := jpeg.Encode(&b, dot, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	f := &jpegForm{}
	for at, all := 2, b.Bytes(); ; {
		kind, n := all[at+1], int(binary.BigEndian.Uint16(all[at+2:]))
		part := all[at+4 : at+2+n]
		switch kind {
		case jpegQuanta:
			for ; len(part) > 0; part = part[65:] {
				f.quantum[part[0]] = newQuanta(part[1:65])
			}
		case jpegSize:
			f.size = at + 5
		case jpegHuffman:
			for len(part) > 0 {
				to := [2]*[2]huffman{&f.dc, &f.ac}[part[0]>>4]
				part = to[part[0]&1].read(part[1:])
			}
		case jpegScan:
			f.head = all[:at+2+n]
			return f, nil
		}
		at += 2 + n
	}
}

// read takes in a table and returns what comes after it: how many symbols have a code of each
// length, and the symbols.
func (h *huffman) read(b []byte) (rest []byte) {
	counts, next := b[:16], b[16:]
	bits := uint64(0)
	for i, n := range counts {
		for range n {
			h[next[0]] = code{bits, uint(i + 1)}
			bits++
			next = next[1:]
		}
		bits <<= 1
	}
	return next
}

// fraction is how much finer than those of pixels the numbers are that a transform computes with.
const fraction = 4

// newQuanta makes the divisors of a table: what transform leaves undone is in them.
func newQuanta(table []byte) (q quanta) {
	for k, v := range table {
		at := unzig[k]
		by := float64(v) * 8 * (1 << fraction) * leftover(at%8) * leftover(at/8)
		q.times[k] = uint64(math.Round((1 << quantumBits) / by))
		q.least[k] = int64(math.Ceil((1 << (quantumBits - 1)) / float64(q.times[k])))
	}
	return q
}

// leftover is the factor of a coefficient that Arai, Agui and Nakajima's transform leaves undone.
func leftover(i int) float64 {
	if i == 0 {
		return 1
	}
	return math.Cos(float64(i)*math.Pi/16) * math.Sqrt2
}

// unzig is where in a block the coefficients are, in the order in which they are written.
var unzig = func() (order [64]int) {
	x, y := 0, 0
	for k := range order {
		order[k] = 8*y + x
		switch up := (x+y)%2 == 0; {
		case up && x == 7, !up && y < 7 && x == 0:
			y++
		case up && y == 0, !up && y == 7:
			x++
		case up:
			x, y = x+1, y-1
		default:
			x, y = x-1, y+1
		}
	}
	return order
}()

// JPEG encodes a picture with colours at a quarter of the pixels (4:2:0) and from (0,0) on, quality
// 1 to 100.
func JPEG(img *image.YCbCr, quality int) ([]byte, error) {
	f, err := jpegForms[min(max(quality, 1), 100)]()
	if err != nil {
		return nil, err
	}
	w, h := img.Rect.Dx(), img.Rect.Dy()
	if w > math.MaxUint16 || h > math.MaxUint16 {
		return nil, fmt.Errorf("a side of %d pixels, at most %d fit", max(w, h), math.MaxUint16)
	}
	s := scan{form: f, out: make([]byte, 0, w*h/8+len(f.head))}
	s.out = append(s.out, f.head...)
	binary.BigEndian.PutUint16(s.out[f.size:], uint16(h))
	binary.BigEndian.PutUint16(s.out[f.size+2:], uint16(w))
	grey := plane{img.Y, img.YStride, w, h}
	blue := plane{img.Cb, img.CStride, (w + 1) / 2, (h + 1) / 2}
	red := plane{img.Cr, img.CStride, blue.w, blue.h}
	var before [3]int64
	for y := 0; y < h; y += 16 {
		for x := 0; x < w; x += 16 {
			for i := range 4 {
				before[0] = s.block(grey.block(x+i%2*8, y+i/2*8), 0, before[0])
			}
			before[1] = s.block(blue.block(x/2, y/2), 1, before[1])
			before[2] = s.block(red.block(x/2, y/2), 1, before[2])
		}
	}
	return s.end(), nil
}

// plane is the brightness of a picture, or one of its colours.
type plane struct {
	pix    []byte
	stride int
	w, h   int
}

// block returns the 8x8 pixels from (x,y) on, a row in each number. Pixels beyond the plane's edge
// repeat the edge.
func (p plane) block(x, y int) (rows [8]uint64) {
	if x+8 <= p.w && y+8 <= p.h {
		from := p.pix[y*p.stride+x:]
		for i := range rows {
			rows[i] = binary.LittleEndian.Uint64(from[i*p.stride:])
		}
		return rows
	}
	for i := range rows {
		line := p.pix[min(y+i, p.h-1)*p.stride:]
		for j := range 8 {
			rows[i] |= uint64(line[min(x+j, p.w-1)]) << (8 * j)
		}
	}
	return rows
}

// scan writes the bits of a picture.
type scan struct {
	form *jpegForm
	out  []byte
	bits uint64 // the last n are still to be written
	n    uint
}

const everyByte = 0x0101_0101_0101_0101

// block writes 8x8 pixels with the tables of a kind, 0 for brightness and 1 for colours. It returns
// their mean as written. before is the mean of the previous block.
func (s *scan) block(rows [8]uint64, kind int, before int64) (mean int64) {
	q := &s.form.quantum[kind]
	dc, ac := &s.form.dc[kind], &s.form.ac[kind]
	first := rows[0]
	if first == first&0xff*everyByte && rows == [8]uint64{first, first, first, first, first, first,
		first, first} {
		mean = q.divided((int64(first&0xff)-128)<<(6+fraction), 0)
		s.number(dc, 0, mean-before)
		s.put(ac[0])
		return mean
	}
	var c [64]int64
	transform(&c, &rows)
	mean = q.divided(c[0], 0)
	s.number(dc, 0, mean-before)
	zeros := 0
	for k := 1; k < 64; k++ {
		v := c[unzig[k]&63]
		if l := q.least[k]; v < l && v > -l {
			zeros++
			continue
		}
		for ; zeros > 15; zeros -= 16 {
			s.put(ac[0xf0])
		}
		s.number(ac, zeros, q.divided(v, k))
		zeros = 0
	}
	if zeros > 0 {
		s.put(ac[0])
	}
	return mean
}

// divided returns a coefficient in the form in which it is written.
func (q *quanta) divided(c int64, k int) int64 {
	sign := c >> 63
	n := (uint64((c^sign)-sign)*q.times[k] + 1<<(quantumBits-1)) >> quantumBits
	return (int64(n) ^ sign) - sign
}

// number writes how many zeros come before a number and how long it is, and the number.
func (s *scan) number(h *huffman, zeros int, v int64) {
	sign := v >> 63
	n := uint(bits.Len64(uint64((v ^ sign) - sign)))
	c := h[uint8(zeros<<4)|uint8(n)]
	s.put(code{c.bits<<n | uint64(v+sign)&(1<<n-1), c.n + n})
}

// put writes a code of at most 32 bits.
func (s *scan) put(c code) {
	s.bits = s.bits<<c.n | c.bits
	s.n += c.n
	if s.n < 32 {
		return
	}
	s.n -= 32
	w := uint32(s.bits >> s.n)
	if not := ^w; (not-0x0101_0101)&w&0x8080_8080 == 0 { // no byte is 0xff
		s.out = binary.BigEndian.AppendUint32(s.out, w)
		return
	}
	for i := 24; i >= 0; i -= 8 {
		s.byte(byte(w >> i))
	}
}

// byte writes a byte so that it cannot be taken for a marker.
func (s *scan) byte(b byte) {
	s.out = append(s.out, b)
	if b == 0xff {
		s.out = append(s.out, 0)
	}
}

// end fills the last byte with ones, and ends the picture.
func (s *scan) end() []byte {
	s.put(code{0x7f, 7})
	for ; s.n >= 8; s.n -= 8 {
		s.byte(byte(s.bits >> (s.n - 8)))
	}
	return append(s.out, 0xff, 0xd9)
}

// transform is the scaled discrete cosine transform of 8x8 pixels. See Arai, Agui and Nakajima, "A
// fast DCT-SQ scheme for images" (1988).
func transform(c *[64]int64, rows *[8]uint64) {
	for y, row := range rows {
		to := (*[8]int64)(c[8*y:])
		if row == row&0xff*everyByte {
			to[0] = (int64(row&0xff) - 128) << (3 + fraction)
			continue
		}
		for x := range to {
			to[x] = (int64(row>>(8*x)&0xff) - 128) << fraction
		}
		to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] =
			cosines(to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7])
	}
	for x := range 8 {
		c[x], c[8+x], c[16+x], c[24+x], c[32+x], c[40+x], c[48+x], c[56+x] =
			cosines(c[x], c[8+x], c[16+x], c[24+x], c[32+x], c[40+x], c[48+x], c[56+x])
	}
}

// The factors of the transform, in parts of 1<<factorBits.
const (
	factorBits = 13
	root       = 5793  // cos(4/16 pi)
	sixth      = 3135  // cos(6/16 pi)
	narrow     = 4433  // cos(2/16 pi) - cos(6/16 pi)
	wide       = 10703 // cos(2/16 pi) + cos(6/16 pi)
)

func times(v, factor int64) int64 { return (v*factor + 1<<(factorBits-1)) >> factorBits }

// cosines transforms eight numbers.
func cosines(a, b, c, d, e, f, g, h int64) (_, _, _, _, _, _, _, _ int64) {
	a, h = a+h, a-h
	b, g = b+g, b-g
	c, f = c+f, c-f
	d, e = d+e, d-e

	a, d = a+d, a-d
	b, c = b+c, b-c
	c = times(c+d, root)

	e += f
	f = times(f+g, root)
	g += h
	turn := times(e-g, sixth)
	e, g = times(e, narrow)+turn, times(g, wide)+turn
	f, h = h-f, h+f
	return a + b, h + g, d + c, f - e, a - b, f + e, d - c, h - g
}
