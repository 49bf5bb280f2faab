package keys

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Schema is the JSON Schema of the files that are read into a T. Words describe a key a line, as
// "Type.key: description". Schema panics if a key has no description.
func Schema[T any](title, words string) json.RawMessage {
	s := &schemas{words: map[string]string{}, defs: map[string]any{}}
	for line := range strings.Lines(words) {
		key, says, _ := strings.Cut(strings.TrimSpace(line), ": ")
		s.words[key] = says
	}
	t := reflect.TypeFor[T]()
	s.object(t)
	b, err := json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title,
		"$ref": "#/$defs/" + t.Name(), "$defs": s.defs}, "", "  ")
	if err != nil {
		panic(err)
	}
	return append(b, '\n')
}

type schemas struct {
	words map[string]string
	defs  map[string]any
}

// of is the schema of a type.
func (s *schemas) of(t reflect.Type, tag reflect.StructTag) map[string]any {
	if v, ok := reflect.New(t).Interface().(value); ok {
		return v.form()
	}
	switch t {
	case reflect.TypeFor[Map]():
		return map[string]any{"type": "object",
			"additionalProperties": map[string]any{"type": anyText}}
	case reflect.TypeFor[Any]():
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem(), tag)
	case reflect.Struct:
		s.object(t)
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	case reflect.Slice:
		list := map[string]any{"type": "array", "items": s.of(t.Elem(), "")}
		if neverEmpty(tag) {
			list["minItems"] = 1
		}
		if bare := tag.Get("bare"); bare != "" {
			return map[string]any{"anyOf": []any{map[string]any{"const": bare}, list}}
		}
		return list
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return textSchema(tag)
	case reflect.Int:
		return numberSchema("integer", tag)
	case reflect.Float64:
		return numberSchema("number", tag)
	}
	panic(fmt.Sprintf("no schema for %s", t))
}

func textSchema(tag reflect.StructTag) map[string]any {
	if all := strings.Fields(tag.Get("enum")); len(all) > 0 {
		return map[string]any{"enum": all}
	}
	if begin := tag.Get("prefix"); begin != "" {
		return map[string]any{"type": "string", "pattern": "^" + begin + `.*\S`}
	}
	out := map[string]any{"type": anyText}
	if tag.Get("empty") == "" {
		out["pattern"] = `\S`
	}
	return out
}

func numberSchema(kind string, tag reflect.StructTag) map[string]any {
	out := map[string]any{"type": kind}
	for name, key := range map[string]string{"min": "minimum", "max": "maximum"} {
		if n, err := strconv.ParseFloat(tag.Get(name), 64); err == nil {
			out[key] = n
		}
	}
	return out
}

// object adds the definition of a struct.
func (s *schemas) object(t reflect.Type) {
	if s.defs[t.Name()] != nil {
		return
	}
	properties := map[string]any{}
	out := map[string]any{"type": "object", "properties": properties,
		"additionalProperties": false}
	s.defs[t.Name()] = out
	var alone []any
	add := func(rule string, one any) {
		list, _ := out[rule].([]any)
		out[rule] = append(list, one)
	}
	for _, f := range fields(t) {
		key := keyOf(f)
		one := s.of(f.Type, f.Tag)
		words, ok := s.words[t.Name()+"."+key]
		if !ok {
			panic("no description of " + t.Name() + "." + key)
		}
		one["description"] = words
		properties[key] = one
		has := map[string]any{"required": []any{key}}
		for tag, rule := range map[string]string{"some": "anyOf", "one": "oneOf"} {
			if f.Tag.Get(tag) != "" {
				add(rule, has)
			}
		}
		only, need := f.Tag.Get("only"), f.Tag.Get("need") != ""
		if only != "" {
			add("allOf", map[string]any{"if": has, "then": goesWith(only)})
		}
		if never := f.Tag.Get("never"); never != "" {
			add("allOf", map[string]any{"if": has, "then": map[string]any{"not": goesWith(never)}})
		}
		if need && only != "" {
			add("allOf", map[string]any{"if": goesWith(only), "then": has})
		} else if need {
			add("required", key)
		}
		if f.Tag.Get("alone") != "" {
			alone = append(alone, map[string]any{"const": key})
		}
	}
	if alone != nil {
		s.defs[t.Name()] = map[string]any{"anyOf": append(alone, out)}
	}
}

// goesWith fits what has a key, or a value of it.
func goesWith(tag string) map[string]any {
	key, value, one := strings.Cut(tag, " ")
	rule := map[string]any{"required": []any{key}}
	if one {
		var is any = value
		_ = json.Unmarshal([]byte(value), &is) // a number, true or false
		rule["properties"] = map[string]any{key: map[string]any{"const": is}}
	}
	return rule
}
