// Package shape reads JSON Schemas that others wrote and holds values against them. A schema
// decides by itself how much work a value is, without end if it refers to itself, so that both are
// bounded here.
package shape

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
)

const (
	most     = 64 << 10 // bytes of a schema
	deepest  = 200      // levels of a schema
	mostDeep = 500      // looks within looks
	mostHere = 1000     // looks at one value
	mostAll  = 100_000  // looks at a value and all that lies in it
)

// Shape is a schema that can be used.
type Shape struct {
	Schema   *jsonschema.Schema // not to be changed
	resolved *jsonschema.Resolved
	tree     any
	nodes    []map[string]any // the schemas in it
	anchors  map[string]any
}

// Parse reads a JSON Schema. It refuses one that nothing fits, one that refers to itself without
// going into the value, and one that looks at a single value very often.
func Parse(raw []byte) (*Shape, error) {
	if len(raw) > most {
		return nil, fmt.Errorf("the schema has %d bytes (at most %d)", len(raw), most)
	}
	s := &Shape{Schema: &jsonschema.Schema{}, anchors: map[string]any{}}
	if err := json.Unmarshal(raw, &s.tree); err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	if _, is := s.tree.(map[string]any); !is {
		return nil, fmt.Errorf("the schema is %s: want a JSON Schema as an object, such as "+
			`{"type": "object"}`, text.Quote(string(raw), 40))
	}
	if depth(s.tree) > deepest {
		return nil, fmt.Errorf("the schema has more than %d levels", deepest)
	}
	err := json.Unmarshal(raw, s.Schema)
	if err == nil { // the keywords as they were understood, whatever their case
		raw, err = json.Marshal(s.Schema)
	}
	if err == nil {
		err = json.Unmarshal(raw, &s.tree)
	}
	if err == nil {
		err = s.readAll()
	}
	if err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	if !strings.Contains(s.Schema.Schema, "draft-07") {
		s.Schema.Schema = "" // what differs between the others is rare
	}
	if s.resolved, err = s.Schema.Resolve(nil); err != nil {
		return nil, fmt.Errorf("the schema: %w", err)
	}
	c := &counter{of: s, most: mostHere, known: map[look]cost{}}
	for _, node := range s.nodes {
		if c.looks(nil, node); c.err != nil {
			return nil, c.err
		}
	}
	return s, nil
}

// Validate says why a value, as json.Unmarshal reads it, does not fit.
func (s *Shape) Validate(value any) error {
	c := &counter{of: s, most: mostAll, known: map[look]cost{}}
	if c.looks(value, s.tree); c.err != nil {
		return c.err
	}
	if err := s.resolved.Validate(value); err != nil {
		return errors.New(text.Cut(strings.ReplaceAll(err.Error(), "<invalid reflect.Value>",
			"null"), 300))
	}
	return nil
}

// ApplyDefaults adds what is missing in an object and has a default. The object has to fit.
func (s *Shape) ApplyDefaults(object *map[string]any) error {
	return s.resolved.ApplyDefaults(object)
}

// The keywords whose values are schemas, lists of them or objects of them: those that look at the
// same value, and those that look at what lies in it.
var (
	same = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas",
		"dependencies"}
	inObject = []string{"properties", "patternProperties", "additionalProperties",
		"unevaluatedProperties", "propertyNames"}
	inList = []string{"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"}
	named  = []string{"properties", "patternProperties", "dependentSchemas", "dependencies",
		"$defs", "definitions"}
	types = []string{"object", "array", "string", "number", "integer", "boolean", "null"}
)

// under are the schemas that a keyword of a schema has.
func under(node map[string]any, keyword string) (list []any) {
	switch v := node[keyword].(type) {
	case []any:
		return v
	case map[string]any:
		if !slices.Contains(named, keyword) {
			return []any{v}
		}
		list = slices.AppendSeq(list, maps.Values(v))
	}
	return list
}

// children are the schemas that a schema has.
func children(node map[string]any) (list []any) {
	for _, keywords := range [][]string{same, inObject, inList, {"$defs", "definitions",
		"contentSchema"}} {
		for _, k := range keywords {
			list = append(list, under(node, k)...)
		}
	}
	return list
}

// depth is how many levels a value of JSON has.
func depth(v any) (deep int) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			deep = max(deep, depth(inner))
		}
	case map[string]any:
		for _, inner := range v {
			deep = max(deep, depth(inner))
		}
	}
	return deep + 1
}

func (s *Shape) readAll() error {
	if err := s.read(s.tree, true); err != nil {
		return err
	}
	for _, node := range s.nodes {
		for _, ref := range refs(node) {
			if s.target(ref) == nil {
				return fmt.Errorf("it refers to %s, which is no part of it (want #/$defs/NAME)",
					text.Quote(ref, 60))
			}
		}
	}
	return nil
}

