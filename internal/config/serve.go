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
	{"http.addr", "127.0.0.1:8702", nil,
		"address of the HTTP server; one that others can reach needs a token (taploop token " +
			"create)"},
	{"http.hosts", "", hosts,
		"names under which requests may arrive besides loopback ones, such as the name of a " +
			"proxy in front; in the environment separated by commas"},
	{"http.origins", "", origins,
		"origins besides loopback ones that requests may carry, such as https://app.example " +
			"of a program that is made of web pages; the server sends no CORS headers, so a page " +
			"in a browser needs a proxy on its own origin; in the environment separated by commas"},
	{"http.url", "", site,
		"where people reach the server, for links, such as https://phones.example of a proxy " +
			"in front; the default is the address that it listens on"},
	{"http.operators", "", nil,
		"names of tokens whose bearers see and answer everybody's questions over HTTP, as the " +
			"page does; in the environment separated by commas"},
	{"http.metrics", "false", nil,
		"true: GET /metrics tells Prometheus what the server's runs have come to, and where the " +
			"time of their steps went"},

	{"calls.wait", "", orDefault(positive),
		"how long a call waits for its run; 0s means 25s, and 45s for a client that is known to " +
			"wait for minutes"},
	{"calls.max_wait", "90s", positive, "longest wait that a call may ask for"},
	{"calls.heartbeat", "10s", positive, "time between progress messages of a waiting call"},
	{"calls.detach_grace", "120s", positive, "how long a run goes on with nobody attached"},
	{"calls.clients", "", clientWaits,
		"other waits for some clients, by the name that each gives itself: {NAME: {wait: 20s, " +
			"max_wait: 40s}}"},

	{"privacy", "off", oneOf("off", "captions"), "off, or captions: no picture leaves over MCP"},

	{"schemas", "brief", someOf("brief", "full", "inquiry", "captions", "gelab"),
		"how much the list of the MCP tools says, and the structure of a result: brief; the same " +
			"with groups of rare arguments, inquiry, captions or gelab, with commas between " +
			"them; or full with all of them, bounds and output schemas, which cost every " +
			"conversation thousands of tokens; over HTTP also schemas=LIST in the query of a " +
			"connection's URL"},

	{"skills.dir", "", nil,
		"folder of the skills (docs/skills.md); the default is skills in the data folder"},
	{"skills.tools", "false", nil,
		"whether MCP clients get the tools list_skills and run_skill, and a tool for each skill, " +
			"skill_NAME"},
	{"skills.max_tools", "20", between(0, 200),
		"the skills that are tools of their own at most, the first by name; list_skills has all"},
	{"skills.use", "name", oneOf("off", "name", "auto"),
		"what becomes of a task that a skill does: name, the result names the skill; auto, the " +
			"skill is repeated in its place, if the task says all its parameters literally; " +
			"or off"},
	{"verify", "elements", oneOf("off", "elements", "model", "both"),
		"by what the end of a task is looked at that the agent reports as done: elements, by " +
			"what the screen lists; model, by asking a model once more; both; or off. What " +
			"contradicts it is told to the agent once, and stands in the result"},
	{"verify_model", "", nil,
		"the model that is asked for verify, by its name below models; the default is the run's"},
	{"compat", "off", oneOf("off", "gelab"),
		"off, or gelab for MCP clients of gelab-zero's server: its tools and defaults, a plain " +
			"list of serials, and calls that return when the task ends or the client leaves; " +
			"over HTTP also compat=gelab in the query of a connection's URL"},

	{"proxies", "", nil,
		"MCP servers that serve --http stands in front of, each at /proxy/NAME/mcp " +
			"(docs/proxy.md): {NAME: {command: npx, args: [-y, SERVER], env: {TOKEN: ...}}}, or " +
			"{url: https://mcp.example/mcp, headers: {Authorization: ...}}; guard: [...] are " +
			"rules that go before guard.rules"},
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
