package keys

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/taploop/taploop/internal/text"
)

const (
	maxBytes = 4 << 20
	// values that are read of a file, those of aliases as often as they are used
	maxValues = 200_000
	maxDepth  = 50
)

// Parse reads YAML. Its error is Problems.
func Parse(file string, b []byte) (n ast.Node, err error) {
	at := Position{File: file, Line: 1, Column: 1}
	defer func() { // the YAML library panics on some texts that are not YAML
		if p := recover(); p != nil {
			n, err = nil, Problems{{at, fmt.Sprintf("this cannot be read as YAML (%v)", p)}}
		}
	}()
	if len(b) > maxBytes {
		return nil, Problems{{at, fmt.Sprintf("%d bytes are too much (at most %d)", len(b),
			maxBytes)}}
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	if n := bytes.IndexByte(bytes.ToValidUTF8(b, []byte{0}), 0); n >= 0 {
		at.Line += bytes.Count(b[:n], []byte("\n"))
		return nil, Problems{{at, "this line is no text in UTF-8; save the file as UTF-8"}}
	}
	if TooDeep(b, 20*maxDepth) { // generously: brackets in texts count, too
		return nil, Problems{{at, "the file is too deep"}}
	}
	parsed, err := parser.ParseBytes(b, 0)
	if err != nil {
		return nil, located(file, err)
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil {
		return nil, Problems{{at, "want one YAML document that is not empty"}}
	}
	return parsed.Docs[0].Body, nil
}

// TooDeep reports whether more brackets are open at once than bound, or more entries begin in one
// line; keys within brackets count while there is little between them. The YAML library takes a
// memory without bound for such a text, so it has to be refused before it is parsed. Brackets
// within texts count, too.
func TooDeep(b []byte, bound int) bool {
	open, begun, keys := 0, 0, 0
	for i, c := range b {
		begins := i+1 < len(b) && b[i+1] == ' '
		switch {
		case c == '[', c == '{':
			open++
		case c == ']', c == '}':
			open = max(open-1, 0)
		case c == '\n':
			begun, keys = 0, 0
		case begins && (c == '-' || c == '?' || c == ':' && open == 0):
			begun++
		case begins && c == ':':
			keys += 2
		}
		if c != ' ' {
			keys = max(keys-1, 0)
		}
		if open > bound || begun+keys > bound {
			return true
		}
	}
	return false
}

// located is what the YAML library complains of, with the place.
func located(file string, err error) Problems {
	at := Position{File: file, Line: 1, Column: 1}
	var y yaml.Error
	if !errors.As(err, &y) {
		return Problems{{at, err.Error()}}
	}
	if t := y.GetToken(); t != nil {
		if t.Next != nil && y.GetMessage() == "mapping value is not allowed in this context" {
			t = t.Next // the colon: the text before it is in order
		}
		at.Line, at.Column = t.Position.Line, t.Position.Column
	}
	words := y.GetMessage()
	if words == "could not find flow map content" {
		words = "a value that begins with {{ has to be in quotes"
	}
	return Problems{{at, words}}
}

// Read reads a parsed file into the struct that to points to. Its error is Problems.
func Read(file string, n ast.Node, to any) error {
	r := &reader{file: file, anchors: map[string]ast.Node{}}
	ast.Walk(r, n)
	r.read(n, reflect.ValueOf(to).Elem(), `need:"yes"`, "the file", 0)
	return r.problems.Err()
}

type reader struct {
	file     string
	fill     Filler // or nil
	problems Problems
	anchors  map[string]ast.Node
	values   int
}

// Visit implements ast.Visitor. It collects the anchors.
func (r *reader) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok {
		r.anchors[a.Name.String()] = a.Value
	}
	return r
}

// At is where a node begins.
func (r *reader) at(n ast.Node) Position {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 && !m.IsFlowStyle {
		n = m.Values[0].Key
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		n = m.Key
	}
	p := Position{File: r.file, Line: 1, Column: 1}
	if t := n.GetToken(); t != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	return p
}

func (r *reader) wrong(n ast.Node, format string, args ...any) {
	r.problems.Add(r.at(n), format, args...)
}

// plain is what an anchor, an alias or a tag stands for, or nil.
func (r *reader) plain(n ast.Node) ast.Node {
	for range maxDepth {
		switch x := n.(type) {
		case *ast.AnchorNode:
			n = x.Value
		case *ast.TagNode:
			n = x.Value
		case *ast.AliasNode:
			n = r.anchors[x.Value.String()]
		case *ast.LiteralNode:
			return x.Value
		default:
			return n
		}
	}
	return nil
}

// read reads a node. what names it in messages.
func (r *reader) read(n ast.Node, to reflect.Value, tag reflect.StructTag, what string, deep int) {
	whole := n
	if r.values++; r.values > maxValues || deep > maxDepth {
		if r.values <= maxValues+1 || deep == maxDepth+1 {
			r.wrong(whole, "the file is too large or too deep")
		}
		return
	}
	n = r.plain(n)
	if n == nil {
		r.wrong(whole, "%s: there is no such anchor", what)
		return
	}
	if v, ok := to.Addr().Interface().(value); ok {
		quote := strings.Clone
		if _, is := v.(*Regexp); is {
			quote = regexp.QuoteMeta
		}
		if s, ok := r.text(n, what); ok {
			r.note(n, what, v.set(r.filled(n, s, quote), n))
		}
		return
	}
	switch x := to.Addr().Interface().(type) {
	case *Map:
		r.pairs(n, x, what)
	case *Any:
		if ast.Filter(ast.AliasType, n) != nil { // a few of them can stand for millions of values
			r.wrong(n, "%s: want all of it written out, without aliases", what)
			return
		}
		r.note(n, what, yaml.NodeToValue(n, &x.Value))
		plain := func(s string) string { return r.filled(n, s, strings.Clone) }
		x.Value = text.InJSON(x.Value, plain)
	default:
		r.kind(n, to, tag, what, deep)
	}
}

func (r *reader) note(n ast.Node, what string, err error) {
	if err != nil {
		r.wrong(n, "%s: %v", what, err)
	}
}

// kind reads a node by the kind of its value.
func (r *reader) kind(n ast.Node, to reflect.Value, tag reflect.StructTag, what string, deep int) {
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		r.read(n, to.Elem(), tag, what, deep)
	case reflect.Struct:
		r.mapping(n, to, what, deep)
	case reflect.Slice:
		r.list(n, to, tag, what, deep)
	case reflect.Bool:
		b, ok := n.(*ast.BoolNode)
		if !ok {
			r.wrong(n, "%s: want true or false", what)
			return
		}
		to.SetBool(b.Value)
	default:
		if s, ok := r.text(n, what); ok {
			r.note(n, what, scalar(r.filled(n, s, strings.Clone), n, to, tag))
		}
	}
}

