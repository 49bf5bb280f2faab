// Package schema is JSON Schemas of Go types for MCP tools, and arguments read by them into those
// types.
//
// The type says names, kinds and what may be left out, as encoding/json reads it. Tags add bounds:
//
//	max:"200"          characters of a text, items of a list, or the greatest number
//	min:"1"            the least number
//	each:"500"         characters of each text in a list
//	default:"20"       in JSON, or a plain text (the argument may be left out then)
//	listed:"a b"       the argument is taken, and listed to models that want the group a or b
//
// Descriptions come from [Words].
package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/taploop/taploop/internal/text"
)

// Schema is a JSON Schema.
type Schema = jsonschema.Schema

// Types are schemas of types that are described once, wherever they stand.
type Types map[reflect.Type]*Schema

// NewTypes are moments and raw JSON objects, which reflection does not show.
func NewTypes() Types {
	return Types{
		reflect.TypeFor[time.Time](): {Type: "string", Format: "date-time"},
		reflect.TypeFor[json.RawMessage](): {Types: []string{"null", "object"},
			AdditionalProperties: new(Schema)},
		reflect.TypeFor[map[string]any](): {Type: "object", AdditionalProperties: new(Schema)},
	}
}

// Add describes T from here on.
func Add[T any](types Types, words Words) { types[reflect.TypeFor[T]()] = For[T](types, words) }

// Describe describes t from here on, and the structs in it that have a section of their name, whose
// lines are for [ParseWords]. No struct contains itself. Describe panics as For does.
func (types Types) Describe(t reflect.Type, sections map[string]string) {
	types.describe(t, sections)
	if types[t] == nil {
		types[t] = forType(t, types, nil)
	}
}

func (types Types) describe(t reflect.Type, sections map[string]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		types.describe(t.Elem(), sections)
	case reflect.Struct:
		if types[t] != nil {
			return
		}
		for f := range t.Fields() {
			types.describe(f.Type, sections)
		}
		if words, found := sections[t.Name()]; found {
			types[t] = forType(t, types, ParseWords(words, nil))
		}
	}
}

// AddEnum says which values T has.
func AddEnum[T ~string](types Types, values ...T) {
	types[reflect.TypeFor[T]()] = &Schema{Type: "string", Enum: anys(values)}
}

// For is the schema of T. It panics when T is none that JSON has, or when words and keys do not
// match: both are mistakes of the program, and found when it starts.
func For[T any](types Types, words Words) *Schema {
	return forType(reflect.TypeFor[T](), types, words)
}

func forType(t reflect.Type, types Types, words Words) *Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		panic(err)
	}
	tidy(s)
	bound(t, s)
	for name, p := range s.Properties {
		w, found := words[name]
		if !found {
			panic(fmt.Sprintf("schema: %s.%s has no description", t.Name(), name))
		}
		p.Description = w
	}
	return s
}

// tidy takes null out where it never stands: a value that may be left out is left out, and a list
// is empty. An array of Go has a length, and may be null as a whole.
func tidy(s *Schema) {
	for name, p := range s.Properties {
		slice := p.Items != nil && p.MinItems == nil
		if slice || !slices.Contains(s.Required, name) {
			p.Types = slices.DeleteFunc(slices.Clone(p.Types),
				func(t string) bool { return t == "null" })
			if len(p.Types) == 1 {
				p.Type, p.Types = p.Types[0], nil
			}
		}
		tidy(p)
		if p.Items != nil {
			tidy(p.Items)
		}
	}
}

// bound adds what the tags of t say.
func bound(t reflect.Type, s *Schema) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		p := s.Properties[name]
		if f.Anonymous || p == nil {
			continue
		}
		limit(f.Tag, p)
		if def, ok := f.Tag.Lookup("default"); ok {
			p.Default = inJSON(def)
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
	}
}

func limit(tag reflect.StructTag, p *Schema) {
	most, bounded := tag.Lookup("max")
	switch {
	case !bounded:
	case p.Type == "string":
		p.MinLength, p.MaxLength = new(1), new(int(number(most)))
	case p.Type == "array":
		p.MinItems, p.MaxItems = new(1), new(int(number(most)))
		if each := tag.Get("each"); each != "" {
			p.Items.MinLength = new(1)
			p.Items.MaxLength = new(int(number(each)))
		}
	default:
		p.Maximum, p.Minimum = new(number(most)), new(0.0)
		if least := tag.Get("min"); least != "" {
			p.Minimum = new(number(least))
		}
	}
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return f
}

func inJSON(def string) json.RawMessage {
	if json.Valid([]byte(def)) {
		return json.RawMessage(def)
	}
	return json.RawMessage(strconv.Quote(def))
}

func anys[T any](values []T) []any {
	return text.Each(values, func(v T) any { return v })
}

// Listed is the schema of T as a model reads it, who pays for each word: without the arguments of
// groups that wants does not report, and without bounds, which the error about a value names.
func Listed[T any](s *Schema, wants func(group string) bool) *Schema {
	out := s.CloneSchemas()
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		groups := strings.Fields(f.Tag.Get("listed"))
		if len(groups) > 0 && !slices.ContainsFunc(groups, wants) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			delete(out.Properties, name)
		}
	}
	out.PropertyOrder = slices.DeleteFunc(slices.Clone(out.PropertyOrder),
		func(name string) bool { return out.Properties[name] == nil })
	brief(out)
	return out
}

// brief leaves the names, kinds, values and descriptions of s.
func brief(s *Schema) {
	s.AdditionalProperties = nil
	s.MinLength, s.MaxLength = nil, nil
	s.Minimum, s.Maximum = nil, nil
	s.MinItems, s.MaxItems = nil, nil
	if len(s.Required) == 0 {
		s.Required = nil
	}
	if string(s.Default) == "false" {
		s.Default = nil
	}
	for _, p := range s.Properties {
		brief(p)
	}
	if s.Items != nil { // the description says what an object holds
		s.Items = &Schema{Type: s.Items.Type}
	}
}

// JSON is the schema as clients get it.
func JSON(s *Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

// Words are the descriptions of a type's keys.
type Words map[string]string

// ParseWords reads lines "key: description". A key with + at its end adds to what shared says of
// it, and one that is only in shared is as there.
func ParseWords(lines string, shared Words) Words {
	w := maps.Clone(shared)
	if w == nil {
		w = Words{}
	}
	for line := range strings.Lines(lines) {
		key, text, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found {
			continue
		}
		if base, adds := strings.CutSuffix(key, "+"); adds {
			key, text = base, strings.TrimSpace(shared[base]+" "+text)
		}
		w[key] = text
	}
	return w
}

// Sections parts a text at its lines that begin with "# ": what follows each, by what stands there.
func Sections(text string) map[string]string {
	parts := map[string]string{}
	for _, part := range strings.Split("\n"+text, "\n# ")[1:] {
		title, rest, _ := strings.Cut(part, "\n")
		parts[strings.TrimSpace(title)] = strings.TrimSpace(rest)
	}
	return parts
}
