package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

// Read checks arguments by the schema of to's type, fills in the defaults and decodes them into to.
// given are the names that were passed. null counts as left out, because some clients send it for
// everything that they do not use. An error says which argument is wrong, with a hint, and never
// shows a value that could be an answer.
func Read(s *Schema, raw any, to any) (given map[string]bool, err error) {
	values, err := Object(raw)
	if err != nil {
		return nil, err
	}
	if err := check(s, values); err != nil {
		return nil, err
	}
	given = map[string]bool{}
	for name := range values {
		given[name] = true
	}
	fill(s, values)
	b, err := json.Marshal(values)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	return given, err
}

// ArgumentError says that an argument is missing, or that its value is not one that it takes.
type ArgumentError struct {
	Name string // of the argument
	err  error
}

func (e *ArgumentError) Error() string { return e.err.Error() }

// Unwrap returns the error, with its hint.
func (e *ArgumentError) Unwrap() error { return e.err }

func wrong(advice, format string, a ...any) error {
	return hint.Add(fmt.Errorf(format, a...), advice)
}

// Object reads the arguments as a JSON object, with numbers as they were written. Some clients
// write the object as a text.
func Object(raw any) (map[string]any, error) {
	b, ok := raw.(json.RawMessage)
	if !ok {
		var err error
		if b, err = json.Marshal(raw); err != nil {
			return nil, wrong("pass a JSON object", "the arguments cannot be read: %w", err)
		}
	}
	var quoted string
	if json.Unmarshal(b, &quoted) == nil {
		b = []byte(quoted)
	}
	values := map[string]any{}
	if len(bytes.TrimSpace(b)) == 0 {
		return values, nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&values); err != nil {
		return nil, wrong("pass a JSON object, for example {}",
			"the arguments are not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, wrong("pass one JSON object", "there is something after the arguments")
	}
	if values == nil { // null
		values = map[string]any{}
	}
	return values, nil
}

// check holds the values of an object against the schema, and takes nulls out.
func check(s *Schema, values map[string]any) error {
	if err := Known(s, values); err != nil {
		return err
	}
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		required := slices.Contains(s.Required, name)
		v := values[name]
		if v == "null" || v == "undefined" || !required && unset(p, name, v) {
			v = nil
		}
		switch {
		case v != nil:
			read, err := argument{p, name, required}.read(v)
			if err != nil {
				return &ArgumentError{name, err}
			}
			values[name] = read
		case required:
			sentence, _, _ := strings.Cut(p.Description, ". ")
			advice := fmt.Sprintf("pass %s: %s", name, strings.TrimSuffix(sentence, "."))
			return &ArgumentError{name, wrong(advice, "%s is missing", name)}
		default:
			delete(values, name)
		}
	}
	return nil
}

// unset reports whether clients that fill in every argument write v for one that they leave out.
func unset(p *Schema, name string, v any) bool {
	said, isText := v.(string)
	n, isNumber := v.(json.Number)
	list, isList := v.([]any)
	switch {
	case isText && (p.Type != "string" || strings.HasSuffix(name, "_id")):
		said = strings.Trim(said, quotes)
		none := slices.Contains([]string{"", "null", "None", "undefined", "[]"}, said)
		return none || said == "0" && p.Minimum != nil && *p.Minimum > 0
	case isNumber:
		return n == "0" && p.Minimum != nil && *p.Minimum > 0
	}
	return isText && said == "" || isList && len(list) == 0 && p.Type == "array"
}

// quotes are what stands around ids that were copied.
const quotes = " \t\r\n\"'`"

// Known refuses names that the schema does not have, and takes dummies out.
func Known(s *Schema, values map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch {
		case s.Properties[name] != nil:
		case len(s.Required) == 0 && slices.Contains(dummies, name):
			delete(values, name)
		default:
			remedy := "leave it out"
			if near := Nearest(name, s.PropertyOrder); near != "" {
				remedy = "pass it as " + near
			}
			return wrong(remedy+"; the arguments are: "+Names(s), "there is no argument %s",
				text.Quote(name, 60))
		}
	}
	return nil
}

// dummies are the arguments that clients make up for tools that want none.
var dummies = []string{"random_string", "dummy", "_dummy", "placeholder", "_placeholder", "noargs"}

// Names are the keys of an object, for people.
func Names(s *Schema) string { return NamesOf(s.PropertyOrder) }

// NamesOf are names, for people.
func NamesOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

func fill(s *Schema, values map[string]any) {
	for name, p := range s.Properties {
		if _, given := values[name]; !given && p.Default != nil {
			values[name] = p.Default
		}
	}
}

// argument is a value that is checked.
type argument struct {
	*Schema
	name     string
	required bool
}