// Filler rewrites a text. quote is to be applied to all that it puts in.
type Filler func(text string, quote func(string) string) (string, error)

// filled is a text as fill rewrites it. What that refuses is a problem.
func (r *reader) filled(n ast.Node, s string, quote func(string) string) string {
	if r.fill == nil {
		return s
	}
	out, err := r.fill(s, quote)
	if err != nil {
		r.wrong(n, "%v", err)
	}
	return out
}

// Filled reads structs that were read before once more, with their texts rewritten, and without
// mappings. What cannot be rewritten is a problem.
func Filled[T any, P interface {
	*T
	Placed
}](list []T, fill Filler, problems *Problems) []T {
	out := make([]T, len(list))
	for i := range list {
		p := P(&list[i]).place()
		r := &reader{file: p.at.File, anchors: p.anchors, fill: fill}
		r.read(p.node, reflect.ValueOf(&out[i]).Elem(), "", "", 0)
		*problems = append(*problems, r.problems...)
	}
	return out
}

// text is a scalar as it is written.
func (r *reader) text(n ast.Node, what string) (string, bool) {
	switch x := n.(type) {
	case *ast.StringNode:
		return x.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	case *ast.NullNode:
		r.wrong(n, "%s: there is no value", what)
	case *ast.SequenceNode:
		r.wrong(n, "%s: want one value, and this is a list", what)
	case *ast.MappingNode, *ast.MappingValueNode:
		r.wrong(n, "%s: want one value, and this is a mapping", what)
	default:
		r.wrong(n, "%s: want a text or a number", what)
	}
	return "", false
}

