package clients

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"sync"
)

// Client is an MCP client.
type Client struct {
	Name    string // on the command line
	Title   string // shown to people
	Sends   string // the name that it sends when it connects, "" if unknown
	Timeout string // its time-out for calls, and the key that sets it
	Then    string // what to do after a change of the settings
	Token   string // how it gets a token, "" if it cannot
	Source  string // sources of this data, and what they do not say

	file  func(Machine) (string, error) // its file, nil if there is no file to change
	form  form
	stdio func(Server) any
	http  func(Server) any // nil if it does not support an address
}

// entry is a server in JSON settings. Each client uses some of the keys.
type entry struct {
	Name    string            `json:"name,omitempty"`
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	URL     string            `json:"url,omitempty"`
	HTTPURL string            `json:"httpUrl,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Timeout int               `json:"timeout,omitempty"`
}

// clientsFile is what people are told of the clients, according to their documentation or source.
// docs/clients.md names the sources.
//
//go:embed clients.json
var clientsFile []byte

// table lists the clients.
var table = sync.OnceValue(func() (list []Client) {
	if err := json.Unmarshal(clientsFile, &list); err != nil {
		panic(err) // it is a part of the program
	}
	for i := range list {
		c, of := &list[i], settings[list[i].Name]
		c.file, c.form, c.stdio, c.http = of.file, of.form, of.stdio, of.http
	}
	return list
})

// settings are how the clients' files are written, by the clients' names.
var settings = map[string]Client{
	"claude-desktop": {
		file:  inAppFolder("Claude", "claude_desktop_config.json"),
		form:  jsonForm{key: "mcpServers"},
		stdio: func(s Server) any { return entry{Command: s.Command, Args: s.Args} },
	},
	"claude-code": {
		// The file of the user's scope, as `claude mcp add --scope user` writes it.
		file:  inFolderOf("CLAUDE_CONFIG_DIR", ".claude.json", inHome(".claude.json")),
		form:  jsonForm{key: "mcpServers"},
		stdio: func(s Server) any { return entry{Type: "stdio", Command: s.Command, Args: s.Args} },
		http: func(s Server) any {
			return entry{Type: "http", URL: s.URL, Headers: bearer(s, "${"+tokenEnv+"}")}
		},
	},
	"cursor": {
		file:  inHome(".cursor", "mcp.json"),
		form:  jsonForm{key: "mcpServers"},
		stdio: func(s Server) any { return entry{Command: s.Command, Args: s.Args} },
		http: func(s Server) any {
			return entry{URL: s.URL, Headers: bearer(s, "${env:"+tokenEnv+"}")}
		},
	},
	"vscode": {
		file: inAppFolder("Code", "User", "mcp.json"),
		form: jsonForm{key: "servers", comments: true, ask: "taploop-token"},
		stdio: func(s Server) any {
			return entry{Type: "stdio", Command: s.Command, Args: s.Args}
		},
		http: func(s Server) any {
			return entry{Type: "http", URL: s.URL, Headers: bearer(s, "${input:taploop-token}")}
		},
	},
	"cherry-studio": {
		form: jsonForm{key: "mcpServers"},
		stdio: func(s Server) any {
			return entry{Type: "stdio", Command: s.Command, Args: s.Args, Timeout: 120}
		},
		http: func(s Server) any {
			return entry{Type: "streamableHttp", URL: s.URL, Headers: bearer(s, tokenEnv),
				Timeout: 120}
		},
	},
	"chatbox": {
		form:  linkForm{},
		stdio: func(s Server) any { return entry{Name: Entry, Command: s.Command, Args: s.Args} },
		http:  func(s Server) any { return entry{Name: Entry, URL: s.URL} },
	},
	"codex": {
		file: inFolderOf("CODEX_HOME", "config.toml", inHome(".codex", "config.toml")),
		form: tomlForm{table: "mcp_servers"},
		stdio: func(s Server) any {
			return codexEntry{Command: s.Command, Args: s.Args, Timeout: 120}
		},
		http: func(s Server) any {
			e := codexEntry{URL: s.URL, Timeout: 120}
			if s.Token {
				e.TokenEnv = tokenEnv
			}
			return e
		},
	},
	"gemini-cli": {
		file:  inHome(".gemini", "settings.json"),
		form:  jsonForm{key: "mcpServers", comments: true},
		stdio: func(s Server) any { return entry{Command: s.Command, Args: s.Args} },
		http: func(s Server) any {
			return entry{HTTPURL: s.URL, Headers: bearer(s, "$"+tokenEnv)}
		},
	},
}

// codexEntry is a server in the settings of Codex.
type codexEntry struct {
	Command  string   `toml:"command,omitempty"`
	Args     []string `toml:"args,omitempty"`
	URL      string   `toml:"url,omitempty"`
	TokenEnv string   `toml:"bearer_token_env_var,omitempty"`
	Timeout  int      `toml:"tool_timeout_sec"`
}

// bearer returns the header with the client's reference to the token, or nil without a token.
func bearer(s Server, token string) map[string]string {
	if !s.Token {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + token}
}

// linkForm is a link that adds the server when it is opened. The snippet shows it below the
// settings.
type linkForm struct{}

func (linkForm) snippet(e any, _ Server) (string, error) {
	text, err := encode(e, "", "  ")
	if err != nil {
		return "", err
	}
	compact, err := json.Marshal(e)
	if err != nil {
		return "", err
	}
	return text + "\n\nchatbox://mcp/install?server=" + base64.StdEncoding.EncodeToString(compact) +
		"\n", nil
}
