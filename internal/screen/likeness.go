package screen

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strconv"
	"strings"
)

// thumbSide is the longest side of a thumbnail: text is just not to be read any more, and a switch
// is still told from one in the other position.
const thumbSide = 320

// Thumbnail is the frame in small, as PNG: what a Likeness compares.
func (f *Frame) Thumbnail() ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, f.Resized(f.size.Scaled(thumbSide)).Image()); err != nil {
		return nil, fmt.Errorf("encoding a thumbnail: %w", err)
	}
	return b.Bytes(), nil
}

// Likeness tells whether two thumbnails show the same screen.
type Likeness struct {
	Tolerance float64 // the share of the screen that may differ, 0 to 1
	Masks     []Mask  // areas that are not compared
}

// Mask is a part of the screen that changes by itself.
type Mask struct {
	App        string // the package that must be in front, "" for any, Home for a launcher
	X, Y, W, H float64
	bar        bool // H is a share of the longer side, as bars are as high when a phone is turned
}

// home stands for every launcher as the App of a Mask.
const home = "home"

// The masks that have names.
var named = map[string]Mask{
	"status_bar": {W: 1, H: 0.055, bar: true},
	"home_clock": {App: home, W: 1, H: 0.3},
}

// ParseMask reads the name of a mask, or left, top, width and height as fractions of the screen,
// with a package in front of them for a mask that counts only there.
func ParseMask(s string) (Mask, error) {
	if m, ok := named[strings.TrimSpace(s)]; ok {
		return m, nil
	}
	bad := fmt.Errorf("the mask %q is neither status_bar nor home_clock nor four fractions of the "+
		"screen between blanks: left, top, width, height (with a package in front, or home, for "+
		"one app only), such as 0 0.4 1 0.1", s)
	parts := strings.Fields(s)
	var m Mask
	if len(parts) == 5 {
		m.App, parts = parts[0], parts[1:]
	}
	if len(parts) != 4 {
		return m, bad
	}
	for i, to := range []*float64{&m.X, &m.Y, &m.W, &m.H} {
		v, err := strconv.ParseFloat(parts[i], 64)
		if err != nil || !(v >= 0 && v <= 1) {
			return m, bad
		}
		*to = v
	}
	return m, nil
}

// ParseRegion reads left, top, width and height as fractions of the screen, between blanks or
// commas.
func ParseRegion(s string) (r Rect, err error) {
	m, err := ParseMask(strings.ReplaceAll(s, ",", " "))
	r.Min, r.Max = Point{X: m.X, Y: m.Y}, Point{X: m.X + m.W, Y: m.Y + m.H}
	if err != nil || m.App != "" || m.W <= 0 || m.H <= 0 || max(r.Max.X, r.Max.Y) > 1+1e-9 {
		return r, fmt.Errorf("%q is not four fractions of the screen: left, top, width and "+
			"height, such as 0 0.5 1 0.25", s)
	}
	return r, nil
}

// Difference is the share of the screen, masks left out, that differs noticeably between two
// thumbnails, both of app in front. Thumbnails of other proportions differ wholly.
func (l Likeness) Difference(app string, a, b []byte) (float64, error) {
	first, err := thumbnail(a)
	if err != nil {
		return 1, err
	}
	second, err := thumbnail(b)
	if err != nil {
		return 1, err
	}
	if first.Bounds() != second.Bounds() {
		return 1, nil
	}
	x, y := l.masked(app, first), l.masked(app, second)
	n := 0
	for i := 0; i < len(x.Pix); i += 4 {
		for c := range 3 {
			if d := int(x.Pix[i+c]) - int(y.Pix[i+c]); d > noticed || d < -noticed {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(x.Pix)/4), nil
}

// thumbnail reads one, and nothing larger.
func thumbnail(b []byte) (image.Image, error) {
	c, err := png.DecodeConfig(bytes.NewReader(b))
	if err == nil && max(c.Width, c.Height) > thumbSide {
		err = fmt.Errorf("%dx%d pixels", c.Width, c.Height)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a thumbnail: %w", err)
	}
	return png.Decode(bytes.NewReader(b))
}

// noticed is the difference in red, green or blue that is more than another smoothing of the same
// edge makes.
const noticed = 24

// masked is the picture with its masks in black.
func (l Likeness) masked(app string, img image.Image) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(b)
	draw.Draw(out, b, img, b.Min, draw.Src)
	w, h := float64(b.Dx()), float64(b.Dy())
	for _, m := range l.Masks {
		if m.App != "" && m.App != app && (m.App != home || !launcher(app)) {
			continue
		}
		high := m.H * h
		if m.bar {
			high = m.H * max(w, h)
		}
		part := image.Rect(int(m.X*w), int(m.Y*h), int((m.X+m.W)*w+0.999), int(m.Y*h+high+0.999))
		draw.Draw(out, part, image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	return out
}

// launcher reports whether a package is a home screen's, by the names that makers give it.
func launcher(app string) bool {
	return strings.Contains(app, "launcher") || strings.HasSuffix(app, ".home")
}
