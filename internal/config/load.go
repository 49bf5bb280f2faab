package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/userfile"
)

// Options says where the layers come from.
type Options struct {
	// "" means $TAPLOOP_CONFIG, else taploop.yaml in the user's configuration folder, which may be
	// absent.
	File    string
	Environ []string       // as os.Environ; nil means none
	Flags   map[string]any // key path to value as given on the command line
}

// Loaded is a configuration that knows where its values came from.
type Loaded struct {
	Config
	File    string       // the file that was read, "" when there was none
	base    func() Model // what a profile is laid over; printed, it shows no key
	Profile string       // the one of Models that the model was named by, "" when it was none
	origin  map[string]string
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

// Load reads all layers and checks the result. Every problem of a layer is reported at once.
func Load(opts *Options) (*Loaded, error) {
	l := &Loaded{origin: map[string]string{}}
	keys := Keys()
	defaults := map[string]any{}
	for _, k := range keys {
		if k.Default != "" {
			defaults[k.Path] = k.Default
		}
	}
	if err := l.apply(keys, "defaults", defaults, nil); err != nil {
		return nil, err
	}
	if err := l.applyFile(keys, opts); err != nil {
		return nil, err
	}
	if err := l.applyEnviron(keys, opts.Environ); err != nil {
		return nil, err
	}
	if err := fileOnly(opts.Flags); err != nil {
		return nil, err
	}
	flags, err := l.useProfile(keys, opts.Flags)
	if err != nil {
		return nil, err
	}
	flag := func(string) string { return "flag" }
	if err := l.apply(keys, "the command line", flags, flag); err != nil {
		return nil, err
	}
	if err := l.derive(opts.Getenv); err != nil {
		return nil, err
	}
	return l, l.check()
}

func (l *Loaded) applyFile(keys []Key, opts *Options) error {
	path, required := Path(opts)
	b, err := userfile.Read(path)
	if errors.Is(err, os.ErrNotExist) && !required {
		return nil
	}
	if err != nil {
		return hint.Add(fmt.Errorf("reading the configuration: %w", err),
			"create the file, or leave --config and TAPLOOP_CONFIG out to use the defaults")
	}
	m := map[string]any{}
	if err := decode(b, path, &m); err != nil {
		return err
	}
	l.File = path
	defaults := l.Config
	models := m[profilesPath] // their names may have dots, which are levels elsewhere
	delete(m, profilesPath)
	proxied := m[proxiesPath]
	delete(m, proxiesPath)
	roles := takeOut(m, "host", "roles")
	if err := l.apply(keys, path, m, func(string) string { return path }); err != nil {
		return err
	}
	return cmp.Or(l.takeProxies(path, proxied), l.takeRoles(path, roles),
		l.takeProfiles(keys, defaults, path, models))
}

// Path is the configuration file's path, and whether it was named and so must exist.
func Path(opts *Options) (path string, required bool) {
	if p := cmp.Or(opts.File, opts.Getenv("TAPLOOP_CONFIG")); p != "" {
		return p, true
	}
	dir := opts.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		dir, _ = os.UserConfigDir() // without a home folder there is no file to find
	}
	return filepath.Join(dir, "taploop.yaml"), false
}

// ours are names with the prefix TAPLOOP_ that are not settings.
var ours = []string{"TAPLOOP_CONFIG", "TAPLOOP_TOKEN", "TAPLOOP_WEBHOOK_SECRET", "TAPLOOP_TEST_",
	"TAPLOOP_RIG", "TAPLOOP_SANDBOX_"}

func (l *Loaded) applyEnviron(keys []Key, environ []string) error {
	m, names := map[string]any{}, map[string]string{}
	var unknown []error
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "TAPLOOP_") ||
			slices.ContainsFunc(ours, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Env == name && !k.Open })
		if i < 0 {
			unknown = append(unknown, hint.Add(
				fmt.Errorf("in the environment: there is no setting %s", name),
				nearest(keys, name, func(k Key) string { return k.Env })))
			continue
		}
		if value == "" && keys[i].toggle() {
			continue // it would count as false
		}
		m[keys[i].Path], names[keys[i].Path] = value, name
	}
	if len(unknown) > 0 {
		return errors.Join(unknown...)
	}
	return l.apply(keys, "the environment", m, func(path string) string { return names[path] })
}

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
	if err := unmarshal(k, &l.Config); err != nil {
		return mistyped(k, keys, layer, origin, err)
	}
	return nil
}

func unmarshal(k *koanf.Koanf, c *Config) error { return decodeValue(k.Raw(), c) }

// decodeValue reads maps and lists into structs with tags.
func decodeValue(from, into any) error {
	d, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
		// of a list's items; other keys are known by now
		TagName: "koanf", Result: into, WeaklyTypedInput: true, ErrorUnused: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(wantUnit,
			mapstructure.StringToTimeDurationHookFunc(), splitList),
	})
	if err != nil {
		return err
	}
	return d.Decode(from)
}

// mistyped says of each value of a layer that cannot be read what is wanted instead. What is no
// number, duration or switch has the decoder's own words, err.
func mistyped(k *koanf.Koanf, keys []Key, layer string, origin func(path string) string,
	err error) error {
	var bad []error
	for _, path := range k.Keys() {
		one := koanf.New(".")
		key, _ := find(keys, path)
		wants := key.wants()
		if one.Set(path, k.Get(path)) != nil || wants == "" || unmarshal(one, new(Config)) == nil {
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
			"durations are written like 90s or 30m, sizes like 728x728; "+
				"`taploop config show` prints every key")
	}
	return errors.Join(bad...)
}

// wantUnit refuses a bare number for a duration, which would otherwise count nanoseconds.
func wantUnit(from, to reflect.Type, v any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from.Kind() != reflect.String {
		return nil, fmt.Errorf("%v has no unit (want a duration such as 90s)", v)
	}
	return v, nil
}

// splitList takes the items of a list apart, as the environment and flags give them.
func splitList(from, to reflect.Type, v any) (any, error) {
	if from.Kind() != reflect.String || to != reflect.TypeFor[[]string]() {
		return v, nil
	}
	items := []string{}
	for item := range strings.SplitSeq(v.(string), ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
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

// Getenv is the value of an environment variable; "" when it is not set.
func (o *Options) Getenv(name string) string {
	for _, kv := range slices.Backward(o.Environ) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
