// Package autoglm is the dialect of AutoGLM-Phone: a dialogue of which only the newest picture is
// kept; replies of a thought in tags and one call in Python's form, do(action="Tap",
// element=[500, 92]) or finish(message="..."); points as integers of thousandths.
package autoglm

import (
	"embed"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed prompt.*.tmpl
var prompts embed.FS

type autoglm struct{ dialect.Base }

// turns is how many former turns are shown again, as text.
const turns = 20

// New returns the dialect; its options have their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	return &autoglm{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        "autoglm",
			Turns:       turns,
			Coordinates: screen.Coordinates{Unit: 1000},
		},
		Template: dialect.MustTemplate(prompts, o.Lang),
		Abort:    `do(action="Abort")`,
	})}
}
