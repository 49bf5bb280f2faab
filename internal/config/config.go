package config

import (
	"encoding/json"
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/model"
)

// Config is every setting of taploop. The tag koanf is the key below its group; settings has the
// defaults, the checks and the help. A key's environment name is TAPLOOP_ and the key in upper case
// with _ for a dot.
type Config struct {
	DataDir   string             `koanf:"data_dir"`
	ADB       ADB                `koanf:"adb"`
	HTTP      HTTP               `koanf:"http"`
	Model     Model              `koanf:"model"`
	Models    map[string]Profile `koanf:"models"`
	Caption   Caption            `koanf:"caption"`
	Loop      Loop               `koanf:"loop"`
	Reply     Reply              `koanf:"reply"`
	Calls     Calls              `koanf:"calls"`
	Questions Questions          `koanf:"questions"`
	Notify    Notify             `koanf:"notify"`
	Guard     Guard              `koanf:"guard"`
	Privacy   string             `koanf:"privacy"`
	Compat    string             `koanf:"compat"`
	Schemas   string             `koanf:"schemas"`
	Apps      map[string]string  `koanf:"apps"`
	Host      Host               `koanf:"host"`

	Proxies map[string]ProxyServer `koanf:"proxies"`
}

// ADB says how phones are reached.
type ADB struct {
	Server  string        `koanf:"server"`
	Path    string        `koanf:"path"`
	Timeout time.Duration `koanf:"timeout"`
	Serial  string        `koanf:"serial"`
}

// HTTP says where the server listens.
type HTTP struct {
	Addr    string   `koanf:"addr"`
	Hosts   []string `koanf:"hosts"`
	Origins []string `koanf:"origins"`
	URL     string   `koanf:"url"`

	Operators []string `koanf:"operators"`
	Metrics   bool     `koanf:"metrics"`
}

// Model says which model decides, and how it is called.
type Model struct {
	BaseURL          string         `koanf:"base_url"`
	Name             string         `koanf:"name"`
	APIKey           model.Secret   `koanf:"api_key"`
	APIKeyFile       string         `koanf:"api_key_file"`
	Dialect          string         `koanf:"dialect"`
	Lang             string         `koanf:"lang"`
	PromptTemplate   string         `koanf:"prompt_template"`
	Temperature      float64        `koanf:"temperature"`
	TopP             float64        `koanf:"top_p"`
	FrequencyPenalty float64        `koanf:"frequency_penalty"`
	MaxTokens        int            `koanf:"max_tokens"`
	Timeout          time.Duration  `koanf:"timeout"`
	Retries          int            `koanf:"retries"`
	Coordinates      string         `koanf:"coordinates"`
	ImageSize        string         `koanf:"image_size"`
	ImageQuality     int            `koanf:"image_quality"`
	Extra            map[string]any `koanf:"extra"`
	Record           string         `koanf:"record"`
	Replay           string         `koanf:"replay"`
	ReplayOrModel    string         `koanf:"replay_or_model"`
	ReplayTolerance  float64        `koanf:"replay_tolerance"`
	ReplayMasks      []string       `koanf:"replay_masks"`
	PromptPrice      float64        `koanf:"prompt_price"`
	ReplyPrice       float64        `koanf:"reply_price"`
}

// Caption says which model puts frames in words and answers under auto_reply. Empty values are
// those of Model.
type Caption struct {
	BaseURL    string         `koanf:"base_url"`
	Name       string         `koanf:"name"`
	APIKey     model.Secret   `koanf:"api_key"`
	APIKeyFile string         `koanf:"api_key_file"`
	Lang       string         `koanf:"lang"`
	Timeout    time.Duration  `koanf:"timeout"`
	Retries    int            `koanf:"retries"`
	Extra      map[string]any `koanf:"extra"`
}

// Loop bounds a run.
type Loop struct {
	MaxSteps      int           `koanf:"max_steps"`
	MaxTime       time.Duration `koanf:"max_time"`
	SettleTimeout time.Duration `koanf:"settle_timeout"`
	KeepApps      bool          `koanf:"keep_apps"`
	HandOver      bool          `koanf:"hand_over"`
	AskEarly      string        `koanf:"ask_early"`
}

// Reply says what happens to a question.
type Reply struct {
	Mode string `koanf:"mode"`
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

// Questions bounds questions to people.
type Questions struct {
	Attention time.Duration `koanf:"attention"`
	TTL       time.Duration `koanf:"ttl"`
	PerRun    int           `koanf:"per_run"`
	OnTimeout string        `koanf:"on_timeout"`
	OnRefusal string        `koanf:"on_refusal"`
	Draft     string        `koanf:"draft"`
	// about an action; silence is never consent
	OnUndecided    string `koanf:"on_undecided"`
	ProgramsDecide bool   `koanf:"programs_decide"`
}

// Notify says who learns that a question waits. See docs/notifications.md.
type Notify struct {
	Webhooks []Webhook `koanf:"webhooks"`
	Ntfy     Ntfy      `koanf:"ntfy"`
	Text     bool      `koanf:"text"`
	BaseURL  string    `koanf:"base_url"`
}

// Guard says which actions are put to a person before they are carried out. See docs/guard.md.
type Guard struct {
	Enabled           bool           `koanf:"enabled"`
	Rules             []guard.Rule   `koanf:"rules"`
	InterruptOn       map[string]any `koanf:"interrupt_on"`
	DescriptionPrefix string         `koanf:"description_prefix"`
	File              string         `koanf:"file"`
	TaskConsents      bool           `koanf:"task_consents"`
	Expires           time.Duration  `koanf:"expires"`
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
	Roles     map[string]HostRole `koanf:"roles"`
}

// HostRole is what an agent is told to be, and what it may use. The one named main has the goal.
type HostRole struct {
	Description string   `koanf:"description" json:"description,omitempty"`
	Prompt      string   `koanf:"prompt" json:"prompt,omitempty"`
	Model       string   `koanf:"model" json:"model,omitempty"`
	Tools       []string `koanf:"tools" json:"tools,omitempty"`
	Roles       []string `koanf:"roles" json:"roles,omitempty"`
}

// Webhook is an endpoint that gets questions. Its secret is in the file, or in the
// environment variable SecretEnv.
type Webhook struct {
	URL       Address      `koanf:"url" json:"url"`
	Secret    model.Secret `koanf:"secret" json:"secret"`
	SecretEnv string       `koanf:"secret_env" json:"secret_env,omitempty"`
}

// Ntfy is a topic of an ntfy server.
type Ntfy struct {
	URL   Address      `koanf:"url"`
	Token model.Secret `koanf:"token"`
}

// MarshalJSON writes durations as they are written in the file.
func (c ClientCalls) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"wait": c.Wait.String(), "max_wait": c.MaxWait.String()})
}
