package ui

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/vector"
)

// icons are drawn on a 24 x 24 grid by a few strokes each: l line x1 y1 x2 y2 ..., p filled
// polygon, o circle x y r, d disc x y r, a arc x y r from to (degrees, clockwise from the right), r
// rectangle x1 y1 x2 y2, f filled rectangle.
var icons = map[string]string{
	"back":   "l 20 12 4 12 11 5; l 4 12 11 19",
	"plus":   "l 12 5 12 19; l 5 12 19 12",
	"minus":  "l 5 12 19 12",
	"close":  "l 6 6 18 18; l 18 6 6 18",
	"check":  "l 4 13 10 18 20 6",
	"handle": "l 5 9 19 9; l 5 15 19 15",
	"search": "o 10 10 6; l 14.5 14.5 20 20",
	"trash": "l 4 7 20 7; l 9 7 9 4 15 4 15 7; l 6 7 7 20 17 20 18 7; l 10 11 10 16; l " +
		"14 11 14 16",
	"send":      "p 3 4 22 12 3 20 6 12.7 14 12 6 11.3",
	"edit":      "l 5 19 6 15 16 5 19 8 9 18 5 19",
	"wifi":      "a 12 19 13 225 315; a 12 19 8.5 225 315; d 12 18 2.2; a 12 19 5 225 315",
	"bluetooth": "l 7 7 17 17 12 22 12 2 17 7 7 17",
	"plane": "p 12 2 13.5 9 22 14 22 16 13.5 13.5 13 19 16 21 16 22 12 21 8 22 8 21 11 " +
		"19 10.5 13.5 2 16 2 14 10.5 9",
	"battery": "r 7 5 17 21; f 10 3 14 5; f 9 9 15 19",
	"signal":  "p 4 20 20 20 20 4",
	"sun": "o 12 12 4; l 12 2 12 4; l 12 20 12 22; l 2 12 4 12; l 20 12 22 12; l 5 5 " +
		"6.4 6.4; l 17.6 17.6 19 19; l 5 19 6.4 17.6; l 17.6 6.4 19 5",
	"moon":   "p 14 3 10 5 8 9 8 13 10 17 14 20 18 20 20 18 16 18 12.5 15 11 11 11.5 7",
	"info":   "o 12 12 9; l 12 11 12 17; d 12 7.5 1.3",
	"person": "o 12 8 4; a 12 21 8 200 340; l 4.5 18.3 4.5 21 19.5 21 19.5 18.3",
	"lock": "r 5 11 19 21; a 12 9 4.5 180 360; l 7.5 9 7.5 11; l 16.5 9 16.5 11; d " +
		"12 16 1.6",
	"gear": "o 12 12 3; o 12 12 7; l 12 2 12 5; l 12 19 12 22; l 2 12 5 12; l 19 12 22 " +
		"12; l 5 5 7 7; l 17 17 19 19; l 5 19 7 17; l 17 7 19 5",
	"chat":  "r 3 4 21 17; p 7 17 7 22 13 17; l 7 9 17 9; l 7 13 14 13",
	"note":  "r 5 3 19 21; l 8 8 16 8; l 8 12 16 12; l 8 16 13 16",
	"clock": "o 12 12 9; l 12 6 12 12 16 14",
	"alarm": "o 12 13 7.5; l 12 9 12 13 15 15; l 3 6 6.5 3; l 21 6 17.5 3",
	"globe": "o 12 12 9; l 3 12 21 12; a 20 12 12 138 222; a 4 12 12 -42 42",
	"bag":   "l 5 8 19 8 20 21 4 21 5 8; a 12 8 4 180 360",
	"cart":  "l 2 4 5 4 8 16 19 16 21 7 6 7; d 9 20 1.7; d 18 20 1.7",
	"star": "p 12 2.5 14.9 8.9 21.8 9.7 16.7 14.4 18 21.2 12 17.8 6 21.2 7.3 14.4 2.2 " +
		"9.7 9.1 8.9",
	"heart": "d 8 9 4.6; d 16 9 4.6; p 4 11 20 11 12 21",
	"bell": "l 5 17 7 14 7 10; a 12 10 5 180 360; l 17 10 17 14 19 17 5 17; a 12 18 " +
		"2.5 10 170",
	"shirt":      "p 8 3 16 3 22 8 19 12 17 10.5 17 21 7 21 7 10.5 5 12 2 8",
	"shoe":       "p 2 8 8 8 12 13 20 14.5 22 17 22 19 2 19",
	"mug":        "f 4 6 15 20; a 16 12 4 -90 90",
	"headset":    "a 12 13 8 180 360; f 3 13 7 20; f 17 13 21 20",
	"book":       "r 4 3 20 21; l 8 3 8 21; l 11 8 17 8",
	"watch":      "r 7 7 17 17; f 9 2 15 6; f 9 18 15 22; l 12 10 12 12 14 13",
	"lamp":       "p 8 3 16 3 19 12 5 12; l 12 12 12 20; l 8 21 16 21",
	"umbrella":   "p 3 12 5 7 9 4 12 3.5 15 4 19 7 21 12; l 12 12 12 19; a 14 19 2 0 180",
	"shift":      "l 12 4 4 12 8 12 8 19 16 19 16 12 20 12 12 4",
	"shift-on":   "p 12 4 4 12 8 12 8 19 16 19 16 12 20 12",
	"erase":      "l 8 5 21 5 21 19 8 19 2 12 8 5; l 11 9 17 15; l 17 9 11 15",
	"enter":      "l 20 5 20 13 5 13 10 8; l 5 13 10 18",
	"nav-back":   "p 6 12 17 5.5 17 18.5",
	"nav-home":   "o 12 12 6.5",
	"nav-recent": "r 6 6 18 18",
	"card":       "r 2 5 22 19; f 2 8 22 11; l 5 15 10 15",
	"volume":     "p 3 9 7 9 12 4 12 20 7 15 3 15; a 12 12 5 -50 50; a 12 12 9 -50 50",
	"apps": "d 6 6 2; d 12 6 2; d 18 6 2; d 6 12 2; d 12 12 2; d 18 12 2; d 6 18 2; d " +
		"12 18 2; d 18 18 2",
	"box":           "r 4 4 20 20; l 4 4 20 20; l 20 4 4 20",
	"storage":       "r 4 4 20 10; r 4 14 20 20; d 7 7 1; d 7 17 1",
	"accessibility": "d 12 4 2; l 4 8 20 8; l 12 8 12 14 8 21; l 12 14 16 21",
	"pin":           "o 12 10 6; l 7.5 14 12 22 16.5 14; d 12 10 2",
}

