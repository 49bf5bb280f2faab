// Package usage has an example of every command, and what is made from the definitions of all: the
// completion of shells, and the manual page.
package usage

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"
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

// Show adds its example to the help of every command below the node. A command without one has
// none to show.
func Show(n *kong.Node, all map[string]string) {
	for _, c := range n.Children {
		if example := all[Path(c)]; example != "" {
			c.Detail = strings.TrimSpace(c.Detail + "\n\nExample:\n  " + example)
		}
		Show(c, all)
	}
}

// Path is a command's words, without the program's.
func Path(n *kong.Node) string {
	if n.Parent == nil {
		return ""
	}
	return strings.TrimSpace(Path(n.Parent) + " " + n.Name)
}
