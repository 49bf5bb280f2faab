package clients

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// Settings is what a client's file says of the server.
type Settings struct {
	Path    string
	File    bool   // the file is there
	Entry   bool   // with an entry of the server
	Command string // which the client starts, "" if it uses an address
	URL     string // of the server, "" if the client starts it
	// what the client sends there for a token, "" if nothing. Unknown is of what is not known here
	Authorization string
	Unknown       bool
}

// Look reads the client's file and changes nothing. Its error says why the client cannot read the
// file either.
func (c Client) Look(m Machine) (Settings, error) {
	path, err := c.Path(m)
	if err != nil {
		return Settings{}, err
	}
	s := Settings{Path: path}
	_, old, err := readFile(path)
	if s.File = old.there; err != nil || !s.File {
		return s, err
	}
	_, text := cutMark(old.text)
	entry, err := c.form.(merger).entry(text)
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	s.Entry = entry != nil
	s.Command, _ = entry["command"].(string)
	s.URL, _ = cmp.Or(entry["url"], entry["httpUrl"]).(string)
	s.authorize(entry, m.Getenv)
	return s, nil
}

// authorize reads which token the client sends, with the variables that are set here.
func (s *Settings) authorize(entry map[string]any, getenv func(string) string) {
	if name, _ := entry["bearer_token_env_var"].(string); name != "" {
		s.Authorization = "Bearer $" + name
	}
	headers, _ := entry["headers"].(map[string]any)
	for name, value := range headers {
		if strings.EqualFold(name, "Authorization") {
			s.Authorization, _ = value.(string)
		}
	}
	s.Authorization = os.Expand(s.Authorization, func(name string) string {
		value := getenv(strings.TrimPrefix(name, "env:"))
		s.Unknown = s.Unknown || value == ""
		return value
	})
}

func (f jsonForm) entry(text []byte) (ours map[string]any, err error) {
	root, err := f.parse(text)
	if err == nil {
		root.Standardize()
		_ = json.Unmarshal(wire.At(root.Pack(), f.key, Entry), &ours) // else it is no entry
	}
	return ours, err
}

func (f tomlForm) entry(text []byte) (ours map[string]any, err error) {
	all, err := readTOML(text)
	servers, _ := all[f.table].(map[string]any)
	ours, _ = servers[Entry].(map[string]any)
	return ours, err
}
