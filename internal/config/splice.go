package config

import (
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// splice sets one value in the text of a file and leaves every other character as it is. ok is
// false for a form that it does not know: there the file has to be written anew.
func splice(before string, below []string, key, value string) (after string, ok bool) {
	file, err := parser.ParseBytes([]byte(before), parser.ParseComments)
	if err != nil || len(file.Docs) != 1 {
		return "", false
	}
	node, err := at(below).FilterFile(file)
	if err != nil {
		return "", false
	}
	m, ok := node.(*ast.MappingNode)
	if !ok {
		return "", false
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		return "", false
	}
	value = strings.TrimRight(string(text), "\n")
	lines := strings.SplitAfter(before, "\n")
	for _, v := range m.Values {
		if v.Key.GetToken().Value == key {
			line, from, to, ok := scalar(lines, v.Value)
			if ok {
				old := lines[line]
				lines[line] = old[:from] + value + inColumn(old[to:], to-from-len(value))
			}
			return strings.Join(lines, ""), ok
		}
	}
	if m.IsFlowStyle {
		return "", false
	}
	for _, v := range slices.Backward(m.Values) {
		line, _, _, ok := scalar(lines, v.Value)
		if !ok || !strings.HasSuffix(lines[line], "\n") {
			continue
		}
		indent := strings.Repeat(" ", v.Key.GetToken().Position.Column-1)
		lines = slices.Insert(lines, line+1, indent+key+": "+value+"\n")
		return strings.Join(lines, ""), true
	}
	return "", false
}

// scalar is where a value stands in its line, in bytes; not ok for one that takes several lines, or
// that has more than itself about it.
func scalar(lines []string, node ast.Node) (line, from, to int, ok bool) {
	switch node.(type) {
	case *ast.StringNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
	default:
		return 0, 0, 0, false
	}
	token := node.GetToken()
	line = token.Position.Line - 1
	if line < 0 || line >= len(lines) {
		return 0, 0, 0, false
	}
	runes := []rune(lines[line])
	if column := token.Position.Column - 1; column < 0 || column >= len(runes) {
		return 0, 0, 0, false
	} else {
		from = len(string(runes[:column]))
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

// closing is how long the quoted text is that s begins with; 0 when it goes on in another line.
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

// inColumn is what stands behind a value that has become shorter by so many bytes, with its comment
// in the column in which it was, where there is room.
func inColumn(rest string, shorter int) string {
	comment := strings.TrimLeft(rest, " ")
	if !strings.HasPrefix(comment, "#") {
		return rest
	}
	return strings.Repeat(" ", max(len(rest)-len(comment)+shorter, 1)) + comment
}
