package clients

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/taploop/taploop/internal/text"
)

// layout is the formatting of a file. New entries follow it.
type layout struct {
	unit string // of indentation
	eol  string // the line ending
}

func layoutOf(text []byte, root *hujson.Value) layout {
	lay := layout{unit: "  ", eol: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		lay.eol = "\r\n"
	}
	if unit, ok := leading(root.Value.(*hujson.Object)); ok && unit != "" {
		lay.unit = unit
	}
	return lay
}

// leading returns the white space in front of the first member if that begins a line.
func leading(list *hujson.Object) (string, bool) {
	if len(list.Members) == 0 {
		return "", false
	}
	before := list.Members[0].Name.BeforeExtra
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return string(line), len(line) < len(before) && len(bytes.TrimLeft(line, " \t")) == 0
}

// indent returns the indentation of the members of an object at the depth.
func (lay layout) indent(list *hujson.Object, depth int) string {
	if line, ok := leading(list); ok {
		return line
	}
	return strings.Repeat(lay.unit, depth)
}

// value returns v, formatted for a line with the indentation.
func (lay layout) value(v any, indent string) (hujson.Value, error) {
	text, err := encode(v, indent, lay.unit)
	if err != nil {
		return hujson.Value{}, err
	}
	return hujson.Parse([]byte(strings.ReplaceAll(text, "\n", lay.eol)))
}

// addMember appends a member to an object at the depth.
func (lay layout) addMember(of *hujson.Value, depth int, key string, v any) error {
	list := of.Value.(*hujson.Object)
	indent := lay.indent(list, depth)
	value, err := lay.value(v, indent)
	if err != nil {
		return err
	}
	value.BeforeExtra = hujson.Extra(" ")
	name := hujson.Value{Value: hujson.String(key)}
	var last *hujson.Value
	if n := len(list.Members); n > 0 {
		last = &list.Members[n-1].Value
	}
	lay.place(&name, &value, last, &list.AfterExtra, indent)
	list.Members = append(list.Members, hujson.ObjectMember{Name: name, Value: value})
	return nil
}

// place sets the space around a new member from begin to end. last is the member before it, or nil.
// rest is the space at the end of the list. Comments and a trailing comma stay where they are.
func (lay layout) place(begin, end, last *hujson.Value, rest *hujson.Extra, indent string) {
	before := bytes.TrimRight(*rest, " \t\r\n")
	tail := (*rest)[len(before):]
	if !bytes.ContainsRune(tail, '\n') {
		tail = hujson.Extra(lay.eol + strings.TrimSuffix(indent, lay.unit))
	}
	begin.BeforeExtra = slices.Concat(before, []byte(lay.eol+indent))
	*rest = tail
	if last != nil && last.AfterExtra != nil {
		end.AfterExtra = hujson.Extra{}
	}
}

// encode returns v as JSON. Each line but the first begins with the prefix.
func encode(v any, prefix, indent string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, indent)
	err := e.Encode(v)
	return strings.TrimSuffix(string(text.JSON(b.Bytes())), "\n"), err
}
