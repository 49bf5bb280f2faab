package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
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

// reader is the format of a file that can be read.
type reader interface {
	// servers returns the servers that the text lists, by name.
	servers(text []byte) (map[string]any, error)
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
	servers, err := c.form.(reader).servers(text)
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	entry, there := servers[Entry].(map[string]any)
	s.Entry = there
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

func (f jsonForm) servers(text []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	root, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	root.Standardize()
	var all map[string]any
	if err := json.Unmarshal(root.Pack(), &all); err != nil {
		return nil, err
	}
	servers, _ := all[f.key].(map[string]any)
	return servers, nil
}

func (f tomlForm) servers(text []byte) (map[string]any, error) {
	all, err := readTOML(text)
	servers, _ := all[f.table].(map[string]any)
	return servers, err
}