// read notes the schemas in a schema, and refuses what cannot be used.
func (s *Shape) read(node any, root bool) error {
	of, is := node.(map[string]any)
	if !is {
		return nil
	}
	if _, is := of["$id"].(string); is && !root {
		return errors.New("a part of it has an $id (refer to parts as #/$defs/NAME)")
	}
	for _, t := range append(under(of, "type"), of["type"]) {
		if t, is := t.(string); is && !slices.Contains(types, t) {
			return fmt.Errorf("it has a type %s, which nothing fits (want one of %s)",
				text.Quote(t, 40), strings.Join(types, ", "))
		}
	}
	s.nodes = append(s.nodes, of)
	for _, k := range []string{"$anchor", "$dynamicAnchor"} {
		if name, is := of[k].(string); is {
			s.anchors[name] = of
		}
	}
	for _, child := range children(of) {
		if err := s.read(child, false); err != nil {
			return err
		}
	}
	return nil
}

// counter counts how often a schema looks at a value and at all that lies in it, at most.
type counter struct {
	of    *Shape
	most  int
	known map[look]cost
	err   error
}

// look is one look of a schema at a value. Values in which nothing lies are all the same.
type look struct{ value, schema uintptr }

type cost struct{ looks, deep int }

var (
	errEndless = hint.Add(errors.New("the schema refers to itself without going into the value"),
		"put the $ref under properties or items, or take it out")
	errMuch = hint.Add(errors.New("the schema looks at the value too often, or too deep in it"),
		"use fewer alternatives (anyOf, oneOf, allOf), and fewer levels")
)

// looks counts those of a schema. While it does, no look at the same value may lead to it again.
func (c *counter) looks(value, schema any) cost {
	node, is := schema.(map[string]any)
	if !is || c.err != nil {
		return cost{1, 1}
	}
	key := look{schema: pointer(node)}
	switch v := value.(type) {
	case map[string]any:
		key.value = pointer(v)
	case []any:
		if len(v) > 0 {
			key.value = pointer(v)
		}
	}
	sum, begun := c.known[key]
	if begun {
		if sum.looks == 0 {
			c.err = errEndless
		}
		return sum
	}
	c.known[key] = cost{}
	sum = cost{1, 1}
	add := func(value, schema any) {
		one := c.looks(value, schema)
		sum = cost{sum.looks + one.looks, max(sum.deep, one.deep+1)}
		if c.err == nil && (sum.looks > c.most || sum.deep > mostDeep) {
			c.err = errMuch
		}
	}
	for _, s := range c.here(node) {
		add(value, s)
	}
	within(value, node, add)
	c.known[key] = sum
	return sum
}

// here are the schemas that look at the same value as this one.
func (c *counter) here(node map[string]any) (list []any) {
	for _, k := range same {
		list = append(list, under(node, k)...)
	}
	for _, ref := range refs(node) {
		list = append(list, c.of.target(ref))
	}
	return list
}

// refs are the references of a schema.
func refs(node map[string]any) (list []string) {
	for _, k := range []string{"$ref", "$dynamicRef"} {
		if ref, is := node[k].(string); is {
			list = append(list, ref)
		}
	}
	return list
}

// within calls add with what lies in a value and each schema that may look at it.
func within(value any, node map[string]any, add func(value, schema any)) {
	switch v := value.(type) {
	case map[string]any:
		named, _ := node["properties"].(map[string]any)
		for key, inner := range v {
			if s, is := named[key]; is {
				add(inner, s)
			}
			for _, k := range inObject {
				for _, s := range under(node, k) {
					add(inner, s)
				}
			}
			for _, s := range under(node, "propertyNames") {
				add(key, s)
			}
		}
	case []any:
		for i, inner := range v {
			for _, k := range inList {
				list := under(node, k)
				if _, each := node[k].([]any); each { // an item has its own
					list = list[min(i, len(list)):min(i+1, len(list))]
				}
				for _, s := range list {
					add(inner, s)
				}
			}
		}
	}
}

func pointer(v any) uintptr { return reflect.ValueOf(v).Pointer() }

// target is the schema that a reference refers to, nil if this document lacks it.
func (s *Shape) target(ref string) (node any) {
	to, err := url.Parse(ref)
	root, _ := s.tree.(map[string]any)
	if err != nil {
		return nil
	}
	fragment := to.Fragment
	to.Fragment = ""
	if id, _ := root["$id"].(string); to.String() != "" && to.String() != id {
		return nil
	}
	if fragment != "" && !strings.HasPrefix(fragment, "/") {
		return s.anchors[fragment]
	}
	node = root
	for _, part := range strings.Split(fragment, "/")[1:] {
		switch v := node.(type) {
		case map[string]any:
			node = v[unescape.Replace(part)]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n >= len(v) {
				return nil
			}
			node = v[n]
		}
	}
	return node
}

// unescape reads a part of a JSON Pointer.
var unescape = strings.NewReplacer("~0", "~", "~1", "/")
