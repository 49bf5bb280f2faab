// Package autoglm is the dialect of AutoGLM-Phone. The prompt is a dialogue of which only the
// newest picture is kept. A reply is a thought in tags and one call in Python's form:
// do(action="Tap", element=[500, 92]) or finish(message="..."). Points are integers of thousandths.
package autoglm

import (
	"embed"
	"slices"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed prompt.*.tmpl
var prompts embed.FS

type autoglm struct{ dialect.Base }

// turns is how many former turns are shown again, as text.
const turns = 20

// New returns the dialect. The options need their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	return &autoglm{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        "autoglm",
			Turns:       turns,
			Coordinates: screen.Coordinates{Unit: 1000},
		},
		Template: dialect.MustTemplate(prompts, o.Lang),
		Abort:    `do(action="Abort")`,
		Forms:    append(slices.Clip(forms), finish),
	})}
}
