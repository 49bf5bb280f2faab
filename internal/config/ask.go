package config

import (
	"time"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry/channel"
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
	{"reply.mode", "pass_to_client", nil,
		channel.Names(channel.Steps()) + ", model:NAME of models, or several in turn: " +
			"manual_reply (60s) -> model:NAME -> auto_reply"},

	{"questions.attention", "600s", positive,
		"how long a question is waited for before it counts as silence; at most ttl"},
	{"questions.ttl", "24h", positive, "how long a question can be answered at all"},
	{"questions.per_run", "20", between(1, 1000), "most questions of one run"},
	{"questions.on_timeout", "pause", orDecider("pause", "continue_without_answer", "auto_reply",
		"auto", "abort"),
		"pause, continue_without_answer, auto_reply or abort; or model or model:NAME, which lets " +
			"a deciding model answer (docs/notifications.md#deciding-models)"},
	{"questions.on_refusal", "continue_without_answer", orDecider("continue_without_answer"),
		"what happens when a person refuses to answer: continue_without_answer, which tells the " +
			"agent so; or model or model:NAME, which asks a deciding model first"},
	{"questions.draft", "", orDecider(""),
		"model or model:NAME drafts an answer to each question, which the page, the console, " +
			"forms and results of calls show, to be sent or edited; empty means no drafts"},
	{"questions.on_undecided", "pause", oneOf("pause", "reject"),
		"what silence about an action leads to that waits for a decision: pause, which keeps the " +
			"question open, or reject; silence is never consent"},
	{"questions.programs_decide", "false", nil,
		"lets the models of MCP clients, and tokens that are not a person's, decide about " +
			"sensitive actions, too; about critical ones only people do"},

	{"notify.webhooks", "", nil,
		"endpoints that are told of every question, signed: [{url: https://hooks.example/x, " +
			"secret_env: TAPLOOP_WEBHOOK_SECRET}]"},
	{"notify.ntfy.url", "", nil,
		"ntfy topic that gets a push for each question, such as https://ntfy.sh/TOPIC"},
	{"notify.ntfy.token", "", nil, "access token of the topic, from the environment only"},
	{"notify.text", "true", nil,
		"whether a notification says what is asked; whoever knows the name of an open ntfy " +
			"topic can read it"},
	{"notify.events", "inquiry.*", notices,
		"which events are told: inquiry.* are those of questions, run.completed, run.failed, " +
			"run.paused, phone.lost and schedule.missed others; run.* are all of runs, * is " +
			"all; in the environment separated by commas"},
	{"notify.answers", "false", nil, "whether run.completed has the answer of the run"},
	{"notify.base_url", "", page,
		"what links in notifications begin with, such as https://phones.example; the default " +
			"is the HTTP server's own address"},

	{"guard.enabled", "true", nil,
		"whether actions that may do harm are put to a person before they are carried out " +
			"(docs/guard.md); critical ones, such as paying, still are unless it is false in the " +
			"configuration file"},
	{"guard.rules", "", nil,
		"rules of your own, the first that matches wins, before the built-in ones: [{action: " +
			"CLICK, app: com.example.*, when: 'element.text contains \"Publish\"', decision: " +
			"ask, severity: critical}]"},
	{"guard.interrupt_on", "", nil,
		"rules in LangChain's form, behind those of guard.rules: {ACTION: true}, false, or " +
			"{allowed_decisions: [approve, reject], description: TEXT}"},
	{"guard.description_prefix", "", nil,
		"what the description of an action begins with whose rule has none"},
	{"guard.file", "", nil,
		"file of further rules: a list of them, or rules and interrupt_on; behind guard.rules"},
	{"guard.task_consents", "true", nil,
		"whether an action that the task asks for in words is carried out without a person, such " +
			"as sending; never a critical one"},
	{"guard.expires", "10m", positive,
		"how long an approval holds; an action that is approved later is asked about again"},
	{"guard.judge", unsure, oneOf(Off, unsure, Always),
		"whether a model says which labels pay, send, delete, or do what else cannot be undone " +
			"(docs/guard.md): unsure asks about labels that the guard does not know, always " +
			"about all that can be touched; it only adds to what is asked"},
	{"guard.judge_model", "", nil,
		"the judging model, a name of models; the default is the model that acts"},
	{"guard.judge_timeout", "5s", positive,
		"how long a touch waits for the judging model; later the label counts as unknown"},
	{"guard.judge_tokens", "20000", between(1, 10_000_000), "most tokens of judging in a run"},
}
