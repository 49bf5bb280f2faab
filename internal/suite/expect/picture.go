package expect

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"math"

	"github.com/disintegration/imaging"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/suite"
)

// usualTolerance is the share of a region that may look different.
var usualTolerance = 0.02

// picture compares a region of the screen with a picture: of the region, or of a whole screen of
// the same shape.
func (c checker) picture(ctx context.Context, e *suite.Picture) (string, error) {
	look, err := c.Screen.Look(ctx)
	if err != nil {
		return "", err
	}
	if look.Frame == nil {
		return c.say.Dark, nil
	}
	like, err := c.Suite.Image(e.Like)
	if err != nil {
		return "", err
	}
	seen := image.Image(look.Frame.Image())
	whole := alike(seen.Bounds(), like.Bounds())
	if e.Region != "" {
		region, err := screen.ParseRegion(e.Region)
		if err != nil {
			return "", err
		}
		if seen = region.Crop(seen); whole {
			like = region.Crop(like)
		}
	}
	if !alike(seen.Bounds(), like.Bounds()) {
		return "", fmt.Errorf(c.say.Shape, e.Like, seen.Bounds().Size())
	}
	differs, err := difference(seen, like)
	most := *cmp.Or(e.Tolerance, &usualTolerance)
	return unless(differs <= most, c.say.Differs, 100*differs, 100*most), err
}

// alike reports whether pictures have the same shape, up to a pixel of the smaller one.
func alike(a, b image.Rectangle) bool {
	x, y := float64(a.Dx())/float64(a.Dy()), float64(b.Dx())/float64(b.Dy())
	side := float64(min(a.Dx(), a.Dy(), b.Dx(), b.Dy()))
	return math.Abs(x-y)/max(x, y) <= 1.5/side
}

// difference is the share that looks different.
func difference(a, b image.Image) (float64, error) {
	size := a.Bounds().Size()
	var small [2][]byte
	for i, img := range []image.Image{a, imaging.Resize(b, size.X, size.Y, imaging.Lanczos)} {
		f, err := screen.NewFrame(img)
		if err == nil {
			small[i], err = f.Thumbnail()
		}
		if err != nil {
			return 1, err
		}
	}
	return screen.Likeness{}.Difference("", small[0], small[1])
}
