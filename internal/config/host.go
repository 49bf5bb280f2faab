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
	{"host.max_rounds", "30", between(1, 1000)},
	{"host.max_calls", "200", between(1, 100000)},
	{"host.max_depth", "3", between(0, 10)},
	{"host.max_time", "30m", positive},
	{"host.max_cost", "0", between(0, 1e6)},
	{"host.textual", "false", nil},
	{"host.enabled", "false", nil},
}
