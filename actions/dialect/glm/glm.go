// Package glm is the dialect of GLM-4.1V and GLM-4.5V on phones. The prompt is one user message
// with the rules, the task, the steps so far as text, and the screen. A reply has Memory, Reason
// and Action. The action is JSON with an action_type, and its places are boxes.
//
// Source: zai-org/GLM-V examples/gui-agent.
package glm

import (
	"embed"
	"regexp"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed prompt.*.tmpl
var prompts embed.FS

type glm struct{ dialect.Base }

var vision = regexp.MustCompile(`glm-?\d(?:\.\d+)?-?v(?:[^a-z]|$)`)

// Speaks reports whether a model of that name is of the family.
func Speaks(model string) bool { return vision.MatchString(dialect.Plain(model)) }

// New returns the dialect. The options need their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	return &glm{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        "glm",
			Turns:       30,
			Coordinates: screen.Coordinates{Unit: 1000},
		},
		Template: dialect.MustTemplate(prompts, o.Lang),
		Abort:    "end with goal_status infeasible",
		Forms:    forms,
		Boxes:    true,
	})}
}
