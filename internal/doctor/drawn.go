package doctor

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/taploop/taploop/internal/screen"
)

// alphabet has no two letters that look alike.
const alphabet = "ACEFHKLMNPRTXY347"

const codeLength = 5

// newCode returns a code that no one can guess.
func newCode(seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	code := make([]byte, codeLength)
	for i := range code {
		code[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(code)
}

// drawCode draws a code in large black letters on white.
func drawCode(code string) ([]byte, error) {
	const margin, scale = 8, 10
	face := basicfont.Face7x13
	small := image.NewRGBA(image.Rect(0, 0, face.Advance*len(code)+2*margin, face.Height+2*margin))
	draw.Draw(small, small.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: small, Src: image.Black, Face: face,
		Dot: fixed.P(margin, margin+face.Ascent)}
	pen.DrawString(code)
	large := image.NewRGBA(image.Rectangle{Max: small.Rect.Max.Mul(scale)})
	xdraw.NearestNeighbor.Scale(large, large.Rect, small, small.Rect, draw.Src, nil)
	frame, err := screen.NewFrame(large)
	if err != nil {
		return nil, err
	}
	return frame.JPEG(90)
}

// target is a drawn screen with a red disc among others.
type target struct {
	frame    *screen.Frame
	box      image.Rectangle
	elements []screen.Element
}

// The discs: the first one is the target.
var discs = []struct {
	name  string
	color color.RGBA
}{
	{"red", color.RGBA{220, 20, 20, 255}}, {"blue", color.RGBA{20, 60, 220, 255}},
	{"green", color.RGBA{10, 150, 40, 255}}, {"black", color.RGBA{20, 20, 20, 255}},
}

// drawTarget draws a screen of a phone with discs at places that no one can guess.
func drawTarget(seed uint64) (t target, err error) {
	const radius, columns, rows = 90, 3, 6
	random := rand.New(rand.NewPCG(seed, 2))
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	cell := image.Pt(img.Rect.Dx()/columns, img.Rect.Dy()/rows)
	places := random.Perm(columns * rows)
	for i, d := range discs {
		free := cell.Sub(image.Pt(2*radius, 2*radius))
		at := image.Pt(places[i]%columns*cell.X, places[i]/columns*cell.Y).
			Add(image.Pt(radius+random.IntN(free.X), radius+random.IntN(free.Y)))
		box := image.Rectangle{Min: at, Max: at}.Inset(-radius)
		disc(img, at, radius, d.color)
		t.elements = append(t.elements, screen.Element{ContentDesc: d.name, Clickable: true,
			Enabled: true, Depth: 1, Bounds: screen.RectOf(box, screen.Size{W: img.Rect.Dx(),
				H: img.Rect.Dy()})})
		if i == 0 {
			t.box = box
		}
	}
	t.frame, err = screen.NewFrame(img)
	return t, err
}

func disc(img *image.RGBA, at image.Point, radius int, c color.RGBA) {
	for y := -radius; y <= radius; y++ {
		for x := -radius; x <= radius; x++ {
			if x*x+y*y <= radius*radius {
				img.SetRGBA(at.X+x, at.Y+y, c)
			}
		}
	}
}
