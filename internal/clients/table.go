package clients

import (
	"encoding/base64"
	"encoding/json"
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

// table lists the clients according to their documentation or source. docs/clients.md names the
// sources.
var table = []Client{
	{
		Name: "claude-desktop", Title: "Claude Desktop", Sends: "claude-ai",
		Timeout: "It gives a call up after about 60 s in some versions, 4 min in others, and has " +
			"no key for that. taploop's own 25 s stay below both.",
		Then: "Quit Claude Desktop and start it again; closing its window is not enough.",
		Source: "The file is in the MCP project's quickstart for users; Linux, for which there " +
			"is no official program, follows the same pattern. The times are from people's " +
			"reports (anthropics/claude-code issues 22542 and 65643).",
		file:  inAppFolder("Claude", "claude_desktop_config.json"),
		form:  jsonForm{key: "mcpServers"},
		stdio: func(s Server) any { return entry{Command: s.Command, Args: s.Args} },
	},
	{
		Name: "claude-code", Title: "Claude Code", Sends: "claude-code",
		Timeout: "The environment variable MCP_TOOL_TIMEOUT (ms), or \"timeout\" (ms) in the " +
			"server's entry; some versions stop HTTP calls at 60 s whatever is set.",
		Then:  "Start Claude Code again, or type /mcp in it.",
		Token: "export " + tokenEnv + " before Claude Code starts",
		Source: "Its documentation (code.claude.com/docs/en/mcp) and issue 63379. That it puts " +
			"variables into the user's own file as it does into a project's .mcp.json, and " +
			"CLAUDE_CONFIG_DIR, are not confirmed there.",
		// The file of the user's scope, as `claude mcp add --scope user` writes it.
		file:  inFolderOf("CLAUDE_CONFIG_DIR", ".claude.json", inHome(".claude.json")),
		form:  jsonForm{key: "mcpServers"},
		stdio: func(s Server) any { return entry{Type: "stdio", Command: s.Command, Args: s.Args} },
		http: func(s Server) any {
			return entry{Type: "http", URL: s.URL, Headers: bearer(s, "${"+tokenEnv+"}")}
		},
	},
	{
		Name: "cursor", Title: "Cursor", Sends: "cursor-vscode",
		Timeout: "Its documentation names no key. taploop's own 25 s stay " +
			"below the 60 s that MCP libraries wait.",
		Then:  "Switch the server on under Customize, MCPs, or start Cursor again.",
		Token: "export " + tokenEnv + " before Cursor starts",
		Source: "Its documentation (cursor.com/docs/mcp) as guides quote it. No time of a call " +
			"is named anywhere.",
		file:  inHome(".cursor", "mcp.json"),
		form:  jsonForm{key: "mcpServers"},
		stdio: func(s Server) any { return entry{Command: s.Command, Args: s.Args} },
		http: func(s Server) any {
			return entry{URL: s.URL, Headers: bearer(s, "${env:"+tokenEnv+"}")}
		},
	},
	{
		Name: "vscode", Title: "VS Code", Sends: "Visual Studio Code",
		Timeout: "It has no key for the time of a call, and gave calls up after 5 min where " +
			"people measured it.",
		Then:  "Run \"MCP: List Servers\" from the command palette and start taploop there.",
		Token: "VS Code asks for it once and keeps it",
		Source: "Its documentation (code.visualstudio.com, MCP configuration reference); the " +
			"times are from microsoft/vscode issues 311595 and 261734. The folder is that of the " +
			"default profile of the stable version.",
		file: inAppFolder("Code", "User", "mcp.json"),
		form: jsonForm{key: "servers", comments: true, ask: "taploop-token"},
		stdio: func(s Server) any {
			return entry{Type: "stdio", Command: s.Command, Args: s.Args}
		},
		http: func(s Server) any {
			return entry{Type: "http", URL: s.URL, Headers: bearer(s, "${input:taploop-token}")}
		},
	},
	{
		Name: "cherry-studio", Title: "Cherry Studio", Sends: "Cherry Studio",
		Timeout: "\"timeout\" in the server's entry, in seconds, 60 unless set; it is set to 120 " +
			"here.",
		Then:   "Settings, MCP, Add, Import from JSON: paste, and switch the server on.",
		Token:  "put it into the header in the place of " + tokenEnv,
		Source: "Its source (src/renderer/src/types/mcp.ts and the import dialog).",
		form:   jsonForm{key: "mcpServers"},
		stdio: func(s Server) any {
			return entry{Type: "stdio", Command: s.Command, Args: s.Args, Timeout: 120}
		},
		http: func(s Server) any {
			return entry{Type: "streamableHttp", URL: s.URL, Headers: bearer(s, tokenEnv),
				Timeout: 120}
		},
	},
	{
		Name: "chatbox", Title: "Chatbox", Sends: "chatbox-mcp-client",
		Timeout: "It has no key for the time of a call. taploop's own 25 s stay " +
			"below the 60 s that MCP libraries wait.",
		Then: "Open the link, or Settings, MCP, Add Server, and fill the form in with the " +
			"values of the JSON.",
		Token: "add the header Authorization with \"Bearer \" and the token in the form",
		Source: "Its documentation (docs.chatboxai.app, MCP) and its source. The link takes no " +
			"headers as far as is documented. Whether a call has a limit of its own was not found.",
		form:  linkForm{},
		stdio: func(s Server) any { return entry{Name: Entry, Command: s.Command, Args: s.Args} },
		http:  func(s Server) any { return entry{Name: Entry, URL: s.URL} },
	},
	{
		Name: "codex", Title: "Codex", Sends: "codex-mcp-client",
		Timeout: "tool_timeout_sec in the server's table, 60 unless set; it is set to 120 here. " +
			"startup_timeout_sec is 10 unless set, which is plenty.",
		Then:   "Start Codex again and type /mcp in it.",
		Token:  "export " + tokenEnv + " before Codex starts",
		Source: "Its documentation (docs/config.md in openai/codex, and developers.openai.com).",
		file:   inFolderOf("CODEX_HOME", "config.toml", inHome(".codex", "config.toml")),
		form:   tomlForm{table: "mcp_servers"},
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
	{
		Name: "gemini-cli", Title: "Gemini CLI", Sends: "",
		Timeout: "\"timeout\" in the server's entry, in milliseconds, 600000 unless set, which " +
			"is plenty.",
		Then:  "Start Gemini CLI again and type /mcp in it.",
		Token: "export " + tokenEnv + " before Gemini CLI starts",
		Source: "Its documentation (docs/tools/mcp-server.md in google-gemini/gemini-cli). It " +
			"calls itself gemini-cli-mcp-client with the server's name behind it; that was not " +
			"confirmed.",
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
