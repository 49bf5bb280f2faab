package clients

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// layout is how a file is written, so that what is added looks like the rest.
type layout struct {
	unit string // of the indentation
	eol  string // the end of a line
}

func layoutOf(text []byte, root *hujson.Value) layout {
	lay := layout{unit: "  ", eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		lay.eol = "\r\n"
	}
	if unit, ok := leading(text, root.Value.(*hujson.Object)); ok && unit != "" {
		lay.unit = unit
	}
	return lay
}

// leading is the white space in front of the first member, when that begins a line.
func leading(text []byte, list *hujson.Object) (string, bool) {
	if len(list.Members) == 0 {
		return "", false
	}
	before := text[:list.Members[0].Name.StartOffset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return string(line), len(line) < len(before) && len(bytes.TrimLeft(line, " \t")) == 0
}

// indent is the indentation of the members of an object that is depth levels deep.
func (lay layout) indent(text []byte, list *hujson.Object, depth int) string {
	if line, ok := leading(text, list); ok {
		return line
	}
	return strings.Repeat(lay.unit, depth)
}

func (lay layout) lines(text string) []byte {
	return []byte(strings.ReplaceAll(text, "\n", lay.eol))
}

// gap is the end of an object or an array, where something is added.
type gap struct {
	closing       int           // where the closing brace is
	last          *hujson.Value // in front of it; nil when there is nothing
	comma         bool          // there is a comma after last
	indent, outer string        // of what is added, and of the closing brace
}

// insert adds a member or an element. Comments stay behind what they stand behind.
func (lay layout) insert(text []byte, at gap, what string) []byte {
	end := len(bytes.TrimRight(text[:at.closing], " \t\r\n"))
	added := lay.eol + at.indent + string(lay.lines(what))
	head := text[:end]
	switch {
	case at.comma:
		added += ","
	case at.last != nil:
		head = slices.Concat(text[:at.last.EndOffset], []byte(","), text[at.last.EndOffset:end])
	}
	tail := text[end:at.closing]
	if !bytes.ContainsRune(tail, '\n') {
		tail = []byte(lay.eol + at.outer)
	}
	return slices.Concat(head, []byte(added), tail, text[at.closing:])
}
