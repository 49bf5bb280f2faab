package simulation

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/taploop/taploop/internal/model/scripted"
)

// sight answers two questions by what the picture shows, which no script can know: what is written
// in it, in large black letters on white, and where its red disc is. ok is false for other
// questions.
func sight(req *scripted.Request) (reply string, ok bool) {
	picture := lastPicture(req)
	if picture == nil {
		return "", false
	}
	asked := strings.ToLower(req.Asked())
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(asked, w) })
	}
	switch {
	case has("which code is written", "图片中写的是什么代码"):
		return readLine(picture), true
	case has("tap the red circle", "点击红色的圆形"):
		at, seen := middleOfRed(picture)
		if !seen {
			return "", false
		}
		return fmt.Sprintf("<THINK> The red circle is there. </THINK>\n"+
			"explain:tap the red circle\taction:CLICK\tpoint:%d,%d\tsummary:tapped the red circle",
			at.X, at.Y), true
	}
	return "", false
}

func lastPicture(req *scripted.Request) image.Image {
	for _, m := range slices.Backward(req.Messages) {
		if n := len(m.Images); n > 0 {
			return m.Images[n-1]
		}
	}
	return nil
}

// middleOfRed is the middle of all red pixels, in thousandths of the picture.
func middleOfRed(img image.Image) (at image.Point, seen bool) {
	b, n := img.Bounds(), 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			if r>>8 > 160 && g>>8 < 90 && bl>>8 < 90 {
				at, n = at.Add(image.Pt(x-b.Min.X, y-b.Min.Y)), n+1
			}
		}
	}
	if n == 0 {
		return at, false
	}
	return image.Pt(at.X*1000/(n*b.Dx()), at.Y*1000/(n*b.Dy())), true
}

// ink reports where a picture is dark.
type ink struct {
	image.Rectangle
	dark func(x, y int) bool
}

func inkOf(img image.Image) ink {
	return ink{img.Bounds(), func(x, y int) bool {
		r, g, b, _ := img.At(x, y).RGBA()
		return r+g+b < 3*0x7fff
	}}
}

// columns splits the picture where whole columns are empty, and cuts the parts to their dark
// pixels.
func (k ink) columns() (parts []ink) {
	from := -1
	for x := k.Min.X; x <= k.Max.X; x++ {
		filled := false
		for y := k.Min.Y; x < k.Max.X && y < k.Max.Y && !filled; y++ {
			filled = k.dark(x, y)
		}
		switch {
		case filled && from < 0:
			from = x
		case !filled && from >= 0:
			parts = append(parts, k.cut(from, x))
			from = -1
		}
	}
	return parts
}

// cut leaves out the empty rows above and below the columns from left to right.
func (k ink) cut(left, right int) ink {
	empty := func(y int) bool {
		for x := left; x < right; x++ {
			if k.dark(x, y) {
				return false
			}
		}
		return true
	}
	top, bottom := k.Min.Y, k.Max.Y
	for top < bottom && empty(top) {
		top++
	}
	for bottom > top && empty(bottom-1) {
		bottom--
	}
	return ink{image.Rect(left, top, right, bottom), k.dark}
}

// unlike is how many points of a grid over both are dark in one only.
func (k ink) unlike(other ink) (n int) {
	const grid = 24
	for y := range grid {
		for x := range grid {
			if k.at(x, y, grid) != other.at(x, y, grid) {
				n++
			}
		}
	}
	return n
}

func (k ink) at(x, y, grid int) bool {
	return k.dark(k.Min.X+(2*x+1)*k.Dx()/(2*grid), k.Min.Y+(2*y+1)*k.Dy()/(2*grid))
}

// readLine reads capital letters and digits of a line of text.
func readLine(img image.Image) string {
	letters := map[rune]ink{}
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" {
		cell := image.NewGray(image.Rect(0, 0, 2*basicfont.Face7x13.Advance, 16))
		pen := font.Drawer{Dst: cell, Src: image.White, Face: basicfont.Face7x13,
			Dot: fixed.P(2, 12)}
		pen.DrawString(string(c))
		lit := ink{cell.Rect, func(x, y int) bool { return cell.GrayAt(x, y).Y > 0x7f }}
		letters[c] = lit.columns()[0]
	}
	var line strings.Builder
	for _, part := range inkOf(img).columns() {
		best, least := '?', 1<<30
		for c, shape := range letters {
			if n := part.unlike(shape); n < least || n == least && cmp.Less(c, best) {
				best, least = c, n
			}
		}
		line.WriteRune(best)
	}
	return line.String()
}
