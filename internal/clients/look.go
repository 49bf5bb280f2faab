package clients

import (
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
	raw, err := c.form.(merger).entry(text)
	if err != nil {
		return s, fmt.Errorf("%s: %w", path, err)
	}
	s.Entry = wire.Members(raw) != nil
	entry, _ := readEntry(raw) // without what cannot be read
	s.Command, s.URL = entry.Command, entry.URL
	for name, value := range entry.Headers {
		if strings.EqualFold(name, "Authorization") {
			s.Authorization = value
		}
	}
	s.Authorization = os.Expand(s.Authorization, func(name string) string {
		value := m.Getenv(strings.TrimPrefix(name, "env:"))
		s.Unknown = s.Unknown || value == ""
		return value
	})
	return s, nil
}

func (f jsonForm) entry(text []byte) (json.RawMessage, error) {
	root, err := f.parse(text)
	if err != nil {
		return nil, err
	}
	return wire.At(standard(*root), f.key, Entry), nil
}

func (f tomlForm) entry(text []byte) (json.RawMessage, error) {
	all, err := readTOML(text)
	return wire.At(wire.Encode(all), f.table, Entry), err
}
