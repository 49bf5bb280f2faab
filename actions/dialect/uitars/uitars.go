// Package uitars is the dialect of the UI-TARS family. The first user message has the action space
// and the task. Screens and replies follow as a dialogue. A reply is a Thought line and an Action
// line with one call.
//
// Sources: the README files of bytedance/UI-TARS (README_v1.md, README_coordinates.md) and
// codes/ui_tars/prompt.py there.
package uitars

import (
	"embed"
	"regexp"
	"strings"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed prompt.*.tmpl
var prompts embed.FS

type uitars struct{ dialect.Base }

// variant is what differs between the models of the family.
type variant struct {
	fit         screen.Fit
	coordinates screen.Coordinates
	point       bool // places are written as points in tags, and not as boxes
}

const patch = 28 // pixels, sides of the picture are multiples of it

// variantOf returns the variant of the model of that name. UI-TARS-1.5 writes pixels of the resized
// picture. The first UI-TARS and the models of Doubao and Seed write thousandths.
func variantOf(model string) variant {
	model = dialect.Plain(model)
	thousand := screen.Coordinates{Unit: 1000}
	switch {
	case hosted(model):
		return variant{screen.Fit{Multiple: patch, Max: 5120 * patch * patch}, thousand, true}
	case strings.Contains(model, "1.5"):
		return variant{screen.Fit{Multiple: patch, Min: 100 * patch * patch,
			Max: 16384 * patch * patch}, screen.Coordinates{}, false}
	}
	return variant{screen.Fit{Multiple: patch, Max: 2700 * patch * patch}, thousand, false}
}

// Models of the family, and those of them that are only served, and write points. UI-TARS-2B is of
// the first ones.
var (
	named   = regexp.MustCompile(`ui-?tars`)
	pointed = regexp.MustCompile(`doubao|(?:^|-)seed-?\d|^seed|ui-?tars-?2(?:$|[^\db])`)
)

func hosted(model string) bool { return pointed.MatchString(model) }

// Speaks reports whether a model of that name is of the family.
func Speaks(model string) bool {
	model = dialect.Plain(model)
	return named.MatchString(model) || hosted(model)
}

// New returns the dialect. The options need their defaults filled in.
func New(o dialect.Options) dialect.Dialect {
	v := variantOf(o.Model)
	return &uitars{dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{
			Name:        "ui-tars",
			Turns:       30,
			Pictures:    4, // with the screen of now the 5 that it was trained on
			Fit:         v.fit,
			Coordinates: v.coordinates,
		},
		Template: template(o.Lang, v.point),
		Abort:    "abort",
		Forms:    forms,
	})}
}

// template is the prompt with places written as boxes or as points.
func template(lang string, point bool) *dialect.Template {
	source, writes := dialect.Source(prompts, lang, "prompt"), strings.NewReplacer()
	if point {
		writes = strings.NewReplacer("drag(start_box='(x1,y1)', end_box='(x2,y2)')",
			"drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')",
			"start_box='(x1,y1)'", "point='<point>x1 y1</point>'")
	}
	return dialect.MustParse("prompt", writes.Replace(source), lang)
}