type iconKey struct {
	name string
	px   int
}

var iconMasks sync.Map // iconKey -> *image.Alpha

func iconMask(name string, px int) *image.Alpha {
	key := iconKey{name, px}
	if m, ok := iconMasks.Load(key); ok {
		return m.(*image.Alpha)
	}
	strokes, ok := icons[name]
	if !ok {
		strokes = icons["box"]
	}
	m := drawIcon(strokes, px)
	iconMasks.Store(key, m)
	return m
}

func drawIcon(strokes string, px int) *image.Alpha {
	m := image.NewAlpha(image.Rect(0, 0, px, px))
	for s := range strings.SplitSeq(strokes, ";") {
		s = strings.TrimSpace(s)
		v := vector.NewRasterizer(px, px)
		stroke(v, s[0], numbers(s[1:], float64(px)/24), float64(px)/24)
		v.DrawOp = draw.Over
		v.Draw(m, m.Rect, image.Opaque, image.Point{})
	}
	return m
}

func numbers(s string, scale float64) []float64 {
	var out []float64
	for f := range strings.FieldsSeq(s) {
		var n float64
		if _, err := fmt.Sscan(f, &n); err != nil {
			panic(fmt.Sprintf("ui: icon stroke %q: %v", s, err)) // the table above is wrong
		}
		out = append(out, n*scale)
	}
	return out
}

// stroke draws one element. The size n is in pixels, unit is a step of the grid.
func stroke(v *vector.Rasterizer, shape byte, n []float64, unit float64) {
	const width = 0.95 // half of a line, in steps of the grid
	half := width * unit
	switch shape {
	case 'l':
		for i := 0; i+3 < len(n); i += 2 {
			capsule(v, n[i], n[i+1], n[i+2], n[i+3], half)
		}
	case 'p':
		polygon(v, n)
	case 'f':
		polygon(v, []float64{n[0], n[1], n[2], n[1], n[2], n[3], n[0], n[3]})
	case 'r':
		stroke(v, 'l', []float64{n[0], n[1], n[2], n[1], n[2], n[3], n[0], n[3], n[0], n[1]}, unit)
	case 'd':
		polygon(v, arc(n[0], n[1], n[2], 0, 360))
	case 'o':
		path := arc(n[0], n[1], n[2], 0, 360)
		stroke(v, 'l', append(path, path[0], path[1]), unit)
	case 'a':
		stroke(v, 'l', arc(n[0], n[1], n[2], n[3]/unit, n[4]/unit), unit)
	}
}

func arc(x, y, r, from, to float64) []float64 {
	steps := max(int(math.Abs(to-from)/7), 3)
	var out []float64
	for i := range steps + 1 {
		a := (from + (to-from)*float64(i)/float64(steps)) * math.Pi / 180
		out = append(out, x+r*math.Cos(a), y+r*math.Sin(a))
	}
	return out
}

func polygon(v *vector.Rasterizer, n []float64) {
	v.MoveTo(float32(n[0]), float32(n[1]))
	for i := 2; i+1 < len(n); i += 2 {
		v.LineTo(float32(n[i]), float32(n[i+1]))
	}
	v.ClosePath()
}

// capsule is a line with round ends.
func capsule(v *vector.Rasterizer, x1, y1, x2, y2, half float64) {
	a := math.Atan2(y2-y1, x2-x1) * 180 / math.Pi
	polygon(v, append(arc(x2, y2, half, a-90, a+90), arc(x1, y1, half, a+90, a+270)...))
}
