// Command gendocs writes docs/tools.md from the lists of tools that clients get, the brief one and
// the full one, and the table of the reply modes into docs/answering.md.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/taploop/taploop/internal/inquiry/channel"
)

// tool is what the documents need of a tool.
type tool struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Annotations hints  `json:"annotations"`
	Input       input  `json:"inputSchema"`
}

type hints struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
}

type input struct {
	Properties map[string]*property `json:"properties"`
	Required   []string             `json:"required"`
}

type property struct {
	Listed      bool     `json:"-"` // models are told of it
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Default     any      `json:"default"`
	Enum        []string `json:"enum"`
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: gendocs FOLDER TOOLS.md ANSWERING.md")
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func write(folder, page, answering string) error {
	listed, err := read(filepath.Join(folder, "tools.json"))
	if err != nil {
		return err
	}
	tools, err := read(filepath.Join(folder, "tools.full.json"))
	if err != nil {
		return err
	}
	for i, t := range listed {
		for name := range t.Input.Properties {
			tools[i].Input.Properties[name].Listed = true
		}
	}
	var b bytes.Buffer
	if err := reference.Execute(&b, tools); err != nil {
		return err
	}
	if err := os.WriteFile(page, b.Bytes(), 0o644); err != nil {
		return err
	}
	old, err := os.ReadFile(answering)
	if err != nil {
		return err
	}
	text, err := fill(string(old), "reply modes", modes())
	if err != nil {
		return fmt.Errorf("%s: %w", answering, err)
	}
	return os.WriteFile(answering, []byte(text), 0o644)
}

func read(list string) (tools []tool, err error) {
	encoded, err := os.ReadFile(list)
	if err == nil {
		err = json.Unmarshal(encoded, &tools)
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", list, err)
	}
	return tools, nil
}

// fill puts the text into the section of that name.
func fill(in, section, text string) (string, error) {
	opening, closing := "<!-- "+section+" -->", "<!-- /"+section+" -->"
	before, rest, found := strings.Cut(in, opening)
	_, after, foundEnd := strings.Cut(rest, closing)
	if !found || !foundEnd {
		return "", fmt.Errorf("there is no section between %s and %s", opening, closing)
	}
	return before + opening + "\n" + text + closing + after, nil
}

// reference is all that clients are told.
//
//go:embed tools.md.tmpl
var referenceText string

var reference = template.Must(template.New("tools.md").Funcs(template.FuncMap{
	"cell": cell, "lines": lines,
}).Parse(referenceText))

func lines(s string) []string { return strings.Split(s, "\n") }

// modes is a line for each step of a reply mode.
func modes() string {
	var b strings.Builder
	b.WriteString("| mode | what happens |\n| --- | --- |\n")
	for _, c := range channel.Steps() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c.Name, cell(c.Guide))
	}
	return b.String()
}

func (h hints) String() string {
	var words []string
	switch {
	case h.ReadOnly:
		words = append(words, "read-only")
	case h.Destructive:
		words = append(words, "may change things for good")
	}
	if h.Idempotent {
		words = append(words, "calling it again changes nothing more")
	}
	if len(words) == 0 {
		words = append(words, "adds something with every call, and takes nothing away")
	}
	return strings.Join(words, ", ") + "."
}

// Default is what stands for the argument when it is left out.
func (in input) Default(name string) string {
	switch def := in.Properties[name].Default; {
	case slices.Contains(in.Required, name):
		return "required"
	case def != nil:
		return fmt.Sprintf("`%v`", def)
	}
	return "-"
}

// Names are the arguments, required ones first.
func (in input) Names() []string {
	required := slices.Sorted(slices.Values(in.Required))
	optional := slices.DeleteFunc(slices.Sorted(maps.Keys(in.Properties)),
		func(name string) bool { return slices.Contains(required, name) })
	return append(required, optional...)
}

// Kind is the argument's type, with its values or bounds.
func (p *property) Kind() string {
	switch {
	case len(p.Enum) > 0:
		return "`" + strings.Join(p.Enum, "`, `") + "`"
	case p.Minimum != nil && p.Maximum != nil:
		return fmt.Sprintf("%s, %.0f to %.0f", p.Type, *p.Minimum, *p.Maximum)
	}
	return p.Type
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
