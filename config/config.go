package config

import (
	"encoding/json"
	"time"

	"github.com/taploop/taploop/model"
)

// Config is every setting of taploop. Tags: koanf is the key below its group, default the default as text, help one line
// for people. A key's environment name is TAPLOOP_ and the key in upper case with _ for a dot.
type Config struct {
	DataDir   string            `koanf:"data_dir" help:"where sessions, frames and questions are kept; the default is taploop in the user's data folder"`
	ADB       ADB               `koanf:"adb"`
	HTTP      HTTP              `koanf:"http"`
	Model     Model             `koanf:"model"`
	Caption   Caption           `koanf:"caption"`
	Loop      Loop              `koanf:"loop"`
	Reply     Reply             `koanf:"reply"`
	Calls     Calls             `koanf:"calls"`
	Questions Questions         `koanf:"questions"`
	Notify    Notify            `koanf:"notify"`
	Privacy   string            `koanf:"privacy" default:"off" help:"off, or captions: no picture leaves over MCP"`
	Apps      map[string]string `koanf:"apps" help:"more app names: name to package"`
}

// ADB says how phones are reached.
type ADB struct {
	Server  string        `koanf:"server" help:"ADB server, host:port; the default is ADB's own variables, else 127.0.0.1:5037"`
	Path    string        `koanf:"path" help:"the adb binary that starts a server when none runs; the default is adb in PATH"`
	Timeout time.Duration `koanf:"timeout" default:"15s" help:"longest time for one command on a phone"`
	Serial  string        `koanf:"serial" help:"the phone to use; the default is ANDROID_SERIAL, else the only usable one"`
}

// HTTP says where the server listens.
type HTTP struct {
	Addr    string   `koanf:"addr" default:"127.0.0.1:8702" help:"address of the HTTP server; one that others can reach needs a token (taploop token create)"`
	Hosts   []string `koanf:"hosts" help:"names under which requests may arrive beside loopback ones, such as the name of a proxy in front; in the environment separated by commas"`
	Origins []string `koanf:"origins" help:"origins beside loopback ones that requests may carry, such as https://app.example of a program that is made of web pages; the server sends no CORS headers, so a page in a browser needs a proxy on its own origin; in the environment separated by commas"`
	URL     string   `koanf:"url" help:"where people reach the server, for links, such as https://phones.example of a proxy in front; the default is the address that it listens on"`

	Operators []string `koanf:"operators" help:"names of tokens whose bearers see and answer everybody's questions over HTTP, as the page does; in the environment separated by commas"`
}

// Model says which model decides, and how it is called.
type Model struct {
	BaseURL          string         `koanf:"base_url" default:"http://localhost:11434/v1" help:"OpenAI-compatible endpoint"`
	Name             string         `koanf:"name" default:"gelab-zero-4b-preview" help:"model name"`
	APIKey           model.Secret   `koanf:"api_key" help:"key of the endpoint"`
	APIKeyFile       string         `koanf:"api_key_file" help:"file that holds the key"`
	Dialect          string         `koanf:"dialect" default:"auto" help:"how the model is prompted and read: auto, gelab"`
	Lang             string         `koanf:"lang" default:"zh" help:"language of the prompts: zh, en"`
	Temperature      float64        `koanf:"temperature" default:"0.1" help:"sampling temperature; 0 is sent as 0"`
	TopP             float64        `koanf:"top_p" default:"0.95" help:"nucleus sampling"`
	FrequencyPenalty float64        `koanf:"frequency_penalty" default:"0" help:"frequency penalty"`
	MaxTokens        int            `koanf:"max_tokens" default:"4096" help:"longest reply, in tokens"`
	Timeout          time.Duration  `koanf:"timeout" default:"90s" help:"longest time for one attempt"`
	Retries          int            `koanf:"retries" default:"3" help:"further attempts after a failure that may pass"`
	ImageSize        string         `koanf:"image_size" default:"728x728" help:"size of the picture that the model gets, WxH, or full for the screen's own"`
	ImageQuality     int            `koanf:"image_quality" default:"85" help:"JPEG quality of that picture"`
	Extra            map[string]any `koanf:"extra" help:"further fields of the request body"`
	Record           string         `koanf:"record" help:"file to record the model's replies in"`
	Replay           string         `koanf:"replay" help:"file to replay the model's replies from, offline"`
}

