package inquiry

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"
)

// Kind is what sort of decision a question wants.
type Kind string

// The kinds of questions.
const (
	KindInfo     Kind = "info"     // the agent on the phone needs a piece of information
	KindInquiry  Kind = "inquiry"  // any other agent asks
	KindApproval Kind = "approval" // an action waits for consent
	KindTakeover Kind = "takeover" // a person is to do something on the phone
)

// Status is where a question stands.
type Status string

// The statuses of a question. Every one but Pending is final.
const (
	Pending   Status = "pending"
	Answered  Status = "answered"
	Refused   Status = "refused"
	TimedOut  Status = "timed_out"
	Withdrawn Status = "withdrawn"
	Expired   Status = "expired"
)

// OnTimeout is what silence until AttentionUntil leads to. Silence is neither consent nor refusal.
type OnTimeout string

// What silence leads to. "" means Pause.
const (
	Pause OnTimeout = "pause" // the question stays answerable until ExpiresAt
	// it stays answerable; the owner lets a model answer in the person's place
	AskModel OnTimeout = "auto_reply"
	// it stays answerable; the owner lets the deciding model answer: of several, the one that is
	// named behind a colon
	AskDecider OnTimeout = "model"
	GoOn       OnTimeout = "continue_without_answer" // it is settled as timed out
	// it is settled as timed out, with DefaultAnswer
	Default OnTimeout = "default_answer"
	// it is settled as timed out, and the owner ends the run
	GiveUp OnTimeout = "abort"
	// of an Approval: it is settled as timed out, and nothing is carried out
	RejectAll OnTimeout = "reject"
)

// Model is the channel of the model that answers on silence; "" when none does.
func (o OnTimeout) Model() string {
	if o == AskModel || o == AskDecider || strings.HasPrefix(string(o), string(AskDecider)+":") {
		return string(o)
	}
	return ""
}

// Kind is o without the name of a model.
func (o OnTimeout) Kind() OnTimeout {
	kind, _, _ := strings.Cut(string(o), ":")
	return OnTimeout(kind)
}

// Spending is what the models have cost that were asked about a question.
type Spending struct {
	Calls            int     `json:"calls"`
	PromptTokens     int     `json:"prompt_tokens"`
	CompletionTokens int     `json:"completion_tokens"`
	TookMS           int64   `json:"took_ms"`
	Cost             float64 `json:"cost,omitempty"` // where models have a price, in its currency
}

// Plus is u and more; u may be nil.
func (u *Spending) Plus(more Spending) *Spending {
	if u != nil {
		more.Calls += u.Calls
		more.PromptTokens += u.PromptTokens
		more.CompletionTokens += u.CompletionTokens
		more.TookMS += u.TookMS
		more.Cost += u.Cost
	}
	return &more
}

// Suggestion is an answer that a model has drafted, for whoever answers to send or to edit.
type Suggestion struct {
	Answer string `json:"answer"` // fit for a reply; of a form its values
	By     string `json:"by"`     // the model
}

