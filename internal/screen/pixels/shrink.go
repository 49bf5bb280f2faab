package pixels

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
)

// Shrink makes pictures of the sizes outs, no side larger than in's, of a source of size in, which
// it reads once. Their colours are at a quarter of the pixels (4:2:0). It fails when the source
// does.
func Shrink(src Source, in image.Point, outs ...image.Point) ([]*image.YCbCr, error) {
	from, err := src.Rows()
	if err != nil {
		return nil, err
	}
	_, stay := from.(staying)
	stay = stay && in.X%2 == 0 // and are whole pairs
	all := make([]*shrinker, len(outs))
	for i, out := range outs {
		all[i] = newShrinker(in, out)
		all[i].stay = stay
	}
	add := func(line []byte, n int) {
		for _, s := range all {
			s.add(line, n)
		}
	}
	own := make([]byte, (in.X+1)/2*8)
	// the row that alike rows are alike to, as it came and with four bytes a pixel
	var last, line []byte
	alike := 0
	for y := range in.Y {
		row, depth, err := from.Next()
		if err != nil {
			return nil, fmt.Errorf("row %d of %d: %w", y+1, in.Y, err)
		}
		if alike > 0 && bytes.Equal(row, last) {
			alike++
			continue
		}
		add(line, alike)
		if alike = 1; stay {
			last, line = row, row
			continue
		}
		widen(own, row, depth)
		last, line = append(last[:0], row...), own
	}
	add(line, alike)
	pictures := make([]*image.YCbCr, len(outs))
	for i, s := range all {
		pictures[i] = s.out
	}
	return pictures, nil
}

// shrinker makes a smaller picture of rows as they come: each of its pixels is the mean of the part
// of the rows that it covers. A row has four bytes a pixel, of which the fourth is not looked at,
// and is as long as a whole number of pairs.
//
// It computes with the channels of a pixel in one word, 16 bits each, so weights have 8 bits, and
// those of one pixel add up to 256 in each direction.
type shrinker struct {
	out   *image.YCbCr
	cols  []share     // of each column of out, nil for a half
	rest  [][]uint64  // the weights of further pixels in each, nil if none has more
	sum   [2][]uint64 // of the rows so far, weighted: red and blue of each pair, green and the rest
	mean  []uint64    // of the rows of a row of out, with room for a whole share at its end
	odd   []byte      // of a half: the row without a second one yet, or empty
	stay  bool        // rows stay as they are
	h     int         // of what comes in
	row   int         // of out
	got   int         // how much of that row there is, in parts of h
	two   [2][]uint64 // the rows of out that make a row of colours
	alike int         // how many rows of out before that row are all the same
}

// share is a run of pixels that make one pixel, and what its first ones count: most have no more,
// and all of them have to stay near the processor.
type share struct {
	from    int32
	weights [fewPixels]uint16 // unused ones are 0
}

const fewPixels = 3

// shares divides n pixels among m, m <= n. What pixels count that are not the first ones of a share
// comes second.
func shares(n, m int) (list []share, rest [][]uint64) {
	list = make([]share, m)
	for i := range list {
		begin, end := i*n, (i+1)*n // in parts of a pixel, of which it has m
		s := &list[i]
		s.from = int32(begin / m)
		done := 0
		for x := begin / m; x*m < end; x++ {
			part := min((x+1)*m, end) - begin
			weight := 256*part/n - 256*done/n
			done = part
			if at := x - begin/m; at < fewPixels {
				s.weights[at] = uint16(weight)
				continue
			}
			if rest == nil {
				rest = make([][]uint64, m)
			}
			rest[i] = append(rest[i], uint64(weight))
		}
	}
	return list, rest
}

func newShrinker(in, out image.Point) *shrinker {
	s := &shrinker{
		out: image.NewYCbCr(image.Rectangle{Max: out}, image.YCbCrSubsampleRatio420),
		h:   in.Y,
		two: [2][]uint64{make([]uint64, out.X), make([]uint64, out.X)},
	}
	if in == out.Mul(2) {
		return s
	}
	pairs := (in.X + 1) / 2
	s.cols, s.rest = shares(in.X, out.X)
	s.sum = [2][]uint64{make([]uint64, pairs), make([]uint64, pairs)}
	s.mean = make([]uint64, 2*pairs+fewPixels)
	return s
}

const (
	low8   = 0x00ff_00ff_00ff_00ff
	low32  = 0xffff_ffff
	low48  = 0xffff_ffff_ffff
	half   = 0x0080_0080_0080_0080
	halfOf = 0x0002_0002_0002_0002 // of four
)

// widen makes a row of four bytes a pixel of one of depth bytes.
func widen(to, pix []byte, depth int) {
	if depth == 4 {
		copy(to, pix)
		return
	}
	for len(to) >= 16 && len(pix) >= 14 {
		a, b := binary.LittleEndian.Uint64(pix), binary.LittleEndian.Uint64(pix[6:])
		binary.LittleEndian.PutUint64(to, a&low32|a>>24<<32)
		binary.LittleEndian.PutUint64(to[8:], b&low32|b>>24<<32)
		to, pix = to[16:], pix[12:]
	}
	for ; len(pix) >= 3; to, pix = to[4:], pix[3:] {
		copy(to, pix[:3])
	}
}

// add takes n rows like line.
func (s *shrinker) add(line []byte, n int) {
	if s.cols == nil {
		s.addHalf(line, n)
		return
	}
	height := s.out.Rect.Dy()
	whole := false                      // the last row of out is of no other rows
	for rest := n * height; rest > 0; { // in parts of h, like got
		if whole && rest >= s.h {
			rest -= s.h
			s.repeat()
			continue
		}
		begins := s.got == 0
		part := min(rest, s.h-s.got)
		s.weigh(line, uint64(256*(s.got+part)/s.h-256*s.got/s.h))
		s.got += part
		rest -= part
		if s.got < s.h {
			return
		}
		s.finish()
		whole = begins
	}
}

