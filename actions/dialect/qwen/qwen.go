// Package qwen is the dialect of the mobile_use tool: Qwen2-VL, 2.5-VL and 3-VL, GUI-Owl and
// MAI-UI. A system message holds the tool's schema. A reply is a thought, one sentence, and a call
// of the tool as JSON between tool_call tags, or a native call.
//
// Sources: QwenLM/Qwen3-VL cookbooks/mobile_agent.ipynb, X-PLUG/MobileAgent, Tongyi-MAI/MAI-UI
// src/mai_naivigation_agent.py.
package qwen

import (
	"embed"
	"regexp"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed *.tmpl
var prompts embed.FS

type qwen struct{ dialect.Base }

// variant is what differs between the models of the family.
type variant struct {
	fit         screen.Fit
	coordinates screen.Coordinates
	dialogue    bool // former turns are shown as a dialogue, and not as a list of steps
	turns       int
	pictures    int
}

// smart28 is how Qwen2-VL and 2.5-VL resize a picture by default.
var smart28 = screen.Fit{Multiple: 28, Min: 3136, Max: 12845056}

// variantOf is the variant of the model of that name.
func variantOf(model string) variant {
	model = dialect.Plain(model)
	switch {
	case maiUI.MatchString(model):
		return variant{coordinates: screen.Coordinates{Unit: 999}, dialogue: true, turns: 30,
			pictures: 2}
	case owl15.MatchString(model):
		return variant{coordinates: screen.Coordinates{Unit: 1000}, dialogue: true, turns: 5,
			pictures: 4}
	case inPixels.MatchString(model):
		return variant{fit: smart28, turns: 30}
	case qwen2.MatchString(model):
		return variant{fit: smart28, coordinates: screen.Coordinates{Unit: 1000}, turns: 30}
	}
	return variant{coordinates: screen.Coordinates{Unit: 1000}, turns: 30}
}

// Names of models. InfiGUI-R1 is based on Qwen2.5-VL. From Qwen3.5 on every model sees.
var (
	maiUI    = regexp.MustCompile(`mai-?ui`)
	owl15    = regexp.MustCompile(`gui-?owl-?1\.5`)
	inPixels = regexp.MustCompile(`gui-?owl|infigui|qwen-?2\.?5`)
	qwen2    = regexp.MustCompile(`qwen-?2-?vl`)
	known    = regexp.MustCompile(`mai-?ui|gui-?owl|infigui|qwen.*vl|qwen-?3\.[5-9]`)
)

// Speaks reports whether a model of that name is of the family.
func Speaks(model string) bool { return known.MatchString(dialect.Plain(model)) }

// New returns the dialect. The options need their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	v := variantOf(o.Model)
	history := "steps"
	if v.dialogue {
		history = "dialogue"
	}
	return &qwen{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        "qwen",
			Turns:       v.turns,
			Pictures:    v.pictures,
			Fit:         v.fit,
			Coordinates: v.coordinates,
		},
		Template: dialect.MustTemplate(prompts, o.Lang, "prompt", history),
		Abort:    "terminate with failure",
		Forms:    forms,
	})}
}
