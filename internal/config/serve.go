package config

import (
	"encoding/json"
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/model"
)

// HTTP says where the server listens.
type HTTP struct {
	Addr    string   `koanf:"addr"`
	Hosts   []string `koanf:"hosts"`
	Origins []string `koanf:"origins"`
	URL     string   `koanf:"url"`

	Operators []string `koanf:"operators"`
	Metrics   bool     `koanf:"metrics"`
}

// Calls bounds the calls of MCP clients.
type Calls struct {
	Wait        time.Duration `koanf:"wait"`
	MaxWait     time.Duration `koanf:"max_wait"`
	Heartbeat   time.Duration `koanf:"heartbeat"`
	DetachGrace time.Duration `koanf:"detach_grace"`

	Clients map[string]ClientCalls `koanf:"clients"`
}

// ClientCalls are the waits of one client. Zero keeps those of Calls.
type ClientCalls struct {
	Wait    time.Duration `koanf:"wait"`
	MaxWait time.Duration `koanf:"max_wait"`
}

// MarshalJSON writes durations as they are written in the file.
func (c ClientCalls) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"wait": c.Wait.String(), "max_wait": c.MaxWait.String()})
}

// ProxyServer is an MCP server that taploop serve --http stands in front of: a command, or an
// address. See docs/proxy.md.
type ProxyServer struct {
	Command string                  `koanf:"command" json:"command,omitempty"`
	Args    []string                `koanf:"args" json:"args,omitempty"`
	URL     string                  `koanf:"url" json:"url,omitempty"`
	Env     map[string]model.Secret `koanf:"env" json:"env,omitempty"`
	Headers map[string]model.Secret `koanf:"headers" json:"headers,omitempty"`
	Guard   []guard.Rule            `koanf:"guard" json:"guard,omitempty"` // before guard.rules
}

var serverSettings = []setting{
	{"http.addr", "127.0.0.1:8702", nil},
	{"http.hosts", "", hosts},
	{"http.origins", "", origins},
	{"http.url", "", site},
	{"http.metrics", "false", nil},

	{"calls.wait", "", orDefault(positive)},
	{"calls.max_wait", "90s", positive},
	{"calls.heartbeat", "10s", positive},
	{"calls.detach_grace", "120s", positive},
	{"calls.clients", "", clientWaits},

	{"privacy", "off", oneOf("off", "captions")},

	{"schemas", "brief", someOf("brief", "full", "inquiry", "captions", "gelab")},

	{"skills.tools", "false", nil},
	{"skills.max_tools", "20", between(0, 200)},
	{"skills.use", "name", oneOf("off", "name", "auto")},
	{"verify", "elements", oneOf("off", "elements", "model", "both")},
	{"compat", "off", oneOf("off", "gelab")},
}

func clientWaits(v any) (bad []fault) {
	for name, c := range v.(map[string]ClientCalls) {
		if c.Wait < 0 || c.MaxWait < 0 {
			bad = append(bad, fault{"." + name, c, "durations above 0, such as 20s"})
		}
	}
	return bad
}

// Skills say where skills are, and who may run them.
type Skills struct {
	Dir      string `koanf:"dir"`
	Tools    bool   `koanf:"tools"`
	MaxTools int    `koanf:"max_tools"`
	Use      string `koanf:"use"`
}
