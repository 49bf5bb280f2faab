package dialect

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/taploop/taploop/screen"
)

// Options says which model is prompted, and how.
type Options struct {
	Model       string              // the model's name, from which "auto" chooses; may be ""
	Lang        string              // zh or en, a region after it is passed over; "" means zh
	Fit         *screen.Fit         // the picture's size; nil means the dialect's own
	Coordinates *screen.Coordinates // how the model writes places; nil means the dialect's own
	Quality     int                 // of the JPEG, 1 to 100; 0 means 85
	Template    *Template           // of the prompt; nil means the dialect's own
}

// Plain is a model's name in small letters, with hyphens, and without whose it is.
func Plain(model string) string {
	model = model[strings.LastIndex(model, "/")+1:]
	return strings.ReplaceAll(strings.ToLower(model), "_", "-")
}

// withDefaults is opts with the defaults filled in.
func (opts *Options) withDefaults() (Options, error) {
	o := *cmp.Or(opts, &Options{})
	lang, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(o.Lang), "_", "-"), "-")
	lang = cmp.Or(lang, "zh")
	if lang != "zh" && lang != "en" {
		return o, fmt.Errorf("unknown language %q (want zh or en)", o.Lang)
	}
	o.Lang = lang
	o.Quality = cmp.Or(o.Quality, 85)
	if o.Quality < 1 || o.Quality > 100 {
		return o, fmt.Errorf("JPEG quality %d (want 1 to 100)", o.Quality)
	}
	return o, nil
}
