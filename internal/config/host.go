package config

import (
	"time"
)

// Host bounds the work of agents that call tools, and says what roles they can have. See
// docs/host.md.
type Host struct {
	MCP       string              `koanf:"mcp"`
	MaxRounds int                 `koanf:"max_rounds"`
	MaxCalls  int                 `koanf:"max_calls"`
	MaxDepth  int                 `koanf:"max_depth"`
	MaxTime   time.Duration       `koanf:"max_time"`
	MaxCost   float64             `koanf:"max_cost"`
	Textual   bool                `koanf:"textual"`
	Enabled   bool                `koanf:"enabled"`
	Roles     map[string]hostRole `koanf:"roles"`
}

// hostRole describes an agent and what it may use. The role named main has the goal.
type hostRole struct {
	Description string   `koanf:"description" json:"description,omitempty"`
	Prompt      string   `koanf:"prompt" json:"prompt,omitempty"`
	Model       string   `koanf:"model" json:"model,omitempty"`
	Tools       []string `koanf:"tools" json:"tools,omitempty"`
	Roles       []string `koanf:"roles" json:"roles,omitempty"`
}

var hostSettings = []setting{
	{"host.mcp", "", nil, "the file with MCP servers whose tools taploop host calls, in the form " +
		"of Cursor and Claude: {\"mcpServers\": {NAME: {command, args, env}}}, or {url, headers}"},
	{"host.max_rounds", "30", between(1, 1000), "most replies of one agent's model"},
	{"host.max_calls", "200", between(1, 100000), "most calls of tools, of all agents together"},
	{"host.max_depth", "3", between(0, 10), "how many agents may stand below one another"},
	{"host.max_time", "30m", positive, "how long agents work at a time"},
	{"host.max_cost", "0", between(0, 1e6), "what the replies may cost, where model.prompt_price " +
		"and model.reply_price say it; 0 is no limit"},
	{"host.textual", "false", nil, "models write calls as JSON in their replies, as they know no " +
		"native ones; otherwise that is found out from what the endpoint refuses"},
	{"host.enabled", "false", nil, "serve has the tool delegate_goal, which hands a goal to " +
		"agents with the tools of host.mcp"},
	{"host.roles", "", nil, "agents that agents may hand parts of a goal to (docs/host.md): " +
		"{NAME: {description: ..., prompt: ..., model: ..., tools: [PATTERN], roles: [NAME]}}; " +
		"main is the one that has the goal"},
}
