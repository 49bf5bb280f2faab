package keys

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml/ast"

	"github.com/taploop/taploop/internal/text"
)

// fields are those of a struct that have a key.
func fields(t reflect.Type) (list []reflect.StructField) {
	for i := range t.NumField() {
		f := t.Field(i)
		if key := f.Tag.Get("yaml"); key != "" && key != "-" {
			list = append(list, f)
		}
	}
	return list
}

func keyOf(f reflect.StructField) string { return f.Tag.Get("yaml") }

// known is the field with a key.
func known(list []reflect.StructField, key string) (reflect.StructField, bool) {
	i := slices.IndexFunc(list, func(f reflect.StructField) bool { return keyOf(f) == key })
	if i < 0 {
		return reflect.StructField{}, false
	}
	return list[i], true
}

// mapping reads a mapping into a struct.
func (r *reader) mapping(n ast.Node, to reflect.Value, what string, deep int) {
	all := fields(to.Type())
	place := &Place{}
	if p, ok := to.Addr().Interface().(Placed); ok {
		place = p.place()
	}
	*place = Place{at: r.at(n), keys: map[string]Position{}, node: n, anchors: r.anchors}
	list, ok := r.entries(n, 0)
	if s, is := n.(*ast.StringNode); is && !ok {
		if f, is := known(all, s.Value); is && f.Tag.Get("alone") != "" {
			place.keys[s.Value] = r.at(n)
			r.note(n, s.Value, to.FieldByIndex(f.Index).Addr().Interface().(value).set("", nil))
			return
		}
	}
	if !ok {
		r.wrong(n, "%s: want a mapping with %s", what, names(all))
		return
	}
	for _, e := range list {
		f, ok := known(all, e.key)
		if !ok {
			r.wrong(e.at, "%s", unknown(all, e.key))
			continue
		}
		place.keys[e.key] = r.at(e.value)
		if r.fill != nil && (f.Type == reflect.TypeFor[Map]() ||
			f.Type == reflect.TypeFor[[]Map]()) {
			continue
		}
		r.read(e.value, to.FieldByIndex(f.Index), f.Tag, e.key, deep+1)
	}
	r.whole(n, all, place, what)
	for _, f := range all {
		r.beside(n, f, to, place, what)
	}
}

// whole checks which keys are there.
func (r *reader) whole(n ast.Node, all []reflect.StructField, place *Place, what string) {
	var ones, given, some []string
	found := false
	for _, f := range all {
		key := keyOf(f)
		if f.Tag.Get("some") != "" {
			some, found = append(some, key), found || place.Has(key)
		}
		if f.Tag.Get("one") != "" {
			if ones = append(ones, key); place.Has(key) {
				given = append(given, key)
			}
		}
	}
	switch {
	case some != nil && !found:
		r.wrong(n, "%s: want one of the keys %s", what, strings.Join(some, ", "))
	case len(ones) == 0 || len(given) == 1:
	case len(given) == 0:
		r.wrong(n, "%s: want one of the keys %s", what, strings.Join(ones, ", "))
	default:
		at := slices.MaxFunc(given, func(a, b string) int {
			x, y := place.Of(a), place.Of(b)
			return cmp.Or(x.Line-y.Line, x.Column-y.Column)
		})
		r.problems.Add(place.Of(at), "%s: there are %s, and only one of them can be there", what,
			strings.Join(given, " and "))
	}
}

// beside checks whether a key is there where it has to be, and goes with the others.
func (r *reader) beside(n ast.Node, f reflect.StructField, in reflect.Value, place *Place,
	what string) {
	key, only, never := keyOf(f), f.Tag.Get("only"), f.Tag.Get("never")
	has := func(tag string) bool {
		other, value, one := strings.Cut(tag, " ")
		field, _ := known(fields(in.Type()), other)
		return place.Has(other) && (!one ||
			fmt.Sprint(reflect.Indirect(in.FieldByIndex(field.Index))) == value)
	}
	words := func(tag string) string { return strings.Replace(tag, " ", ": ", 1) }
	switch goes := only == "" || has(only); {
	case place.Has(key) && !goes:
		r.problems.Add(place.Of(key), "%s: it goes only with %s", key, words(only))
	case place.Has(key) && never != "" && has(never):
		r.problems.Add(place.Of(key), "%s: it does not go with %s", key, words(never))
	case place.Has(key) || f.Tag.Get("need") != "yes" || !goes:
	case only != "":
		r.wrong(n, "%s: the key %s is missing beside %s", what, key, words(only))
	default:
		r.wrong(n, "%s: the key %s is missing", what, key)
	}
}

func names(all []reflect.StructField) string {
	return strings.Join(text.Each(all, keyOf), ", ")
}

// unknown says which key an unknown one may have been meant to be, or which keys there are.
func unknown(all []reflect.StructField, key string) string {
	best, least := "", len(key)/2+1
	for _, f := range all {
		if d := levenshtein.ComputeDistance(strings.ToLower(key), keyOf(f)); d < least {
			best, least = keyOf(f), d
		}
	}
	if best != "" {
		return fmt.Sprintf("unknown key %q (did you mean %s?)", key, best)
	}
	return fmt.Sprintf("unknown key %q (there are %s)", key, names(all))
}
