package config

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Key describes one setting.
type Key struct {
	Path    string // for example model.base_url
	Env     string // for example TAPLOOP_MODEL_BASE_URL, or "" when only the file can hold it
	Default string
	index   []int // of the field in Config
	Open    bool  // a map: any key below Path is allowed
	check   check

	fields []string // of the map's values, when these are structs
}

// Keys lists every setting in the order of Config.
func Keys() []Key { return walk(reflect.TypeFor[Config](), "", nil) }

func walk(t reflect.Type, prefix string, index []int) []Key {
	var keys []Key
	for i := range t.NumField() {
		f := t.Field(i)
		path := prefix + f.Tag.Get("koanf")
		at := append(index[:len(index):len(index)], i)
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, walk(f.Type, path+".", at)...)
			continue
		}
		k := Key{
			Path: path, Env: "TAPLOOP_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_")),
			index: at, Open: f.Type.Kind() == reflect.Map,
		}
		for _, s := range settings {
			if s.path == path {
				k.Default, k.check = s.byDefault, s.check
			}
		}
		if k.Open && f.Type.Elem().Kind() != reflect.String ||
			f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct {
			k.Env = "" // only the file can hold more than texts
		}
		if k.Open && f.Type.Elem().Kind() == reflect.Struct {
			for _, below := range walk(f.Type.Elem(), "", nil) {
				k.fields = append(k.fields, below.Path)
			}
		}
		keys = append(keys, k)
	}
	return keys
}

// find returns the setting that path belongs to.
func find(keys []Key, path string) (Key, bool) {
	for _, k := range keys {
		below, ok := strings.CutPrefix(path, k.Path+".")
		if k.Path == path || k.Open && ok && k.has(below) {
			return k, true
		}
	}
	return Key{}, false
}

// has reports whether the map may hold the path below it. Where its values are structs, that is a
// name and a field.
func (k Key) has(below string) bool {
	if k.fields == nil {
		return true
	}
	_, field, _ := strings.Cut(below, ".")
	return slices.Contains(k.fields, field)
}

// toggle reports whether the setting is true or false.
func (k Key) toggle() bool {
	return reflect.TypeFor[Config]().FieldByIndex(k.index).Type.Kind() == reflect.Bool
}

// wants says how a number, a duration or a switch is written. It is "" for others, which may be
// secrets.
func (k Key) wants() string {
	kind := reflect.TypeFor[Config]().FieldByIndex(k.index).Type
	var never any
	switch {
	case kind == reflect.TypeFor[time.Duration]():
		return "a duration such as 90s"
	case kind.Kind() == reflect.Bool:
		return "true or false"
	case kind.Kind() == reflect.Float64:
		never = math.Inf(1)
	case kind.Kind() == reflect.Int:
		never = math.MaxInt
	}
	if never == nil || k.check == nil {
		return ""
	}
	return k.check(never)[0].want
}