// addHalf is add for a picture of half the size, each pixel of which is the mean of four.
func (s *shrinker) addHalf(line []byte, n int) {
	if len(s.odd) > 0 && n > 0 {
		s.halve(s.odd, line)
		s.odd = s.odd[:0]
		n--
	}
	if n > 1 {
		s.halve(line, line)
		n -= 2
	}
	for ; n > 1; n -= 2 {
		s.repeat()
	}
	switch {
	case n == 1 && s.stay:
		s.odd = line
	case n == 1:
		s.odd = append(s.odd[:0], line...)
	}
}

// halve makes a row of out from two rows, two pixels of each at once.
func (s *shrinker) halve(above, below []byte) {
	to := s.two[s.row%2]
	grey := s.out.Y[s.row*s.out.YStride:][:len(to)]
	above, below = above[:8*len(to)], below[:8*len(to)]
	var lastA, lastB, px uint64 // of black
	bright := uint8(0)
	for i := range to {
		a, b := binary.LittleEndian.Uint64(above[8*i:]), binary.LittleEndian.Uint64(below[8*i:])
		if a != lastA || b != lastB {
			redBlue, green := a&low8+b&low8, a>>8&low8+b>>8&low8
			px = (redBlue+redBlue>>32)&low32 | (green+green>>32)<<32
			px = (px + halfOf) >> 2 & low8
			bright = brightness(px)
			lastA, lastB = a, b
		}
		to[i], grey[i] = px, bright
	}
	s.alike = 0
	s.next()
}

// weigh adds a row to the sum, or begins a sum with it.
func (s *shrinker) weigh(line []byte, w uint64) {
	redBlue, green := s.sum[0], s.sum[1]
	green, line = green[:len(redBlue)], line[:8*len(redBlue)]
	if s.got == 0 {
		for i := range redBlue {
			v := binary.LittleEndian.Uint64(line[8*i:])
			redBlue[i], green[i] = v&low8*w, v>>8&low8*w
		}
		return
	}
	for i := range redBlue {
		v := binary.LittleEndian.Uint64(line[8*i:])
		redBlue[i] += v & low8 * w
		green[i] += v >> 8 & low8 * w
	}
}

// finish ends a row of out.
func (s *shrinker) finish() {
	sum, green := s.mean, s.sum[1]
	for i, v := range s.sum[0] {
		v, g := (v+half)>>8&low8, (green[i]+half)>>8&low8
		sum[2*i], sum[2*i+1] = v&low32|g<<32, v>>32|g&^low32
	}
	to := s.two[s.row%2]
	grey := s.out.Y[s.row*s.out.YStride:][:len(to)]
	for i := range s.cols {
		c := &s.cols[i]
		v, w := sum[c.from:][:fewPixels], &c.weights
		px := half + v[0]*uint64(w[0]) + v[1]*uint64(w[1]) + v[2]*uint64(w[2])
		if s.rest != nil {
			more := sum[c.from+fewPixels:]
			for x, w := range s.rest[i] {
				px += more[x] * w
			}
		}
		px = px >> 8 & low8
		to[i] = px
		grey[i] = brightness(px)
	}
	s.alike = 0
	s.next()
}

// repeat makes a row of out that is like the one before.
func (s *shrinker) repeat() {
	copy(s.two[s.row%2], s.two[1-s.row%2])
	copy(s.out.Y[s.row*s.out.YStride:][:s.out.YStride], s.out.Y[(s.row-1)*s.out.YStride:])
	s.alike++
	s.next()
}

// next computes the colours of two rows, and moves to the next row.
func (s *shrinker) next() {
	to := s.two[s.row%2]
	at := s.row / 2 * s.out.CStride
	switch {
	case s.row%2 == 1 && s.alike >= 3: // the two rows before were the same two
		copy(s.out.Cb[at:][:s.out.CStride], s.out.Cb[at-s.out.CStride:])
		copy(s.out.Cr[at:][:s.out.CStride], s.out.Cr[at-s.out.CStride:])
	case s.row%2 == 1:
		s.colours(s.two[0], s.two[1])
	case s.row == s.out.Rect.Dy()-1:
		s.colours(to, to)
	}
	s.row++
	s.got = 0
}

// brightness and colours convert a pixel as in https://www.w3.org/Graphics/JPEG/jfif3.pdf. The
// weights of red, green and blue for brightness are in parts of 1<<8, and stand in a word so that
// one multiplication has their sum in its highest 16 bits, which no other sum reaches. The bits
// behind blue in px are 0.
func brightness(px uint64) uint8 {
	const weights = 77<<48 | 29<<32 | 150<<16
	return uint8((px&low48*weights + 1<<55) >> 56)
}

func (s *shrinker) colours(above, below []uint64) {
	at := s.row / 2 * s.out.CStride
	var last uint64 // of black
	blue, red := uint8(128), uint8(128)
	for x := 0; x < len(above); x += 2 {
		next := min(x+1, len(above)-1)
		if v := above[x] + above[next] + below[x] + below[next]; v != last {
			r, g, b := int32(v&0xffff), int32(v>>32&0xffff), int32(v>>16&0xffff)
			blue = uint8(min((-11056*r-21712*g+32768*b+257<<17)>>18, 255))
			red = uint8(min((32768*r-27440*g-5328*b+257<<17)>>18, 255))
			last = v
		}
		s.out.Cb[at+x/2], s.out.Cr[at+x/2] = blue, red
	}
}
