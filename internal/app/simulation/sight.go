package simulation

import (
	"fmt"
	"image"
	"slices"
	"strings"

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

// middleOfRed is the middle of a quarter of the red pixels, in thousandths of the picture.
func middleOfRed(img image.Image) (at image.Point, seen bool) {
	b, n := img.Bounds(), 0
	for y := b.Min.Y; y < b.Max.Y; y += 2 {
		for x := b.Min.X; x < b.Max.X; x += 2 {
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

// readLine reads a line of capital letters and digits in the font of basicfont, enlarged, with a
// margin around it.
func readLine(img image.Image) string {
	const margin = 8
	face, from := basicfont.Face7x13, img.Bounds().Min
	times := max(img.Bounds().Dy()/(face.Height+2*margin), 1)
	dark := func(x, y int) bool {
		r, g, b, _ := img.At(from.X+x*times+times/2, from.Y+y*times+times/2).RGBA()
		return r+g+b < 3*0x7fff
	}
	var line strings.Builder
	for left := margin; left+face.Advance+margin <= img.Bounds().Dx()/times; left += face.Advance {
		best, least := '?', face.Height*face.Advance
		for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789" {
			_, shape, at, _, _ := face.Glyph(fixed.Point26_6{}, c)
			unlike := 0
			for i := range face.Height * face.Width {
				x, y := i%face.Width, i/face.Width
				_, _, _, ink := shape.At(at.X+x, at.Y+y).RGBA()
				if ink > 0 != dark(left+x, margin+y) {
					unlike++
				}
			}
			if unlike < least {
				best, least = c, unlike
			}
		}
		line.WriteRune(best)
	}
	return line.String()
}
