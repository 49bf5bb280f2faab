package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/go-viper/mapstructure/v2"
	"github.com/goccy/go-yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/wait"
)

// Loaded is a configuration that knows where its values came from.
type Loaded struct {
	Config
	File    string       // the file that was read, "" when there was none
	base    func() Model // the model under a profile, printed without its key
	Profile string       // the one of Models that the model was named by, "" when it was none
	origin  map[string]string
	getenv  func(string) string
	keyless bool
}

// Origin says which layer gave the key its value: default, the file's path, an environment name, or
// a flag.
func (l *Loaded) Origin(path string) string {
	if o := l.origin[path]; o != "" {
		return o
	}
	return ByDefault
}

// ByDefault is the origin of a value that no layer gave.
const ByDefault = "default"

// apply lays one layer over the configuration. Its keys may be nested or dotted.
func (l *Loaded) apply(keys []Key, layer string, values map[string]any,
	origin func(path string) string) error {
	k := koanf.New(".")
	if err := k.Load(confmap.Provider(values, "."), nil); err != nil {
		return fmt.Errorf("reading %s: %w", layer, err)
	}
	var bad []error
	for _, path := range k.Keys() {
		key, ok := find(keys, path)
		switch {
		case !ok:
			bad = append(bad, hint.Add(fmt.Errorf("in %s: there is no setting %q", layer, path),
				nearest(keys, path, func(k Key) string { return k.Path })))
		case origin != nil:
			l.origin[key.Path] = origin(path)
		}
	}
	if len(bad) > 0 {
		return errors.Join(bad...)
	}
	if err := decodeValue(k.Raw(), &l.Config); err != nil {
		return mistyped(k, keys, layer, origin, err)
	}
	return nil
}

// decodeValue reads maps and lists into structs with tags.
func decodeValue(from, into any) error {
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		// of a list's items: other keys were checked before
		TagName: "koanf", Result: into, WeaklyTypedInput: true, ErrorUnused: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(wantUnit,
			durations, splitList),
	})
	if err != nil {
		return err
	}
	return d.Decode(from)
}

// mistyped says for each value that cannot be read what it should be. For a value that is no
// number, duration or switch these are the decoder's words, err.
func mistyped(k *koanf.Koanf, keys []Key, layer string, origin func(path string) string,
	err error) error {
	var bad []error
	for _, path := range k.Keys() {
		one := koanf.New(".")
		key, _ := find(keys, path)
		wants := key.wants()
		if one.Set(path, k.Get(path)) != nil || wants == "" ||
			decodeValue(one.Raw(), new(Config)) == nil {
			continue
		}
		from := layer
		if origin != nil {
			from = origin(path)
		}
		bad = append(bad, hint.Add(
			fmt.Errorf("%s is %v (from %s)", path, quoted(k.Get(path)), from), "want "+wants))
	}
	if len(bad) == 0 {
		return hint.Add(fmt.Errorf("in %s: %w", layer, err),
			"durations are written like 90s, 30m or 30d, sizes like 728x728; "+
				"`taploop config show` prints every key")
	}
	return errors.Join(bad...)
}

func quoted(v any) any {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return v
}

// wantUnit refuses a bare number for a duration, which would otherwise count nanoseconds.
func wantUnit(from, to reflect.Type, v any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from.Kind() != reflect.String {
		return nil, fmt.Errorf("%v has no unit (want a duration such as 90s)", v)
	}
	return v, nil
}

// durations reads a duration, which may be of days and weeks.
func durations(from, to reflect.Type, v any) (any, error) {
	if from.Kind() != reflect.String || to != reflect.TypeFor[time.Duration]() {
		return v, nil
	}
	return wait.ParseDuration(v.(string))
}

// splitList takes the items of a list or a map apart, as the environment and flags give them.
func splitList(from, to reflect.Type, v any) (any, error) {
	list, named := to == reflect.TypeFor[[]string](), to == reflect.TypeFor[map[string]string]()
	if from.Kind() != reflect.String || !list && !named {
		return v, nil
	}
	items, values := []string{}, map[string]string{}
	if text := v.(string); named && strings.HasPrefix(strings.TrimSpace(text), "{") {
		err := yaml.Unmarshal([]byte(text), &values) // as in a file
		return values, err
	}
	for item := range strings.SplitSeq(v.(string), ",") {
		name, value, whole := strings.Cut(item, "=")
		if item = strings.TrimSpace(item); item == "" {
			continue
		}
		items, values[strings.TrimSpace(name)] = append(items, item), strings.TrimSpace(value)
		if named && !whole {
			return nil, fmt.Errorf("%q has no value (want NAME=VALUE,NAME=VALUE)", item)
		}
	}
	if named {
		return values, nil
	}
	return items, nil
}

// nearest proposes the setting whose name is most like the one given.
func nearest(keys []Key, given string, name func(Key) string) string {
	remedy, distance := "remove it; `taploop config show` prints every key", len(given)/3+2
	for _, k := range keys {
		if d := levenshtein.ComputeDistance(given, name(k)); d < distance {
			remedy, distance = "did you mean "+name(k)+"?", d
		}
	}
	return remedy
}