// Caption says which model puts frames in words and answers under auto_reply. Empty values are those of Model.
type Caption struct {
	BaseURL    string         `koanf:"base_url" help:"endpoint; the default is model.base_url"`
	Name       string         `koanf:"name" help:"model; the default is model.name"`
	APIKey     model.Secret   `koanf:"api_key" help:"key; the default is model.api_key when the endpoint is the same"`
	APIKeyFile string         `koanf:"api_key_file" help:"file that holds the key"`
	Lang       string         `koanf:"lang" help:"language; the default is model.lang"`
	Timeout    time.Duration  `koanf:"timeout" help:"longest time for one attempt; the default is model.timeout"`
	Retries    int            `koanf:"retries" default:"3" help:"further attempts after a failure that may pass"`
	Extra      map[string]any `koanf:"extra" help:"further fields of the request body"`
}

// Loop bounds a run.
type Loop struct {
	MaxSteps      int           `koanf:"max_steps" default:"40" help:"most steps of one call, whatever the caller asks"`
	MaxTime       time.Duration `koanf:"max_time" default:"30m" help:"longest time of one call's steps"`
	SettleTimeout time.Duration `koanf:"settle_timeout" default:"3s" help:"longest wait for the screen to settle after an action"`
}

// Reply says what happens to a question.
type Reply struct {
	Mode string `koanf:"mode" default:"pass_to_client" help:"pass_to_client, elicit, manual_reply, auto_reply or no_reply, or several in turn: manual_reply (60s) -> auto_reply"`
}

// Calls bounds the calls of MCP clients.
type Calls struct {
	Wait        time.Duration `koanf:"wait" default:"45s" help:"how long a call waits for its run"`
	MaxWait     time.Duration `koanf:"max_wait" default:"90s" help:"longest wait that a call may ask for"`
	Heartbeat   time.Duration `koanf:"heartbeat" default:"10s" help:"time between progress messages of a waiting call"`
	DetachGrace time.Duration `koanf:"detach_grace" default:"120s" help:"how long a run goes on with nobody attached"`

	Clients map[string]ClientCalls `koanf:"clients" help:"other waits for some clients, by the name that each gives itself: {NAME: {wait: 20s, max_wait: 40s}}"`
}

// ClientCalls are the waits of one client. Zero keeps those of Calls.
type ClientCalls struct {
	Wait    time.Duration `koanf:"wait"`
	MaxWait time.Duration `koanf:"max_wait"`
}

// Questions bounds questions to people.
type Questions struct {
	Attention time.Duration `koanf:"attention" default:"600s" help:"how long a question is waited for before it counts as silence; at most ttl"`
	TTL       time.Duration `koanf:"ttl" default:"24h" help:"how long a question can be answered at all"`
	PerRun    int           `koanf:"per_run" default:"20" help:"most questions of one run"`
	OnTimeout string        `koanf:"on_timeout" default:"pause" help:"pause, continue_without_answer, auto_reply or abort"`
}

// Notify says who is told that a question waits. See docs/notifications.md.
type Notify struct {
	Webhooks []Webhook `koanf:"webhooks" help:"endpoints that are told of every question, signed: [{url: https://hooks.example/x, secret_env: TAPLOOP_WEBHOOK_SECRET}]"`
	Ntfy     Ntfy      `koanf:"ntfy"`
	Text     bool      `koanf:"text" default:"true" help:"whether a notification says what is asked; whoever knows the name of an open ntfy topic can read it"`
	BaseURL  string    `koanf:"base_url" help:"what links in notifications begin with, such as https://phones.example; the default is the HTTP server's own address"`
}

// Webhook is an endpoint that is told of questions. Its secret is in the file, or in the environment variable SecretEnv.
type Webhook struct {
	URL       Address      `koanf:"url" json:"url"`
	Secret    model.Secret `koanf:"secret" json:"secret"`
	SecretEnv string       `koanf:"secret_env" json:"secret_env,omitempty"`
}

// Ntfy is a topic of an ntfy server.
type Ntfy struct {
	URL   Address      `koanf:"url" help:"ntfy topic that gets a push for each question, such as https://ntfy.sh/TOPIC"`
	Token model.Secret `koanf:"token" help:"access token of the topic, from the environment only"`
}

// MarshalJSON writes durations as they are written in the file.
func (c ClientCalls) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"wait": c.Wait.String(), "max_wait": c.MaxWait.String()})
}
