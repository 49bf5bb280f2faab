// Command gendocs writes the tools' table into the README, and docs/tools.md, from the list of
// tools as clients get it.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
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
	Properties map[string]property `json:"properties"`
	Required   []string            `json:"required"`
}

type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description"`
	Default     any      `json:"default"`
	Enum        []string `json:"enum"`
	Minimum     *float64 `json:"minimum"`
	Maximum     *float64 `json:"maximum"`
}

const (
	opening = "<!-- tools -->"
	closing = "<!-- /tools -->"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: gendocs TOOLS.json README.md TOOLS.md")
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func write(list, readme, page string) error {
	b, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	var tools []tool
	if err := json.Unmarshal(b, &tools); err != nil {
		return fmt.Errorf("reading %s: %w", list, err)
	}
	old, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	text, err := between(string(old), table(tools))
	if err != nil {
		return fmt.Errorf("%s: %w", readme, err)
	}
	if err := os.WriteFile(readme, []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(page, []byte(reference(tools)), 0o644)
}

// between puts the text between the marks.
func between(in, text string) (string, error) {
	before, rest, found := strings.Cut(in, opening)
	_, after, foundEnd := strings.Cut(rest, closing)
	if !found || !foundEnd {
		return "", fmt.Errorf("there is no section between %s and %s", opening, closing)
	}
	return before + opening + "\n" + text + closing + after, nil
}

// address is what the query of a connection's URL may set.
//
//go:embed address.md
var address string

// table is a line for each tool.
func table(tools []tool) string {
	var b strings.Builder
	b.WriteString("| tool | what it does |\n| --- | --- |\n")
	for _, t := range tools {
		first, _, _ := strings.Cut(t.Description, "\n")
		fmt.Fprintf(&b, "| [`%s`](docs/tools.md#%s) | %s |\n", t.Name, t.Name, cell(first))
	}
	return b.String()
}

// reference is all that clients are told.
func reference(tools []tool) string {
	var b bytes.Buffer
	b.WriteString(`<!-- Made by go generate from tools/testdata/tools.json; do not edit. -->

# The MCP tools

This is what a calling model reads. Every phone tool returns the same object, as structured content
and as JSON in the first text block; the result of a run that has not ended closes with one line
that names the next call.
`)
	for _, t := range tools {
		fmt.Fprintf(&b, "\n## %s\n\n%s, %s\n\n", t.Name, t.Title, t.Annotations)
		for line := range strings.SplitSeq(t.Description, "\n") {
			fmt.Fprintf(&b, "- %s\n", line)
		}
		arguments(&b, t.Input)
	}
	b.WriteString(address)
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

func arguments(b *bytes.Buffer, in input) {
	if len(in.Properties) == 0 {
		b.WriteString("\nNo arguments.\n")
		return
	}
	b.WriteString("\n| argument | type | default | what it is |\n| --- | --- | --- | --- |\n")
	for _, name := range in.names() {
		p := in.Properties[name]
		def := "-"
		switch {
		case slices.Contains(in.Required, name):
			def = "required"
		case p.Default != nil:
			def = fmt.Sprintf("`%v`", p.Default)
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", name, p.kind(), def, cell(p.Description))
	}
}

// names are the arguments, those that are required first.
func (in input) names() []string {
	var names []string
	for name := range in.Properties {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if ra, rb := slices.Contains(in.Required, a), slices.Contains(in.Required, b); ra != rb {
			if ra {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

func (p property) kind() string {
	switch {
	case len(p.Enum) > 0:
		return "`" + strings.Join(p.Enum, "`, `") + "`"
	case p.Minimum != nil && p.Maximum != nil:
		return fmt.Sprintf("%s, %.0f to %.0f", p.Type, *p.Minimum, *p.Maximum)
	}
	return p.Type
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