// Question is one thing that waits for a person. Everything that is needed to show it is in it; no
// field is HTML.
type Question struct {
	ID        string `json:"question_id"`
	SessionID string `json:"session_id,omitempty"`
	RunID     string `json:"run_id,omitempty"`
	// whom a question without a session belongs to, as a session's client
	Client string `json:"client,omitempty"`
	// of Client's own making: asked again it is the same question
	Key string `json:"key,omitempty"`
	// index within the session of the step that asks
	Step int  `json:"step,omitempty"`
	Kind Kind `json:"kind"`
	// what the question is about, for the one who answers
	Task     string   `json:"task,omitempty"`
	Text     string   `json:"text"`
	Options  []string `json:"options,omitempty"`
	FreeText bool     `json:"free_text,omitempty"` // an answer besides the Options is fine
	// a form: the answer is one JSON object with a value for each
	Fields []Field `json:"fields,omitempty"`
	// of an Approval: what is to be decided on, one decision each, in this order
	ActionRequests []ActionRequest `json:"action_requests,omitempty"`
	ReviewConfigs  []ReviewConfig  `json:"review_configs,omitempty"` // of each name once
	Severity       Severity        `json:"severity,omitempty"`
	// only people decide: of an Approval the broker's own, of a Takeover as the asker says
	PeopleOnly bool    `json:"people_only,omitempty"`
	Element    string  `json:"element,omitempty"` // what is under the finger
	Reason     string  `json:"reason,omitempty"`  // why it is asked
	Rule       string  `json:"rule,omitempty"`    // that asks
	Places     []Place `json:"places,omitempty"`  // of the Frame that are touched
	// what the decision is about, in the words of who asked
	Bound string `json:"bound,omitempty"`
	// Markdown to edit: the answer is the whole text
	Draft string `json:"draft,omitempty"`
	// through which it can be answered; those that ask actively in their order
	Channels      []Channel `json:"doors,omitempty"`
	DefaultAnswer string    `json:"default_answer,omitempty"`
	OnTimeout     OnTimeout `json:"on_timeout,omitempty"`
	// the channels of models that are asked instead when a reply of the type comes
	Fallback map[Type]string `json:"pass_on,omitempty"`
	// the reply that came, while a model is asked in its place and after
	Deferred   *Resolution `json:"passed,omitempty"`
	Suggestion *Suggestion `json:"suggestion,omitempty"`
	Usage      *Spending   `json:"usage,omitempty"`  // nil when no model was asked about it
	Secret     bool        `json:"secret,omitempty"` // the answer must not be shown anywhere
	// whoever asks said that the answer is no secret, whatever it is
	Public bool   `json:"public,omitempty"`
	App    string `json:"app,omitempty"` // package in front when it was asked
	// the broker's own: for which a person can have an answer remembered
	RememberFor []Scope `json:"remember_for,omitempty"`
	Frame       string  `json:"screenshot,omitempty"`
	Round       int     `json:"round"`
	// the run's fence when it asked; an answer is applied under the same fence only
	Fence          int64       `json:"-"`
	AskedAt        time.Time   `json:"asked_at"`
	AttentionUntil time.Time   `json:"attention_until"`
	ExpiresAt      time.Time   `json:"expires_at"`
	Status         Status      `json:"status"`
	Resolution     *Resolution `json:"resolution,omitempty"`
	AppliedAt      time.Time   `json:"applied_at,omitzero"`
	Routing        Routing     `json:"-"` // of an open question
}

