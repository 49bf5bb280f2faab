// Package families is the table of the dialects that taploop speaks, a row each.
package families

import (
	"regexp"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/autoglm"
	"github.com/taploop/taploop/actions/dialect/gelab"
	"github.com/taploop/taploop/actions/dialect/general"
	"github.com/taploop/taploop/actions/dialect/glm"
	"github.com/taploop/taploop/actions/dialect/qwen"
	"github.com/taploop/taploop/actions/dialect/uitars"
)

// Known is the dialects, in the order in which a reply in another form than the chosen dialect's is
// looked at. The last row is for every model that no other row speaks with. Not to be
// changed.
var Known = dialect.Table{
	{Name: "qwen", Speaks: qwen.Speaks, New: qwen.New, Wrote: qwen.Wrote, Write: qwen.Write},
	{Name: "general-tools",
		Speaks: named(`claude|gpt-?\d|gpt-oss|\bo[134]\b|computer-use|gemini|grok`),
		New:    general.NewTools, Wrote: general.WroteTools, Write: general.WriteTools,
		Toolless: "general"},
	{Name: "autoglm", Speaks: named(`auto-?glm`), New: autoglm.New, Wrote: autoglm.Wrote,
		Write: autoglm.Write},
	{Name: "ui-tars", Speaks: uitars.Speaks, New: uitars.New, Wrote: uitars.Wrote,
		Write: uitars.Write},
	{Name: "glm", Speaks: glm.Speaks, New: glm.New, Wrote: glm.Wrote, Write: glm.Write},
	{Name: "gelab", Lang: "zh", Speaks: named(`gelab|step-?gui|scripted`), New: gelab.New,
		Wrote: gelab.Wrote, Write: gelab.Write},
	{Name: "gelab-plain", Lang: "zh", Speaks: unsaid, New: gelab.NewPlain, Wrote: gelab.Wrote,
		Write: gelab.WritePlain},
	{Name: "gelab-adv", Lang: "zh", Speaks: unsaid, New: gelab.NewAdv, Wrote: gelab.Wrote,
		Write: gelab.WriteAdv},
	{Name: "gelab-key-process", Lang: "zh", Speaks: unsaid, New: gelab.NewKeyProcess,
		Wrote: gelab.Wrote,
		Write: gelab.WriteKeyProcess},
	{Name: "general", Speaks: func(string) bool { return true }, New: general.New,
		Wrote: general.Wrote, Write: general.Write},
}

// unsaid is for variants that no name tells.
func unsaid(string) bool { return false }

// named reports whether a model's plain name has what the pattern finds.
func named(pattern string) func(model string) bool {
	r := regexp.MustCompile(pattern)
	return func(model string) bool { return r.MatchString(dialect.Plain(model)) }
}
