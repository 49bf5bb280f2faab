package config

import (
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/model"
)

// Reply says what happens to a question.
type Reply struct {
	Mode string `koanf:"mode"`
}

// Questions bounds questions to people.
type Questions struct {
	Attention time.Duration `koanf:"attention"`
	TTL       time.Duration `koanf:"ttl"`
	PerRun    int           `koanf:"per_run"`
	OnTimeout string        `koanf:"on_timeout"`
	OnRefusal string        `koanf:"on_refusal"`
	Draft     string        `koanf:"draft"`
	// about an action, where silence is never consent
	OnUndecided    string `koanf:"on_undecided"`
	ProgramsDecide bool   `koanf:"programs_decide"`
}

// Notify says who learns that a question waits. See docs/notifications.md.
type Notify struct {
	Webhooks []Webhook `koanf:"webhooks"`
	Ntfy     Ntfy      `koanf:"ntfy"`
	Text     bool      `koanf:"text"`
	BaseURL  string    `koanf:"base_url"`
	Events   []string  `koanf:"events"`
	Answers  bool      `koanf:"answers"`
}

// Webhook is an endpoint that gets questions. Its secret is in the file, or in the
// environment variable SecretEnv.
type Webhook struct {
	URL       address      `koanf:"url" json:"url"`
	Secret    model.Secret `koanf:"secret" json:"secret"`
	SecretEnv string       `koanf:"secret_env" json:"secret_env,omitempty"`
}

// Ntfy is a topic of an ntfy server.
type Ntfy struct {
	URL   address      `koanf:"url"`
	Token model.Secret `koanf:"token"`
}

// When a judge is asked, other than Off.
const (
	unsure = "unsure" // about labels that the guard does not know
	Always = "always" // about all that can be touched
)

// Guard says which actions are put to a person before they are carried out. See docs/guard.md.
type Guard struct {
	Enabled           bool           `koanf:"enabled"`
	Rules             []guard.Rule   `koanf:"rules"`
	InterruptOn       map[string]any `koanf:"interrupt_on"`
	DescriptionPrefix string         `koanf:"description_prefix"`
	File              string         `koanf:"file"`
	TaskConsents      bool           `koanf:"task_consents"`
	Expires           time.Duration  `koanf:"expires"`
	Judge             string         `koanf:"judge"`
	JudgeModel        string         `koanf:"judge_model"`
	JudgeTimeout      time.Duration  `koanf:"judge_timeout"`
	JudgeTokens       int            `koanf:"judge_tokens"`
}

// Judges reports whether a model is asked what touches do. A guard that is off asks none.
func (g *Guard) Judges() bool { return g.Enabled && g.Judge != Off }

var questionSettings = []setting{
	{"reply.mode", "pass_to_client", nil},

	{"questions.attention", "600s", positive},
	{"questions.ttl", "24h", positive},
	{"questions.per_run", "20", between(1, 1000)},
	{"questions.on_timeout", "pause", orDecider("pause", "continue_without_answer", "auto_reply",
		"auto", "abort")},
	{"questions.on_refusal", "continue_without_answer", orDecider("continue_without_answer")},
	{"questions.draft", "", orDecider("")},
	{"questions.on_undecided", "pause", oneOf("pause", "reject")},
	{"questions.programs_decide", "false", nil},

	{"notify.text", "true", nil},
	{"notify.events", "inquiry.*", notices},
	{"notify.answers", "false", nil},
	{"notify.base_url", "", page},

	{"guard.enabled", "true", nil},
	{"guard.task_consents", "true", nil},
	{"guard.expires", "10m", positive},
	{"guard.judge", unsure, oneOf(Off, unsure, Always)},
	{"guard.judge_timeout", "5s", positive},
	{"guard.judge_tokens", "20000", between(1, 10_000_000)},
}
