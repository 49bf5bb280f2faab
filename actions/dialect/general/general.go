// Package general is the dialect of models that were not trained for phones. They use taploop's own
// set of actions, as native tool calls or as one JSON object in plain text.
//
// Former steps are shown as text. Places are thousandths, unless the model's makers say otherwise.
// The prompt names the unit.
package general

import (
	"embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/internal/screen"
)

//go:embed *.tmpl
var prompts embed.FS

type general struct {
	dialect.Base
	native bool // native tool calls are read, else JSON objects
}

// shown is how many former steps are shown again, as text.
const shown = 20

// New returns the dialect of JSON objects. The options need their defaults filled in.
func New(o dialect.Options) dialect.Dialect { return made(o, "general", "json", nil) }

// NewTools returns the dialect of native tool calls. The options need their defaults filled in.
func NewTools(o dialect.Options) dialect.Dialect {
	return made(o, "general-tools", "tools", tools(o.Lang))
}

func made(o dialect.Options, name, form string, tools []dialect.Tool) dialect.Dialect {
	return &general{native: tools != nil, Base: dialect.NewBase(o, dialect.Made{
		Profile: dialect.Profile{Name: name, Turns: shown, Fit: screen.Fit{Long: 1280},
			Elements:    true,
			Coordinates: usual(o.Model)},
		Template: dialect.MustParse(name, dialect.Source(prompts, o.Lang, form, "prompt")+
			"{{define \"actions\"}}\n"+lines(o.Lang)+"{{end}}", o.Lang),
		Abort: "abort",
		Tools: tools,
		Keyed: true,
		Forms: forms,
	})}
}

var (
	reckonsInPixels    = regexp.MustCompile(`(?i)claude|gpt|\bo[134]\b|computer-use`)
	reckonsInFractions = regexp.MustCompile(`(?i)kimi`)
	reckonsTo999       = regexp.MustCompile(`(?i)gemini.*computer-use`)
)

// usual is how the model usually writes places, as far as its name tells.
func usual(model string) screen.Coordinates {
	switch {
	case reckonsTo999.MatchString(model):
		return screen.Coordinates{Unit: 999}
	case reckonsInPixels.MatchString(model):
		return screen.Coordinates{}
	case reckonsInFractions.MatchString(model):
		return screen.Coordinates{Unit: 1}
	}
	return screen.Coordinates{Unit: 1000}
}

// explained is a line of the prompt that explains an action: its example, and in words.
var explained = regexp.MustCompile(`(?m)^- (\{"type": "(\w+)".*\}) (.*)$`)

// lines explain the actions in the family's words, and at the end the ones that it has no words for
// in the vocabulary's.
func lines(lang string) string {
	all := strings.TrimSpace(dialect.Source(prompts, lang, "actions"))
	for i := range forms {
		f := &forms[i]
		if !strings.Contains(all, `{"type": "`+f.Name+`"`) {
			does, _ := actions.Explained(f.Action.Verb(), lang)
			all += "\n- " + wanted(f, example) + " " + does
		}
	}
	return all
}

// tools are the actions as native tools, in the words of the prompt.
func tools(lang string) []dialect.Tool {
	words := map[string]string{}
	for _, m := range explained.FindAllStringSubmatch(lines(lang), -1) {
		words[m[2]] = m[3]
	}
	var all []dialect.Tool
	for _, name := range forms.Names() {
		all = append(all, dialect.Tool{Name: name, Description: words[name],
			Parameters: parameters(forms.Find(name))})
	}
	return all
}

// parameters is the JSON Schema of an action's arguments. Where an element may be named, neither it
// nor its place is required.
func parameters(f *dialect.Form) json.RawMessage {
	properties := map[string]any{}
	required := []string{}
	for _, p := range f.Params() {
		numbered := slices.Contains(p.Names, dialect.Numbered)
		if numbered {
			properties["element"] = kinds[p.Type]
		}
		for name := range strings.SplitSeq(p.Names[0], ",") {
			properties[name] = kinds[p.Type]
			if !p.Optional && !numbered {
				required = append(required, name)
			}
		}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties,
		"required": required, "additionalProperties": false})
	if err != nil {
		panic(err)
	}
	return schema
}
