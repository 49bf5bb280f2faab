package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/screen"
)

// Model says which model decides, and how it is called.
type Model struct {
	BaseURL          string         `koanf:"base_url"`
	Name             string         `koanf:"name"`
	APIKey           model.Secret   `koanf:"api_key"`
	APIKeyFile       string         `koanf:"api_key_file"`
	APIKeyEnv        string         `koanf:"api_key_env"`
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

// profile is a model under a name: keys of the group model with their values. Naming it
// in the place of a model's name takes over all of them. Printed, it shows no key.
type profile map[string]any

// masked is p without its key.
func (p profile) masked() map[string]any {
	m := maps.Clone(map[string]any(p))
	if m["api_key"] != nil {
		m["api_key"] = "[secret]"
	}
	return m
}

// String implements fmt.Stringer.
func (p profile) String() string { return fmt.Sprint(p.masked()) }

// GoString implements fmt.GoStringer.
func (p profile) GoString() string { return fmt.Sprintf("%#v", p.masked()) }

// MarshalJSON implements json.Marshaler.
func (p profile) MarshalJSON() ([]byte, error) { return json.Marshal(p.masked()) }

var modelSettings = []setting{
	{"model.base_url", "http://localhost:11434/v1", nil, "OpenAI-compatible endpoint"},
	{"model.name", "gelab-zero-4b-preview", nil, "model name"},
	{"model.api_key", "", nil, "key of the endpoint"},
	{"model.api_key_file", "", nil, "file that holds the key"},
	{"model.api_key_env", "", nil, "environment variable that holds the key, such as " +
		"OPENAI_API_KEY; api_key and api_key_file come first"},
	{"model.dialect", "auto", nil,
		"how the model is prompted and read: " + strings.Join(families.Known.Names(), ", ")},
	{"model.lang", Auto, languageOrAuto,
		"language of the prompts: zh, en; auto is the one in which the model's family was " +
			"trained (GELab: zh), or else the task's"},
	{"model.prompt_template", "", nil,
		"file with a template of the prompt, in the place of the dialect's own " +
			"(docs/prompts.md); taploop prompt check says what it lacks"},
	{"model.temperature", "0.1", between(0, 2), "sampling temperature; 0 is sent as 0"},
	{"model.top_p", "0.95", between(0, 1), "nucleus sampling"},
	{"model.frequency_penalty", "0", between(-2, 2), "frequency penalty"},
	{"model.max_tokens", "4096", between(1, 1<<20), "longest reply, in tokens"},
	{"model.timeout", "90s", positive, "longest time for one attempt"},
	{"model.retries", "3", between(0, 20), "further attempts after a failure that may pass"},
	{"model.coordinates", Auto, orAuto(screen.ParseCoordinates),
		"how the model writes places: 1000 or 999 for whole numbers up to there, 1 for " +
			"fractions, pixels for those of the picture that it is sent; where y comes first " +
			"with yx behind it, such as 1000 yx; auto is the dialect's own"},
	{"model.image_size", Auto, orAuto(screen.ParseFit),
		"size of the picture that the model gets: WxH, full for the screen's own, long=1280 for " +
			"a long side of at most as many pixels, or multiple=28,min=3136,max=12845056 for " +
			"sides that are multiples and bounds of the number of pixels; " +
			"auto is the dialect's own"},
	{"model.image_quality", "85", between(1, 100), "JPEG quality of that picture"},
	{"model.extra", "", nil, "further fields of the request body"},
	{"model.record", "", nil, "file to record the model's replies in"},
	{"model.replay", "", nil,
		"file to replay the model's replies from, offline; on another screen than the recorded " +
			"one the run stops as REPLAY_DIVERGED"},
	{"model.replay_or_model", "", nil,
		"file to replay the model's replies from; on another screen the model is asked from " +
			"there on, and the new recording is written to model.record, by default to the " +
			"file's name with .new behind it"},
	{"model.replay_tolerance", "0.001", between(0, 1),
		"share of the screen that may look otherwise than recorded"},
	{"model.replay_masks", "status_bar,home_clock", masks,
		"parts of the screen that a replay does not compare: status_bar (clock, battery), " +
			"home_clock (the upper part of a home screen), or left, top, width and height as " +
			"fractions of the screen, such as 0 0.4 1 0.1; a package in front of them, or home, " +
			"limits that to one app; in the environment separated by commas"},
	{"model.prompt_price", "0", between(0, 1e6),
		"price of a million tokens that are sent, in a currency of your choice; bench adds it " +
			"up; 0 means that it is not known"},
	{"model.reply_price", "0", between(0, 1e6), "price of a million tokens that come back"},

	{"models", "", nil,
		"models with names of their own, each with keys of the group model: {NAME: {base_url: " +
			"https://models.example/v1, name: some-model}}; NAME then stands wherever a model is " +
			"named (--model NAME), and what a profile leaves out is taken from model"},

	{"caption.base_url", "", nil, "endpoint; the default is model.base_url"},
	{"caption.name", "", nil, "model; the default is model.name"},
	{"caption.api_key", "", nil, "key; the default is model.api_key when the endpoint is the same"},
	{"caption.api_key_file", "", nil, "file that holds the key"},
	{"caption.lang", "", languageOrAuto, "language; the default is model.lang"},
	{"caption.timeout", "", positive, "longest time for one attempt; the default is model.timeout"},
	{"caption.retries", "3", between(0, 20), "further attempts after a failure that may pass"},
	{"caption.extra", "", nil, "further fields of the request body"},
}
