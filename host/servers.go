package host

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tailscale/hujson"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/lazyregexp"
)

// ServerSettings are those of a server in a file as Cursor and Claude write it.
type ServerSettings struct {
	Name     string            `json:"-"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`
}

// maxServers is how many servers a file may name.
const maxServers = 100

// variable is one of the environment, as the files name it: ${NAME} or ${env:NAME}.
var variable = lazyregexp.New(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}`)

// ReadServers reads the servers that such a file names, in the order of their names. Comments and
// commas at the end are allowed; variables of the environment are put in their places, and those
// that are not set are an error. What it does not know is ignored, as other programs do.
func ReadServers(file []byte, env map[string]string) ([]ServerSettings, error) {
	const want = `write {"mcpServers": {"NAME": {"command": "PROGRAM", "args": []}}}, or ` +
		`{"url": "https://..."} for a server over HTTP`
	plain, err := hujson.Standardize(file)
	if err != nil {
		return nil, hint.Add(err, want)
	}
	var f struct {
		MCPServers map[string]ServerSettings `json:"mcpServers"`
		Servers    map[string]ServerSettings `json:"servers"` // as VS Code writes it
	}
	if err := json.Unmarshal(plain, &f); err != nil {
		return nil, hint.Add(err, want)
	}
	if f.MCPServers == nil {
		f.MCPServers = f.Servers
	}
	if f.MCPServers == nil {
		return nil, hint.Add(fmt.Errorf("it names no servers"), want)
	}
	if len(f.MCPServers) > maxServers {
		return nil, fmt.Errorf("it names %d servers (at most %d)", len(f.MCPServers), maxServers)
	}
	var list []ServerSettings
	for _, name := range slices.Sorted(maps.Keys(f.MCPServers)) {
		s := f.MCPServers[name]
		s.Name = name
		if (s.Command == "") == (s.URL == "") {
			return nil, hint.Add(
				fmt.Errorf("server %.80q has not one of command and url", name), want)
		}
		if err := s.expand(env); err != nil {
			return nil, fmt.Errorf("server %.80q: %w", name, err)
		}
		list = append(list, s)
	}
	return list, nil
}

// expand puts variables in their places.
func (s *ServerSettings) expand(env map[string]string) error {
	var missing error
	put := func(text string) string {
		return variable.ReplaceAllStringFunc(text, func(v string) string {
			name := variable.FindStringSubmatch(v)[1]
			value, ok := env[name]
			if !ok && missing == nil && !s.Disabled {
				missing = hint.Add(fmt.Errorf("the variable %s is not set", name),
					"export "+name+"=VALUE")
			}
			return value
		})
	}
	s.Command, s.URL = put(s.Command), put(s.URL)
	for i := range s.Args {
		s.Args[i] = put(s.Args[i])
	}
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for k, v := range m {
			m[k] = put(v)
		}
	}
	return missing
}
