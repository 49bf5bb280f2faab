package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// errForm refuses a file that is written in a way in which values cannot be set.
var errForm = errors.New("its form is not one that can be kept")

// splice sets the value at a path in the text of a file, whose lines end in \n, and leaves every
// other character. Maps that are missing on the way are added.
func splice(text string, path []string, value string) (string, error) {
	file, err := parser.ParseBytes([]byte(text), 0)
	if err != nil || len(file.Docs) > 1 {
		return "", errForm
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		added, err := yaml.Marshal(nested(path, value))
		return text + string(added), err
	}
	lines := strings.SplitAfter(text, "\n")
	node := file.Docs[0].Body
	for n, name := range path {
		m, ok := node.(*ast.MappingNode)
		if !ok {
			return "", errForm
		}
		i := slices.IndexFunc(m.Values, func(v *ast.MappingValueNode) bool {
			return v.Key.GetToken().Value == name
		})
		if i < 0 {
			lines, err = insert(lines, m, nested(path[n:], value))
			return strings.Join(lines, ""), err
		}
		node = m.Values[i].Value
	}
	line, from, to, ok := scalar(lines, node)
	if !ok {
		return "", errForm
	}
	written, err := yaml.Marshal(value)
	value = strings.TrimRight(string(written), "\n")
	old := lines[line]
	lines[line] = old[:from] + value + inColumn(old[to:], to-from-len(value))
	return strings.Join(lines, ""), err
}

// nested is a value below a path of names.
func nested(path []string, value any) any {
	for _, name := range slices.Backward(path) {
		value = map[string]any{name: value}
	}
	return value
}

// insert adds an entry at the end of a map.
func insert(lines []string, m *ast.MappingNode, entry any) ([]string, error) {
	written, err := yaml.MarshalWithOptions(entry, yaml.Flow(m.IsFlowStyle))
	if err != nil {
		return nil, err
	}
	added := strings.TrimRight(string(written), "\n")
	if m.IsFlowStyle {
		line, from, ok := place(lines, m.End)
		if !ok {
			return nil, errForm
		}
		before := strings.TrimRight(lines[line][:from], " ")
		if len(m.Values) > 0 {
			before += ", "
		}
		lines[line] = before + added[1:len(added)-1] + lines[line][from:]
		return lines, nil
	}
	for _, v := range slices.Backward(m.Values) {
		last, ok := lastLine(lines, v)
		if !ok {
			continue
		}
		indent := strings.Repeat(" ", v.Key.GetToken().Position.Column-1)
		added = indent + strings.ReplaceAll(added, "\n", "\n"+indent) + "\n"
		return slices.Insert(lines, last+1, added), nil
	}
	return nil, errForm
}

// lastLine is the line in which an entry of a map ends. It is not ok for lists, and for texts in
// several lines.
func lastLine(lines []string, node ast.Node) (line int, ok bool) {
	switch n := node.(type) {
	case *ast.MappingValueNode:
		if _, empty := n.Value.(*ast.NullNode); empty {
			line, _, ok = place(lines, n.Key.GetToken())
			return line, ok
		}
		return lastLine(lines, n.Value)
	case *ast.MappingNode:
		if n.IsFlowStyle {
			line, _, ok = place(lines, n.End)
			return line, ok
		}
		return lastLine(lines, n.Values[len(n.Values)-1])
	}
	line, _, _, ok = scalar(lines, node)
	return line, ok
}

// place is where a token begins in its line, in bytes.
func place(lines []string, t *token.Token) (line, from int, ok bool) {
	line = t.Position.Line - 1
	if line < 0 || line >= len(lines) {
		return 0, 0, false
	}
	runes := []rune(lines[line])
	column := t.Position.Column - 1
	if column < 0 || column >= len(runes) {
		return 0, 0, false
	}
	return line, len(string(runes[:column])), true
}

// scalar is where a value stands in its line, in bytes. It is not ok for a value that takes several
// lines, or that has an anchor or a tag.
func scalar(lines []string, node ast.Node) (line, from, to int, ok bool) {
	switch node.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
	default:
		return 0, 0, 0, false
	}
	token := node.GetToken()
	if line, from, ok = place(lines, token); !ok {
		return 0, 0, 0, false
	}
	rest := lines[line][from:]
	switch {
	case rest[0] == '"' || rest[0] == '\'':
		end := closing(rest)
		return line, from, from + end, end > 0
	case token.Value != "" && strings.HasPrefix(rest, token.Value):
		return line, from, from + len(token.Value), true
	}
	return 0, 0, 0, false
}

// closing is the length of the quoted text at the beginning of s, or 0 when it ends on another
// line.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\':
			i++
		case s[i] == s[0] && s[0] == '\'' && strings.HasPrefix(s[i+1:], "'"):
			i++
		case s[i] == s[0]:
			return i + 1
		}
	}
	return 0
}

// inColumn is the rest of a line behind a value that became shorter by so many bytes. A comment
// stays in its column where there is room.
func inColumn(rest string, shorter int) string {
	comment := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(comment, "#") {
		return rest
	}
	return strings.Repeat(" ", max(len(rest)-len(comment)+shorter, 1)) + comment
}