// Routing says whose turn it is to answer a question that goes from channel to channel. The zero
// value is that of a question which does not.
type Routing struct {
	// its channel's name; "" when every channel has had its time
	Channel string    `json:"channel,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	Trouble string    `json:"trouble,omitempty"` // why the last channel that gave up had no answer
	Router  string    `json:"router,omitempty"`  // who takes the question from channel to channel
	Resume  string    `json:"resume,omitempty"`  // of Question.Deferred
}

// Type is the way in which a question was settled.
type Type string

// The ways. Down to TypeTimeout they are for replies; the others are the broker's own.
const (
	TypeAnswer    Type = "answer"
	TypeDecisions Type = "decisions" // about an Approval's actions
	TypeDecline   Type = "decline"
	TypeDone      Type = "done"      // what was to be done on the phone is done
	TypeCouldNot  Type = "could_not" // it could not be done
	TypeDelegate  Type = "delegate"  // whoever asks decides; never about an act, or a secret
	TypeTimeout   Type = "timeout"   // no answer comes in time: as OnTimeout says
	TypeDefault   Type = "default_answer"
	TypeWithdraw  Type = "withdraw"
	TypeExpire    Type = "expire"
)

// Resolution is how a question was settled: what, through which channel, with whose authority,
// when.
type Resolution struct {
	Type     Type   `json:"type"`
	Response Answer `json:"response"` // of TypeDecisions: them in words
	// one for each of the question's requests
	Decisions []Decision `json:"decisions,omitempty"`
	Channel   string     `json:"channel"` // one of the channels
	// one of the authorities; "" when nobody answered
	Authority string `json:"authority,omitempty"`
	// a name for people, for example a token's; may be ""
	By  string `json:"by,omitempty"`
	Why string `json:"why,omitempty"` // the reason of a withdrawal
	// the model whose draft the answer is, sent as it was
	Unedited string    `json:"unedited_draft_of,omitempty"`
	ReplyID  string    `json:"reply_id,omitempty"`
	At       time.Time `json:"at"`
	Remember Scope     `json:"remember,omitempty"` // for which other questions it counts as well
	Recalled string    `json:"recalled,omitempty"` // id of the remembered answer that this is

	Resume json.RawMessage `json:"-"` // as in Reply
}

// Channel is a way in which a question reaches a person or a program that may answer it.
type Channel struct {
	// a reply mode, or a channel where questions are listed, for example ChannelPage
	Name string `json:"door"`
	// when the next channel is asked; zero: as long as the question is open
	Until time.Time `json:"until,omitzero"`
	Asks  bool      `json:"asks,omitempty"` // it asks now: not stored here, see Question.Routing
}

// Index is the place of the named channel among the question's, or -1.
func (q Question) Index(channel string) int {
	return slices.IndexFunc(q.Channels, func(c Channel) bool { return c.Name == channel })
}

// Open reports whether the question can still be settled.
func (q Question) Open() bool { return q.Status == Pending }

// Waited is how long the question has waited for an answer: until it was settled, or until now.
func (q Question) Waited(now time.Time) time.Duration {
	if q.Resolution != nil {
		now = q.Resolution.At
	}
	return max(now.Sub(q.AskedAt), 0)
}

// String names the question and its status, and says nothing of the answer.
func (q Question) String() string {
	return fmt.Sprintf("question %s (%s, %s)", q.ID, q.Kind, q.Status)
}

// Clone is a copy that shares nothing with q.
func (q Question) Clone() Question {
	q.Options = append([]string(nil), q.Options...)
	q.Channels = append([]Channel(nil), q.Channels...)
	q.Fields = slices.Clone(q.Fields)
	for i := range q.Fields {
		q.Fields[i] = q.Fields[i].clone()
	}
	q.RememberFor = slices.Clone(q.RememberFor)
	q.ActionRequests = slices.Clone(q.ActionRequests) // whose arguments are never changed
	q.ReviewConfigs, q.Places = slices.Clone(q.ReviewConfigs), slices.Clone(q.Places)
	q.Fallback = maps.Clone(q.Fallback)
	q.Resolution, q.Deferred = q.Resolution.clone(), q.Deferred.clone()
	if q.Suggestion != nil {
		q.Suggestion = new(*q.Suggestion)
	}
	if q.Usage != nil {
		q.Usage = q.Usage.Plus(Spending{})
	}
	return q
}

func (r *Resolution) clone() *Resolution {
	if r == nil {
		return nil
	}
	c := *r
	c.Decisions = slices.Clone(r.Decisions)
	return &c
}

// erased is a copy of q without the words of a secret answer.
func (q Question) erased() Question {
	q = q.Clone()
	if q.Resolution != nil {
		q.Resolution.Response = q.Resolution.Response.Erased()
	}
	return q
}

// NewID is 128 random bits in the layout of a UUID.
func NewID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Applicable reports why the answer may not be applied by the run's life fence: ErrPending,
// ErrApplied or ErrFenced; nil when it may.
func (q Question) Applicable(fence int64) error {
	switch {
	case q.Open():
		return ErrPending
	case !q.AppliedAt.IsZero():
		return ErrApplied
	case q.Fence != fence:
		return ErrFenced
	}
	return nil
}

// Settle makes an open question a settled one. It is a secret one when its answer is.
func (q *Question) Settle(to Status, r Resolution) {
	q.Status, q.Resolution = to, &r
	switch r.Type {
	case TypeAnswer, TypeDone, TypeCouldNot:
		q.Secret = r.Response.IsSecret()
	}
}

// The channels through which questions are settled. The standing ones are listed under
// the same names by the questions that can be answered there.
const (
	ChannelClient      = "client"       // the caller of the process, which says no more
	ChannelMCP         = "mcp"          // a tool call
	ChannelElicit      = "elicit"       // a form that the client showed its user
	ChannelHTTP        = "http"         // the API
	ChannelPage        = "page"         // the inbox page
	ChannelConsole     = "console"      // the terminal of the process that carries the run out
	ChannelCommandLine = "command_line" // another process of the same user
	ChannelModel       = "model"        // a model in a person's place
	ChannelMemory      = "memory"       // an answer that was remembered
	ChannelTimer       = "timer"        // nobody answered in time
	ChannelRun         = "run"          // the run needs no answer any more
)

// The authorities with which questions are answered: the first three are people, the others are
// models and programs. Older rows have AuthorityHumanToken for a program's answer in words, too.
const (
	AuthorityClientUI      = "client_ui"      // the user of an MCP client
	AuthorityHumanToken    = "human_token"    // the holder of a person's token or a login
	AuthorityLocalOperator = "local_operator" // a user who may run programs as the server's user
	AuthorityClientModel   = "client_model"   // the model of an MCP client, for its user as it says
	AuthorityAgent         = "agent"          // a model of ours
	AuthorityToken         = "token"          // a program with a token that is not a person's
)

// IsPerson reports whether somebody with the authority is a person.
func IsPerson(authority string) bool {
	switch authority {
	case AuthorityClientUI, AuthorityHumanToken, AuthorityLocalOperator:
		return true
	}
	return false
}

// Masked is what stands for a secret answer wherever it is printed.
const Masked = "[secret]"

// Answer is the words of an answer. A secret one masks itself in every print, log and encoding;
// only [Answer.Reveal] gives its words. The zero value is an empty, plain answer. Compare answers
// by their words, not with ==.
type Answer struct {
	// A pointer, because fmt prints a nested field raw when the verb does not suit the struct
	// around it: then it prints an address.
	text   *string
	secret bool
}

// Plain is an answer that may be shown.
func Plain(text string) Answer { return Answer{text: words(text)} }

// Secret is an answer that may not be shown.
func Secret(text string) Answer { return Answer{text: words(text), secret: true} }

// words is nil for "", so that equal answers are deeply equal.
func words(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Reveal gives the words, even of a secret answer. It is "" once a secret answer was erased.
func (a Answer) Reveal() string {
	if a.text == nil {
		return ""
	}
	return *a.text
}

// IsSecret reports whether the answer masks itself.
func (a Answer) IsSecret() bool { return a.secret }

// Erased is the answer without its words when it is secret, and the answer itself otherwise.
func (a Answer) Erased() Answer {
	if a.secret {
		return Secret("")
	}
	return a
}

func (a Answer) String() string {
	if a.secret {
		return Masked
	}
	return a.Reveal()
}

// Format masks a secret answer under every verb, even those that would print a struct's fields.
func (a Answer) Format(f fmt.State, verb rune) {
	switch verb {
	case 's', 'v', 'q', 'x', 'X':
		fmt.Fprintf(f, fmt.FormatString(f, verb), a.String())
	default:
		fmt.Fprintf(f, "%%!%c(inquiry.Answer=%s)", verb, a.String())
	}
}

// LogValue masks a secret answer in logs.
func (a Answer) LogValue() slog.Value { return slog.StringValue(a.String()) }

// MarshalText masks a secret answer, so JSON, YAML and XML hold the mask.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads a plain answer.
func (a *Answer) UnmarshalText(b []byte) error {
	*a = Plain(string(b))
	return nil
}
