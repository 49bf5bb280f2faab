package dialect

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/words"
)

// Options says which model is prompted, and how.
type Options struct {
	Model string // the model's name, from which "auto" chooses, may be ""
	// Lang is zh or en, without regard to a region. "" means zh, and auto the language in which the
	// family's models were trained, or else that of each task.
	Lang        string
	Fit         *screen.Fit         // the picture's size, nil means the dialect's own
	Coordinates *screen.Coordinates // how the model writes places, nil means the dialect's own
	Quality     int                 // of the JPEG, 1 to 100, 0 means 85
	Template    *Template           // of the prompt, nil means the dialect's own
}

// Parts of models' names.
var (
	weights = regexp.MustCompile(`\.(?:gguf|safetensors|bin)$|^[0-9a-f]{40}$`)
	version = regexp.MustCompile(`(\d)[-p](\d)(v?(?:[^0-9a-z]|$))`)
)

// Plain is a model's name in small letters, with hyphens, without whose it is, and with a point in
// its version: 2.5 for 2-5, 2_5 and 2p5. A file of weights has the name of its folders, too.
func Plain(model string) string {
	model = strings.ReplaceAll(strings.ToLower(strings.TrimRight(model, "/ ")), "_", "-")
	if last := model[strings.LastIndexAny(model, `/\`)+1:]; !weights.MatchString(last) {
		model = last
	}
	return version.ReplaceAllString(model, "$1.$2$3")
}

// withDefaults is opts with the defaults filled in.
func (opts *Options) withDefaults() (Options, error) {
	o := *cmp.Or(opts, &Options{})
	if o.Lang != words.Auto {
		lang, ok := words.Find(cmp.Or(o.Lang, "zh"))
		if !ok {
			return o, fmt.Errorf("unknown language %q (want zh or en)", o.Lang)
		}
		o.Lang = lang
	}
	o.Quality = cmp.Or(o.Quality, 85)
	if o.Quality < 1 || o.Quality > 100 {
		return o, fmt.Errorf("JPEG quality %d (want 1 to 100)", o.Quality)
	}
	return o, nil
}
