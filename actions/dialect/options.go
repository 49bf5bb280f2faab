package dialect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/screen"
)

// Options says which model is prompted, and how.
type Options struct {
	Model     string      // the model's name, from which "auto" chooses; may be ""
	Lang      string      // zh or en, a region after it is passed over; "" means zh
	ImageSize screen.Size // of the picture, aspect not kept; zero means the dialect's own
	FullSize  bool        // send the frame in its own size; ImageSize must be zero then
	Quality   int         // of the JPEG, 1 to 100; 0 means 85
}

// withDefaults is opts with the defaults filled in. A zero ImageSize is left to the dialect.
func (opts *Options) withDefaults() (Options, error) {
	o := *cmp.Or(opts, &Options{})
	lang, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(o.Lang), "_", "-"), "-")
	lang = cmp.Or(lang, "zh")
	if lang != "zh" && lang != "en" {
		return o, fmt.Errorf("unknown language %q (want zh or en)", o.Lang)
	}
	o.Lang = lang
	o.Quality = cmp.Or(o.Quality, 85)
	return o, o.check()
}

// maxSide bounds the picture that is sent.
const maxSide = 8192

func (o *Options) check() error {
	size := o.ImageSize
	switch {
	case o.Quality < 1 || o.Quality > 100:
		return fmt.Errorf("JPEG quality %d (want 1 to 100)", o.Quality)
	case size == screen.Size{}:
		return nil
	case o.FullSize:
		return fmt.Errorf("both an image size of %v and full size are set (want one of them)", size)
	case !size.Valid() || size.W > maxSide || size.H > maxSide:
		return fmt.Errorf("image size %v (want both sides from 1 to %d)", size, maxSide)
	}
	return nil
}

// Picture is the frame as the model is to see it: in the size that the options ask for, else in
// the dialect's usual one.
func (o *Options) Picture(f *screen.Frame, usual screen.Size) ([]byte, error) {
	size := usual
	switch {
	case o.FullSize:
		size = f.Size()
	case o.ImageSize.Valid():
		size = o.ImageSize
	}
	return f.Resized(size).JPEG(o.Quality)
}
