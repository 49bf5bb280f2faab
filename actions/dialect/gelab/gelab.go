// Package gelab is the dialect of gelab-zero. The prompt is one user message with the rules, the
// situation, the picture and the form of the answer. A reply is a thought in tags and one line of
// TAB-separated fields. Points are integers from 0 to 1000.
package gelab

import (
	"embed"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed *.tmpl
var prompts embed.FS

// gelab is the dialect. The model's own summary is its only memory: it is shown no former turns.
type gelab struct{ dialect.Base }

// New returns the dialect. The options need their defaults filled in.
func New(o dialect.Options) dialect.Dialect { return made(o, "gelab", "thought") }

// NewPlain returns the variant whose models write no thoughts.
func NewPlain(o dialect.Options) dialect.Dialect { return made(o, "gelab-plain", "plain") }

// NewAdv returns the variant whose models verify the last step, and take a note, in front.
func NewAdv(o dialect.Options) dialect.Dialect { return made(o, "gelab-adv", "adv") }

// NewKeyProcess returns the variant whose models keep a list of the main steps, and always a note.
func NewKeyProcess(o dialect.Options) dialect.Dialect {
	return made(o, "gelab-key-process", "key-process")
}

func made(o dialect.Options, name, form string) dialect.Dialect {
	return &gelab{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        name,
			Fit:         screen.Fit{Exact: screen.Size{W: 728, H: 728}}, // it was trained on this
			Coordinates: screen.Coordinates{Unit: 1000},
		},
		Template: dialect.MustTemplate(prompts, o.Lang, form, "prompt"),
		Abort:    "ABORT",
		Thinking: [2]string{"<THINK> ", " </THINK>\n"},
		Corner:   true,
		Forms:    forms,
	})}
}
