package clients

import (
	"cmp"
	"encoding/json"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// ServerSettings are the settings of a server in a file in Cursor's or Claude's format.
type ServerSettings struct {
	Name     string            `json:"-"`
	Type     string            `json:"type"` // stdio, http, streamable-http, sse or ""
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	EnvFile  string            `json:"envFile"` // a file with more of the environment, see ReadEnv
	Dir      string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	Disabled bool              `json:"disabled"`

	Unusable error `json:"-"` // why the entry cannot be used, while others can
}

// plain is a text, or a number or a truth value that stands for one.
type plain string

// UnmarshalJSON implements [json.Unmarshaler].
func (p *plain) UnmarshalJSON(b []byte) error {
	if b[0] == '"' || b[0] == '{' || b[0] == '[' || b[0] == 'n' {
		return json.Unmarshal(b, (*string)(p))
	}
	*p = plain(b)
	return nil
}

// readEntry reads the settings of a server as the files of several programs write them: the address
// under the names of Gemini, Windsurf and Cherry Studio, the command as a list and with opencode's
// names, the transport as a part of its own, numbers in the environment, and Codex's name of a
// token's variable. With an error, all that can be read is there.
func readEntry(raw json.RawMessage) (ServerSettings, error) {
	var e struct {
		ServerSettings
		HTTPURL   string           `json:"httpUrl"`
		ServerURL string           `json:"serverUrl"`
		BaseURL   string           `json:"baseUrl"`
		Command   json.RawMessage  `json:"command"`
		Args      []plain          `json:"args"`
		Env       map[string]plain `json:"env"`
		Variables map[string]plain `json:"environment"`
		Headers   map[string]plain `json:"headers"`
		Enabled   *bool            `json:"enabled"`
		Active    *bool            `json:"isActive"`
		TokenEnv  string           `json:"bearer_token_env_var"`
	}
	err := json.Unmarshal(raw, &e)
	if inner := wire.At(raw, "transport"); wire.Members(inner) != nil {
		err = cmp.Or(err, json.Unmarshal(inner, &e))
	} else {
		e.Type = cmp.Or(e.Type, wire.Text(inner))
	}
	var command []plain
	if json.Unmarshal(e.Command, &command) == nil && len(command) > 0 {
		e.ServerSettings.Command, e.Args = string(command[0]), append(command[1:], e.Args...)
	} else if e.Command != nil {
		err = cmp.Or(err, json.Unmarshal([]byte(`{"command":`+string(e.Command)+`}`),
			&e.ServerSettings))
	}
	s := e.ServerSettings
	s.URL = cmp.Or(s.URL, e.HTTPURL, e.ServerURL, e.BaseURL)
	for _, a := range e.Args {
		s.Args = append(s.Args, string(a))
	}
	if e.TokenEnv != "" { // of Codex
		e.Headers = map[string]plain{"Authorization": plain("Bearer ${" + e.TokenEnv + "}")}
	}
	s.Env, s.Headers = texts(e.Env, e.Variables), texts(e.Headers)
	s.Disabled = s.Disabled || e.Enabled != nil && !*e.Enabled || e.Active != nil && !*e.Active
	return s, err
}

// texts are the maps as one, nil without any.
func texts(maps ...map[string]plain) (all map[string]string) {
	for _, m := range maps {
		for k, v := range m {
			if all == nil {
				all = map[string]string{}
			}
			all[k] = string(v)
		}
	}
	return all
}
