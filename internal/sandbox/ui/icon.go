package ui

import (
	_ "embed"
	"fmt"
	"image"
	"image/draw"
	"math"
	"strings"
	"sync"

	"golang.org/x/image/vector"
)

//go:embed icons.tsv
var iconTable string

// icons are the strokes of each, by its name.
var icons = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(iconTable) {
		if name, strokes, is := strings.Cut(strings.TrimSpace(line), "\t"); is {
			all[name] = strokes
		}
	}
	return all
})

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
	strokes, ok := icons()[name]
	if !ok {
		strokes = icons()["box"]
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
