package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

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
	{"model.base_url", "http://localhost:11434/v1", nil},
	{"model.name", "gelab-zero-4b-preview", nil},
	{"model.dialect", "auto", nil},
	{"model.lang", Auto, languageOrAuto},
	{"model.temperature", "0.1", between(0, 2)},
	{"model.top_p", "0.95", between(0, 1)},
	{"model.frequency_penalty", "0", between(-2, 2)},
	{"model.max_tokens", "4096", between(1, 1<<20)},
	{"model.timeout", "90s", positive},
	{"model.retries", "3", between(0, 20)},
	{"model.coordinates", Auto, orAuto(screen.ParseCoordinates)},
	{"model.image_size", Auto, orAuto(screen.ParseFit)},
	{"model.image_quality", "85", between(1, 100)},
	{"model.replay_tolerance", "0.001", between(0, 1)},
	{"model.replay_masks", "status_bar,home_clock", masks},
	{"model.prompt_price", "0", between(0, 1e6)},
	{"model.reply_price", "0", between(0, 1e6)},

	{"caption.lang", "", languageOrAuto},
	{"caption.timeout", "", positive},
	{"caption.retries", "3", between(0, 20)},
}