func (a argument) read(v any) (any, error) {
	_, isList := v.([]any)
	if object, is := v.(map[string]any); is && a.Type == "array" && a.Items.Type == "object" {
		v = []any{object}
	} else if a.Type == "boolean" && !isList && truths[strings.ToLower(fmt.Sprint(v))] != nil {
		v = *truths[strings.ToLower(fmt.Sprint(v))]
	}
	switch got := v.(type) {
	case string:
		if a.Type == "string" {
			return a.readText(got)
		}
		if plain := unquoted(got); plain != nil {
			return a.read(plain)
		}
		if a.Type == "array" && a.Items.Type == "string" {
			return a.read(apart(got))
		}
	case json.Number:
		if a.Type == "integer" || a.Type == "number" {
			return a.readNumber(got)
		}
	case []any:
		if a.Type == "array" {
			return got, a.checkList(got)
		}
	case bool:
		if a.Type == "boolean" {
			return got, nil
		}
	case map[string]any:
		if a.Type == "object" {
			return got, nil
		}
	}
	if a.Type == "" { // anything
		return v, nil
	}
	want := kinds[a.Type] // the value itself is not shown: it may be an answer that is secret
	return nil, wrong(fmt.Sprintf("pass %s as %s%s", a.name, want, a.orNot()), "%s is %s (want %s)",
		a.name, kindOf(v), want)
}

// truths are words for true and false.
var truths = map[string]*bool{"yes": new(true), "no": new(false), "1": new(true), "0": new(false),
	"true": new(true), "false": new(false), "on": new(true), "off": new(false)}

// apart is the list that a text stands for: its lines, or what its commas part.
func apart(s string) (list []any) {
	sep := func(r rune) bool { return r == ',' || r == '，' || r == '、' }
	if strings.Contains(s, "\n") {
		sep = func(r rune) bool { return r == '\n' }
	}
	for _, part := range strings.FieldsFunc(s, sep) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// unquoted is the number, the true or false, the list or the object that some clients send as a
// text, or nil if s is another text.
func unquoted(s string) any {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if d.Decode(&v) == nil && !d.More() {
		switch v.(type) {
		case json.Number, bool, []any, map[string]any:
			return v
		}
	}
	return nil
}

var kinds = map[string]string{"string": "a text", "integer": "a whole number", "number": "a number",
	"boolean": "true or false", "object": "an object", "array": "a list"}

func kindOf(v any) string {
	switch v.(type) {
	case string:
		return kinds["string"]
	case bool:
		return kinds["boolean"]
	case json.Number:
		return kinds["number"]
	case []any:
		return kinds["array"]
	}
	return kinds["object"]
}

// orNot says that the argument may be left out, when it may.
func (a argument) orNot() string {
	if a.required {
		return ""
	}
	return ", or leave " + a.name + " out"
}

// readText reads a text: an id without quotes around it, and a value of several in any case.
func (a argument) readText(s string) (any, error) {
	if strings.HasSuffix(a.name, "_id") {
		s = strings.Trim(s, quotes)
	}
	if a.Enum == nil {
		return s, a.checkText(s)
	}
	var values []string
	for _, v := range a.Enum {
		if values = append(values, fmt.Sprint(v)); strings.EqualFold(s, fmt.Sprint(v)) {
			return fmt.Sprint(v), nil
		}
	}
	return nil, wrong("use one of: "+strings.Join(values, ", "),
		"%s is %s, which is not one of its values", a.name, text.Quote(s, 60))
}

func (a argument) checkText(s string) error {
	if strings.TrimSpace(s) == "" {
		return wrong("pass a text"+a.orNot(), "%s is empty", a.name)
	}
	if n := utf8.RuneCountInString(s); n > *a.MaxLength {
		return wrong("pass a shorter text",
			"%s has %d characters (at most %d)", a.name, n, *a.MaxLength)
	}
	if r, found := text.Control(s, "\n\t\r"); found { // "\r" of clients that end lines so
		return wrong("leave control characters out",
			"%s has the control character %U", a.name, r)
	}
	return nil
}

func (a argument) readNumber(n json.Number) (any, error) {
	f, err := n.Float64()
	if err != nil || f < *a.Minimum || f > *a.Maximum {
		least, most := decimal(*a.Minimum), decimal(*a.Maximum)
		return nil, wrong(fmt.Sprintf("pass a number from %s to %s%s", least, most, a.orNot()),
			"%s is %s (want %s to %s)", a.name, text.Quote(n.String(), 60), least, most)
	}
	if a.Type == "number" {
		return f, nil
	}
	if f != math.Trunc(f) {
		return nil, wrong("pass a whole number", "%s is %s (want a whole number)", a.name,
			text.Quote(n.String(), 60))
	}
	return int(f), nil
}

// decimal is a number for people.
func decimal(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (a argument) checkList(l []any) error {
	switch {
	case len(l) == 0:
		return wrong("pass at least one"+a.orNot(), "%s is empty", a.name)
	case len(l) > *a.MaxItems:
		return wrong("pass fewer", "%s has %d items (at most %d)", a.name, len(l), *a.MaxItems)
	}
	for i, v := range l {
		name := fmt.Sprintf("%s[%d]", a.name, i)
		if n, is := v.(json.Number); is && a.Items.Type == "string" {
			v = n.String()
		}
		read, err := argument{a.Items, name, true}.read(v)
		if err != nil {
			return err
		}
		l[i] = read
		if fields, is := read.(map[string]any); is {
			if err := check(a.Items, fields); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			fill(a.Items, fields)
		}
	}
	return nil
}
