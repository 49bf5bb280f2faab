// Package usage has what the command line says about itself: the help of each command, flag and
// argument, an example of every command, the completion of shells, and the manual page.
package usage

import (
	_ "embed"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

//go:embed examples.yaml
var examples []byte

// Examples returns an example of each command, by its words without the program's.
func Examples() (map[string]string, error) {
	var all map[string]string
	if err := yaml.Unmarshal(examples, &all); err != nil {
		return nil, fmt.Errorf("examples of commands: %w", err)
	}
	return all, nil
}

// program is the key of the texts that all commands have.
const program = "taploop"

// texts are the help of the command line in one language.
type texts struct {
	About, Codes, Example string

	Exits    map[string]string            // by exit code
	Commands map[string]map[string]string // by command, and by flag, argument or "about"
}

var textsIn = words.Of[texts]("help")

// Describe gives the root and every command below it the help in the language and an example.
// ${NAME} in a text is replaced by the variable of that name.
func Describe(root *kong.Node, lang string, vars map[string]string) error {
	all, err := Examples()
	if err != nil {
		return err
	}
	w := textsIn(lang)
	w.describe(root, nil, all, func(name string) string { return vars[name] })
	root.Help = w.About + "\n\n" + w.Codes + ":\n" + strings.Join(Exits(lang), ",\n") + "."
	return nil
}

// describe describes a command, which also has the texts of the commands above it.
func (w *texts) describe(n *kong.Node, above, examples map[string]string,
	vars func(string) string) {
	path := Path(n)
	own := w.Commands[path]
	if n.Parent == nil {
		own = w.Commands[program]
	}
	has := maps.Clone(above)
	if has == nil {
		has = map[string]string{}
	}
	maps.Copy(has, own)
	n.Help = own["about"]
	for _, p := range n.Positional {
		p.Help = os.Expand(has[p.Name], vars)
	}
	for _, f := range n.Flags {
		f.Help = os.Expand(has[f.Name], vars)
	}
	if example := examples[path]; example != "" {
		n.Detail = w.Example + ":\n  " + example
	}
	for _, c := range n.Children {
		w.describe(c, has, examples, vars)
	}
}

// Exits are the exit codes with what they mean in the language.
func Exits(lang string) []string {
	w := textsIn(lang)
	var codes []int
	for code := range w.Exits {
		n, err := strconv.Atoi(code)
		if err != nil {
			panic(err) // the texts are part of the program
		}
		codes = append(codes, n)
	}
	slices.Sort(codes)
	return text.Each(codes, func(n int) string {
		return fmt.Sprint(n, " ", w.Exits[strconv.Itoa(n)])
	})
}

// Path is a command's words, without the program's.
func Path(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimSpace(Path(n.Parent) + " " + n.Name)
}
