package screen

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
)

// shrink makes a picture of size out, no side larger than in's, of a source of size in. It fails
// when the source does.
func shrink(src source, in, out Size) (*Picture, error) {
	from, err := src.rows()
	if err != nil {
		return nil, err
	}
	s := newShrinker(in, out)
	var last []byte // the row that alike rows are alike to
	alike := 0
	for y := range in.H {
		row, depth, err := from.next()
		if err != nil {
			return nil, fmt.Errorf("row %d of %d: %w", y+1, in.H, err)
		}
		if alike > 0 && bytes.Equal(row, last) {
			alike++
			continue
		}
		s.add(alike)
		widen(s.in, row, depth)
		last, alike = append(last[:0], row...), 1
	}
	s.add(alike)
	return &Picture{s.out}, nil
}

// shrinker makes a smaller picture of rows as they come: each of its pixels is the mean of the part
// of the rows that it covers.
//
// It computes with the channels of a pixel in one word, 16 bits each, so weights have 8 bits, and
// those of one pixel add up to 256 in each direction.
type shrinker struct {
	out  *image.YCbCr
	cols []share     // of each column of out, in a row
	in   []uint64    // the row that add takes in
	sum  []uint64    // of the rows so far, weighted
	h    int         // of what comes in
	row  int         // of out
	got  int         // how much of that row there is, in parts of h
	two  [2][]uint64 // the rows of out that make a row of colours
}

// share is a run of pixels that make one pixel, and what each counts.
type share struct {
	from    int
	weights []uint64
}

// shares divides n pixels among m, m <= n.
func shares(n, m int) []share {
	list := make([]share, m)
	all := make([]uint64, 0, n+m)
	for i := range list {
		begin, end := i*n, (i+1)*n // in parts of a pixel, of which it has m
		first, done := len(all), 0
		for x := begin / m; x*m < end; x++ {
			part := min((x+1)*m, end) - begin
			all = append(all, uint64(256*part/n-256*done/n))
			done = part
		}
		list[i] = share{begin / m, all[first:len(all):len(all)]}
	}
	return list
}

func newShrinker(in, out Size) *shrinker {
	return &shrinker{
		out:  image.NewYCbCr(image.Rect(0, 0, out.W, out.H), image.YCbCrSubsampleRatio420),
		cols: shares(in.W, out.W),
		in:   make([]uint64, in.W), sum: make([]uint64, in.W), h: in.H,
		two: [2][]uint64{make([]uint64, out.W), make([]uint64, out.W)},
	}
}

const (
	low8 = 0x00ff_00ff_00ff_00ff
	half = 0x0080_0080_0080_0080
)

// lanes is a pixel with 16 bits for each channel: red, blue, green and the fourth byte, from low to
// high.
func lanes(px uint32) uint64 { return uint64(px&0xff00ff) | uint64(px>>8&0xff00ff)<<32 }

// widen reads a row of pixels of depth bytes.
func widen(to []uint64, pix []byte, depth int) {
	if depth == 4 {
		for x := range to {
			to[x] = lanes(binary.LittleEndian.Uint32(pix))
			pix = pix[4:]
		}
		return
	}
	for len(to) >= 4 && len(pix) >= 14 {
		a, b := binary.LittleEndian.Uint64(pix), binary.LittleEndian.Uint64(pix[6:])
		to[0], to[1] = lanes(uint32(a)), lanes(uint32(a>>24))
		to[2], to[3] = lanes(uint32(b)), lanes(uint32(b>>24))
		to, pix = to[4:], pix[12:]
	}
	for x := range to {
		to[x] = lanes(uint32(pix[0]) | uint32(pix[1])<<8 | uint32(pix[2])<<16)
		pix = pix[3:]
	}
}

// add takes n rows like s.in.
func (s *shrinker) add(n int) {
	height := s.out.Rect.Dy()
	for rest := n * height; rest > 0; { // in parts of h, like got
		part := min(rest, s.h-s.got)
		s.weigh(uint64(256*(s.got+part)/s.h - 256*s.got/s.h))
		s.got += part
		rest -= part
		if s.got < s.h {
			return
		}
		s.finish()
	}
}

// weigh adds the row to the sum, or begins a sum with it.
func (s *shrinker) weigh(w uint64) {
	in, sum := s.in, s.sum
	in = in[:len(sum)]
	if s.got == 0 {
		for x, v := range in {
			sum[x] = v * w
		}
		return
	}
	for x, v := range in {
		sum[x] += v * w
	}
}

// finish ends a row of out.
func (s *shrinker) finish() {
	to := s.two[s.row%2]
	for i, c := range s.cols {
		px := uint64(half)
		for x, v := range s.sum[c.from:][:len(c.weights)] {
			px += (v + half) >> 8 & low8 * c.weights[x]
		}
		to[i] = px >> 8 & low8
	}
	s.brightness(to)
	switch {
	case s.row%2 == 1:
		s.colours(s.two[0], s.two[1])
	case s.row == s.out.Rect.Dy()-1:
		s.colours(to, to)
	}
	s.row++
	s.got = 0
}

// brightness and colours are the form of a picture that JPEG has, see
// https://www.w3.org/Graphics/JPEG/jfif3.pdf: the weights of red, green and blue are in parts of
// 1<<16.
func (s *shrinker) brightness(row []uint64) {
	to := s.out.Y[s.row*s.out.YStride:][:len(row)]
	for x, v := range row {
		r, g, b := v&0xff, v>>32&0xff, v>>16&0xff
		to[x] = uint8((19595*r + 38470*g + 7471*b + 1<<15) >> 16)
	}
}

func (s *shrinker) colours(above, below []uint64) {
	at := s.row / 2 * s.out.CStride
	for x := 0; x < len(above); x += 2 {
		next := min(x+1, len(above)-1)
		v := above[x] + above[next] + below[x] + below[next]
		r, g, b := int32(v&0xffff), int32(v>>32&0xffff), int32(v>>16&0xffff)
		i := at + x/2
		s.out.Cb[i] = uint8(min((-11056*r-21712*g+32768*b+257<<17)>>18, 255))
		s.out.Cr[i] = uint8(min((32768*r-27440*g-5328*b+257<<17)>>18, 255))
	}
}