// scalar sets a text or a number.
func scalar(s string, n ast.Node, to reflect.Value, tag reflect.StructTag) error {
	f, is := number(n)
	switch to.Kind() {
	case reflect.String:
		if strings.TrimSpace(s) == "" && tag.Get("empty") == "" {
			return errEmpty
		}
		if all := strings.Fields(tag.Get("enum")); len(all) > 0 && !slices.Contains(all, s) {
			return fmt.Errorf("%q is not one of %s", s, strings.Join(all, ", "))
		}
		rest, begins := strings.CutPrefix(s, tag.Get("prefix"))
		switch {
		case !begins:
			return fmt.Errorf("%q does not begin with %s", s, tag.Get("prefix"))
		case rest != s && strings.TrimSpace(rest) == "":
			return fmt.Errorf("%q has nothing behind %s", s, tag.Get("prefix"))
		}
		to.SetString(s)
		return nil
	case reflect.Int:
		if !is || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return fmt.Errorf("%q is no whole number", s)
		}
		to.SetInt(int64(f))
	default:
		if !is {
			return fmt.Errorf("%q is no number", s)
		}
		to.SetFloat(f)
	}
	return bounded(f, tag)
}

func bounded(n float64, tag reflect.StructTag) error {
	if low, err := strconv.ParseFloat(tag.Get("min"), 64); err == nil && n < low {
		return fmt.Errorf("%v is less than %v", n, low)
	}
	if high, err := strconv.ParseFloat(tag.Get("max"), 64); err == nil && n > high {
		return fmt.Errorf("%v is more than %v", n, high)
	}
	return nil
}

// neverEmpty reports whether a list wants an entry.
func neverEmpty(tag reflect.StructTag) bool {
	return tag.Get("need") != "" || tag.Get("bare") != "" || tag.Get("min") != ""
}

func (r *reader) list(n ast.Node, to reflect.Value, tag reflect.StructTag, what string, deep int) {
	seq, ok := n.(*ast.SequenceNode)
	if bare := tag.Get("bare"); !ok && bare != "" {
		if s, is := n.(*ast.StringNode); is && s.Value == bare {
			return
		}
		r.wrong(n, "%s: want a list, or %s", what, bare)
		return
	}
	if !ok {
		r.wrong(n, "%s: want a list", what)
		return
	}
	if len(seq.Values) == 0 && neverEmpty(tag) {
		r.wrong(n, "%s: the list is empty", what)
	}
	for _, item := range seq.Values {
		one := reflect.New(to.Type().Elem()).Elem()
		r.read(item, one, "", what, deep+1)
		to.Set(reflect.Append(to, one))
	}
}

// entry is a key of a mapping.
type entry struct {
	key   string
	at    ast.Node
	value ast.Node
}

// entries are the keys of a mapping, merged ones last.
func (r *reader) entries(n ast.Node, deep int) (list []entry, ok bool) {
	if deep > maxDepth { // a mapping that is merged into itself
		return nil, false
	}
	var values []*ast.MappingValueNode
	switch m := r.plain(n).(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	default:
		return nil, false
	}
	var merged []entry
	for _, v := range values {
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			if more, ok := r.entries(v.Value, deep+1); ok {
				merged = append(merged, more...)
			} else {
				r.wrong(v.Value, "<<: want a mapping")
			}
			continue
		}
		list = append(list, entry{v.Key.GetToken().Value, v.Key, v.Value})
	}
	for _, e := range merged {
		if !slices.ContainsFunc(list, func(x entry) bool { return x.key == e.key }) {
			list = append(list, e)
		}
	}
	return list, true
}

func (r *reader) pairs(n ast.Node, to *Map, what string) {
	list, ok := r.entries(n, 0)
	if !ok {
		r.wrong(n, "%s: want a mapping of names to values", what)
		return
	}
	for _, e := range list {
		if s, ok := r.text(r.plain(e.value), e.key); ok {
			*to = append(*to, Pair{e.key, s, r.at(e.value)})
		}
	}
}

// Top returns the keys of a mapping, or of the mappings of a list, with a value of each.
func Top(n ast.Node) map[string]ast.Node {
	has := map[string]ast.Node{}
	switch n := n.(type) {
	case *ast.AnchorNode:
		return Top(n.Value)
	case *ast.SequenceNode:
		for _, one := range n.Values {
			maps.Copy(has, Top(one))
		}
	case ast.MapNode:
		for pairs := n.MapRange(); pairs.Next(); {
			has[pairs.Key().GetToken().Value] = pairs.Value()
		}
	}
	return has
}
