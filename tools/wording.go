package tools

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// descriptions are those of the tools and of their arguments. They are read by a model that has to
// choose and use a tool without any other help: when to use it, when not, what comes back, what to
// do next, how long ids live.
//
//go:embed descriptions/*.txt
var descriptions embed.FS

// Instructions are for the server's handshake: what a model should know before it reads any tool.
var Instructions = strings.TrimSpace(described("instructions"))

// wording is what a model reads of a tool, and how its arguments are checked.
type wording struct {
	description string
	input       *schema.Schema // of the arguments
	// the same as a model reads it that wants some groups of arguments
	listed func(wants func(group string) bool) *schema.Schema
}

// argumentsOf is the description with this name, and the schema of its arguments.
func argumentsOf[A any](o *Options, name string) (string, *schema.Schema) {
	fill := placeholders(o)
	text, arguments, _ := strings.Cut(fill.Replace(described(name)), "\n\n")
	shared := schema.ParseWords(fill.Replace(described("shared")), nil)
	input := schema.For[A](argumentTypes(), schema.ParseWords(arguments, shared))
	for _, p := range input.Properties {
		if p.Default != nil {
			p.Default = json.RawMessage(fill.Replace(string(p.Default)))
		}
	}
	return strings.TrimSpace(text), input
}

// argumentTypes are the types of arguments that have a schema of their own.
var argumentTypes = sync.OnceValue(func() schema.Types {
	types := schema.NewTypes()
	schema.AddEnum(types, store.States()...)
	schema.AddEnum(types, result.FieldTypes...)
	schema.AddEnum(types, inquiry.Pause, inquiry.GoOn, inquiry.Default)
	schema.AddEnum(types, inquiry.TypeAnswer, inquiry.TypeDone, inquiry.TypeCouldNot,
		inquiry.TypeDelegate, inquiry.TypeTimeout)
	schema.AddEnum(types, inquiry.Scopes...)
	schema.AddEnum(types, agentloop.AsNote, agentloop.AsInstruction)
	schema.AddEnum(types, skill.Heals()...)
	schema.AddEnum(types, usecase.Low, usecase.Normal, usecase.High)
	schema.AddEnum(types, runs.Cancel, runs.Pause, runs.Takeover)
	schema.AddEnum(types, usecase.DetailSummary, usecase.DetailSteps,
		usecase.DetailPictures)
	schema.Add[usecase.Field](types, schema.ParseWords(described("field"), nil))
	schema.Add[usecase.Decision](types, schema.ParseWords(described("decision"), nil))
	return types
})

// placeholders stand in descriptions for what the server's configuration says.
func placeholders(o *Options) *strings.Replacer {
	most := ""
	if o.MaxSteps > 0 {
		most = fmt.Sprintf(" The server allows at most %d.", o.MaxSteps)
	}
	return strings.NewReplacer("{max_steps}", most, "{reply_mode}", string(o.ReplyMode),
		"{channels}", channel.Help())
}

func described(name string) string {
	b, err := descriptions.ReadFile("descriptions/" + name + ".txt")
	if err != nil {
		panic(err)
	}
	return string(b)
}
