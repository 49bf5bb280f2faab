package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/screen"
)

// Dialect is how one family of models is spoken to. Any number of goroutines may use one at once.
type Dialect interface {
	// Name is the dialect's name, for example gelab.
	Name() string
	// Lang is the language of the prompts, zh or en.
	Lang() string
	// Prompt asks for the next action.
	Prompt(s Situation) ([]Message, error)
	// Parse reads a reply. The action is valid and its points are on the screen, or the error is a *ParseError.
	Parse(r Reply) (actions.Decision, error)
	// Repair is what is added to the prompt to ask again after a reply that Parse refused with err.
	Repair(r Reply, err error) []Message
}

// Situation is what a model decides from.
type Situation struct {
	Task        string
	Summary     string             // the model's own account of what has been done, "" at the start
	Remembered  []string           // what the model noted, oldest first
	Exchanges   []actions.Exchange // questions and what came of them, oldest first
	ReplyJustIn bool               // the last exchange has not been shown to the model yet
	Notes       []string           // told once, worded in the dialect's language
	Frame       *screen.Frame      // the screen now
}

// Message is one turn of a conversation with a model.
type Message struct {
	Role  string // user or assistant
	Parts []Part
}

// Part is a text or a picture.
type Part struct {
	Text string
	JPEG []byte
}

// Reply is what a model answered.
type Reply struct {
	Text      string
	Reasoning string // thoughts that the endpoint split off
	Cut       bool   // the model was stopped at its length limit
}

// ParseError says why a reply is no action. It is made to be told to the model.
type ParseError struct {
	Problem string // what is wrong
	Want    string // what was expected
}

func (e *ParseError) Error() string { return e.Problem + "; expected " + e.Want }

// Options says which model is prompted, and how.
type Options struct {
	Model     string      // the model's name, from which "auto" chooses; may be ""
	Lang      string      // zh or en, a region after it is passed over; "" means zh
	ImageSize screen.Size // of the picture that is sent, aspect not kept; zero means the dialect's own (gelab: 728x728)
	FullSize  bool        // send the frame in its own size; ImageSize must be zero then
	Quality   int         // of the JPEG, 1 to 100; 0 means 85
}

// Auto chooses the dialect by the model's name.
const Auto = "auto"

// makers holds the dialects by name.
var makers = map[string]func(Options) Dialect{
	"gelab": func(o Options) Dialect { return newGelab(o) },
}

// Names lists what New takes.
func Names() []string {
	names := []string{Auto}
	for n := range makers {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// New returns the dialect of that name. opts may be nil.
func New(name string, opts *Options) (Dialect, error) {
	o, err := opts.settled()
	if err != nil {
		return nil, fmt.Errorf("dialect %s: %w", name, err)
	}
	if name == Auto {
		name = byModel(o.Model)
	}
	made, ok := makers[name]
	if !ok {
		return nil, hint.Add(fmt.Errorf("unknown dialect %q (want one of %s)", name, strings.Join(Names(), ", ")),
			"set model.dialect to one of these; auto chooses by the model's name")
	}
	return made(o), nil
}

// byModel chooses the dialect for a model. All models are prompted in gelab's so far.
func byModel(string) string { return "gelab" }

// settled is opts with the defaults filled in. A zero ImageSize is left to the dialect.
func (opts *Options) settled() (Options, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	lang, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(o.Lang), "_", "-"), "-")
	switch lang {
	case "":
		lang = "zh"
	case "zh", "en":
	default:
		return o, fmt.Errorf("unknown language %q (want zh or en)", o.Lang)
	}
	o.Lang = lang
	if o.Quality == 0 {
		o.Quality = 85
	}
	return o, o.check()
}

// maxSide bounds the picture that is sent.
const maxSide = 8192

func (o *Options) check() error {
	if o.Quality < 1 || o.Quality > 100 {
		return fmt.Errorf("JPEG quality %d (want 1 to 100)", o.Quality)
	}
	size := o.ImageSize
	if size == (screen.Size{}) {
		return nil
	}
	if o.FullSize {
		return fmt.Errorf("both an image size of %v and full size are set (want one of them)", size)
	}
	if !size.Valid() || size.W > maxSide || size.H > maxSide {
		return fmt.Errorf("image size %v (want both sides from 1 to %d)", size, maxSide)
	}
	return nil
}

// picture is the frame as the model sees it.
func (o *Options) picture(f *screen.Frame, usual screen.Size) ([]byte, error) {
	switch {
	case o.FullSize:
	case o.ImageSize.Valid():
		f = f.Resized(o.ImageSize)
	default:
		f = f.Resized(usual)
	}
	return f.JPEG(o.Quality)
}
