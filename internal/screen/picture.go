package screen

import (
	"fmt"
	"image"

	"github.com/taploop/taploop/internal/screen/pixels"
)

// Picture is a frame at some size, as brightness and colour, the form that JPEG has. It does not
// change after it is made.
type Picture struct{ img *image.YCbCr }

// NewPicture takes img over, with colours at a quarter of the pixels (4:2:0) and from (0,0) on. The
// caller must not draw on it after that.
func NewPicture(img *image.YCbCr) *Picture { return &Picture{img} }

// Size is the picture's size in pixels.
func (p *Picture) Size() Size { return Size{p.img.Rect.Dx(), p.img.Rect.Dy()} }

// Image is the picture. It must not be drawn on.
func (p *Picture) Image() *image.YCbCr { return p.img }

// JPEG encodes the picture, quality 1 to 100.
func (p *Picture) JPEG(quality int) ([]byte, error) {
	b, err := pixels.JPEG(p.img, quality)
	if err != nil {
		return nil, fmt.Errorf("encoding a picture of %s: %w", p.Size(), err)
	}
	return b, nil
}
