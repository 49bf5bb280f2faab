package suite

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/suite/keys"
)

var placeholder = regexp.MustCompile(`\{\{\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*\}\}`)

// values are what placeholders stand for.
type values struct {
	known   map[string]string
	secrets map[string]string
}

// with is v with the values of a row.
func (v values) with(row keys.Map) values {
	known := maps.Clone(v.known)
	for _, p := range row {
		known[p.Key] = p.Value
	}
	return values{known, v.secrets}
}

// fill replaces the placeholders of a text. quote is applied to every value.
func (v values) fill(s string, quote func(string) string) (string, error) {
	var unknown error
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		name := placeholder.FindStringSubmatch(m)[1]
		if value, ok := v.known[name]; ok {
			return quote(value)
		}
		if value, ok := v.secrets[name]; ok {
			return quote(value)
		}
		all := slices.Sorted(maps.Keys(v.known))
		all = append(all, slices.Sorted(maps.Keys(v.secrets))...)
		unknown = fmt.Errorf("{{%s}} is neither a variable, a column of with nor a secret "+
			"(there are: %s)", name, strings.Join(all, ", "))
		return m
	})
	return out, unknown
}

func plain(s string) string { return s }

// filled returns a copy of x with its placeholders replaced. What cannot be replaced is a problem
// at its key.
func filled[T any](v values, x T, problems *keys.Problems) T {
	out := reflect.New(reflect.TypeFor[T]()).Elem()
	f := filler{v, problems}
	f.copy(reflect.ValueOf(x), out, keys.Position{})
	return out.Interface().(T)
}

type filler struct {
	values   values
	problems *keys.Problems
}

// copy copies from a value to one of the same type. at is where it stands.
func (f filler) copy(from, to reflect.Value, at keys.Position) {
	if r, ok := from.Interface().(keys.Regexp); ok {
		got, err := r.Expand(func(s string) (string, error) {
			return f.values.fill(s, regexp.QuoteMeta)
		})
		f.note(at, err)
		to.Set(reflect.ValueOf(got))
		return
	}
	switch from.Kind() {
	case reflect.String:
		s, err := f.values.fill(from.String(), plain)
		f.note(at, err)
		to.SetString(s)
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			f.copy(from.Elem(), to.Elem(), at)
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			f.copy(from.Index(i), to.Index(i), at)
		}
	case reflect.Struct:
		f.object(from, to, at)
	default:
		to.Set(from)
	}
}

func (f filler) note(at keys.Position, err error) {
	if err != nil {
		f.problems.Add(at, "%v", err)
	}
}

// object copies a struct, field by field.
func (f filler) object(from, to reflect.Value, at keys.Position) {
	to.Set(from)
	if _, rows := from.Interface().(keys.Pair); rows || !from.Type().Field(0).Anonymous {
		return
	}
	place := from.Field(0).Interface().(keys.Place)
	for i := 1; i < from.NumField(); i++ {
		if key := from.Type().Field(i).Tag.Get("yaml"); key != "-" && key != "" {
			f.copy(from.Field(i), to.Field(i), place.Of(key))
		}
	}
}
