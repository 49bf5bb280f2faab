package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
)

// Options says where the layers come from.
type Options struct {
	// "" means $TAPLOOP_CONFIG, else taploop.yaml in the user's configuration folder, which may be
	// absent.
	File    string
	Environ []string       // as os.Environ, nil means none
	Flags   map[string]any // key path to value as given on the command line
	Keyless bool           // no file of a model's key is read, as where a recording is replayed
}

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
	if err := l.derive(opts.Getenv, opts.Keyless); err != nil {
		return nil, err
	}
	return l, l.check()
}

func (l *Loaded) applyFile(keys []Key, opts *Options) error {
	path, required := Path(opts)
	b, err := files.Read(path)
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
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Env == name })
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

// Getenv is the value of an environment variable, or "" when it is not set.
func (o *Options) Getenv(name string) string {
	for _, kv := range slices.Backward(o.Environ) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}
