// Package gelab is the dialect of gelab-zero: one user message with the rules, the situation, the
// picture and the form of the answer; replies of a thought in tags and one line of TAB-separated
// fields; points as integers from 0 to 1000.
package gelab

import (
	"embed"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/screen"
)

//go:embed prompt.*.tmpl
var prompts embed.FS

// gelab is the dialect. The model's own summary is its only memory: it is shown no former turns.
type gelab struct{ dialect.Base }

// New returns the dialect; its options have their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	return &gelab{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        "gelab",
			Fit:         screen.Fit{Exact: screen.Size{W: 728, H: 728}}, // it was trained on this
			Coordinates: screen.Coordinates{Unit: 1000},
		},
		Template: dialect.MustTemplate(prompts, o.Lang),
		Abort:    "ABORT",
		Thinking: [2]string{"<THINK> ", " </THINK>\n"},
	})}
}
