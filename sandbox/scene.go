package sandbox

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/taploop/taploop/sandbox/ui"
)

type cover uint8

const (
	coverNone cover = iota
	coverRecents
	coverShade
)

type stage struct{}

var tasks []Task

// Screenshot is the display as it is captured now.
func (p *Phone) Screenshot() (img *image.RGBA) {
	p.do(func() {
		img = image.NewRGBA(image.Rectangle{Max: p.size()})
		c := image.Image(image.Black)
		if !p.off {
			c = image.NewUniform(color.RGBA{40, 60, 90, 255})
		}
		draw.Draw(img, img.Rect, c, image.Point{}, draw.Src)
	})
	return img
}

func (p *Phone) settle()                    {}
func (p *Phone) tap(image.Point)            {}
func (p *Phone) hold(image.Point)           {}
func (p *Phone) swipe(from, to image.Point) {}
func (p *Phone) drag(from, to image.Point)  {}
func (p *Phone) typed(string)               {}
func (p *Phone) commit(string)              {}
func (p *Phone) enter()                     {}
func (p *Phone) field() *ui.View            { return nil }
func (p *Phone) press(code int) {
	switch code {
	case KeyPower:
		if p.off {
			p.wake()
		} else {
			p.sleep()
		}
	case KeyHome:
		p.goHome()
	}
}
func (p *Phone) tree() Node {
	return Node{Package: p.window().Package, Class: "android.widget.FrameLayout", Bounds: image.Rectangle{Max: p.size()}}
}
