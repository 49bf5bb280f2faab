package inquiry

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
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

// String is u in words, "" for nil.
func (u *Spending) String() string {
	if u == nil {
		return ""
	}
	s := fmt.Sprintf("calls %d, tokens sent %d, received %d, %.1f s", u.Calls, u.PromptTokens,
		u.CompletionTokens, float64(u.TookMS)/1000)
	if u.Cost > 0 {
		s += fmt.Sprintf(", cost %.6f", u.Cost)
	}
	return s
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
	Task string `json:"task,omitempty"`
	Text string `json:"text"`
	// what is asked for, by kind; nil in a question that is new means the kind's default
	Body Body `json:"-"`
	// through which it can be answered; those that ask actively in their order
	Channels      []Channel `json:"channels,omitempty"`
	DefaultAnswer string    `json:"default_answer,omitempty"`
	OnTimeout     OnTimeout `json:"on_timeout,omitempty"`
	// the channels of models that are asked instead when a reply of the type comes
	Fallback map[Type]string `json:"fallback,omitempty"`
	// the reply that came, while a model is asked in its place and after
	Deferred   *Resolution `json:"deferred,omitempty"`
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
	// the store's own, of an open question: the program that carried out its run has ended
	LeftBehind bool `json:"left_behind,omitempty"`
	// Elsewhere says that another process has asked it for a run, and is alive. Its clock, which
	// has set the deadlines, says when they are over.
	Elsewhere bool `json:"-"`
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

// Channel is a way in which a question reaches a person or a program that may answer it.
type Channel struct {
	// a reply mode, or a channel where questions are listed, for example ChannelPage
	Name string `json:"channel"`
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
	if q.Body != nil {
		q.Body = q.Body.Clone()
	}
	q.Channels = slices.Clone(q.Channels)
	q.RememberFor = slices.Clone(q.RememberFor)
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

// erased is a copy of q without the words of a secret answer.
func erased(q Question) Question {
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

// Settle makes an open question a settled one. It is a secret one when its answer is.
func (q *Question) Settle(to Status, r Resolution) {
	q.Status, q.Resolution = to, &r
	switch r.Type {
	case TypeAnswer, TypeDone, TypeCouldNot:
		q.Secret = r.Response.IsSecret()
	}
}

// Kind is what sort of decision a question wants.
type Kind string

// The kinds of questions.
const (
	KindInfo     Kind = "info"     // the agent on the phone needs a piece of information
	KindInquiry  Kind = "inquiry"  // any other agent asks
	KindApproval Kind = "approval" // an action waits for consent
	KindTakeover Kind = "takeover" // a person is to do something on the phone
)

// Body is what a question asks for, and how such a question behaves. A kind of question embeds
// [Words] and overrides what it does in its own way.
//
// A body is not changed once its question is stored. Its fields are part of the question's JSON,
// beside those of [Question].
type Body interface {
	Content
	settling
	Conversation
}

// Content is what a body holds, and what follows from that.
type Content interface {
	// Kind returns the kind that every question with such a body has. It is "" if the asker chooses
	// between KindInfo and KindInquiry.
	Kind() Kind
	// Waits says how a run stands that waits for the answer.
	Waits() Waits
	// Silence returns what silence leads to where the asker says nothing else: words is the setting
	// for questions in words, and acts the one for actions that wait for a decision.
	Silence(words, acts OnTimeout) OnTimeout
	// Clone returns a copy that shares nothing with the body.
	Clone() Body
	// Check reports what is wrong with a new question, and brings its values into the form in which
	// they are kept.
	Check(q *Question, o *Options) error
	// Prefill returns the body with a draft of the answer as its default.
	Prefill(draft string) Body
	// Details lists by name what the question has beside its text.
	Details() []Detail
	// Sort says in a few words what sort of answer the question wants, for a list of questions.
	Sort() string
}

// settling is how replies to a question are checked.
type settling interface {
	// Types lists the types of replies that the question takes.
	Types(q *Question) []Type
	// Unfit says why a reply of a type that is not among Types is not taken. "" leaves it to the
	// general words.
	Unfit(q *Question, t Type) string
	// Means returns the type of reply that an answer in these words amounts to.
	Means(words string) Type
	// Tidy brings what was said to the question into the form in which it is kept.
	Tidy(q *Question, said string) string
	// Take checks a reply of one of the Types, and returns the part that is kept: its type, its
	// response and its decisions. It is not called with TypeTimeout.
	Take(q *Question, r Reply, o *Options) (Resolution, error)
	// Permit returns why somebody with the authority may not settle the question; nil if they may.
	Permit(authority string) *ForbiddenError
}

// Conversation is how words of people become replies.
type Conversation interface {
	// Offers lists what can be said to the question other than an answer in words.
	Offers() []Offer
	// Say makes a reply of one of the Offers and its words for each part of the question.
	Say(q *Question, said ...Said) (Reply, error)
	// Hear makes a reply of what somebody has said in a conversation, where no one is asked twice.
	Hear(q *Question, words string) Reply
	// Parts is how many times something has to be said for a whole reply.
	Parts() int
}

// Waits says how a run stands that waits for the answer to a question: its state in the store,
// which begins with "WAITING_", and its stop reason.
type Waits struct{ State, Reason string }

// Offer is something that can be said to a question other than an answer: a command at a terminal,
// a flag of the command line, a button of a page.
type Offer struct {
	Name  string `json:"name"`
	Words string `json:"words,omitempty"` // a placeholder for the words it takes, if it takes any
	Main  bool   `json:"main,omitempty"`  // it is the one to name if only one is named

	// its own flag of "taploop reply"; "" if it is a --decision
	Own string `json:"-"`
}

// Flag returns the flag of "taploop reply" that says it.
func (o Offer) Flag() string { return cmp.Or(o.Own, "--decision "+o.Name) }

// Detail is something that a question has beside its text, for people.
type Detail struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Full bool   `json:"-"` // it is for where all of a question is printed
}

// Said is one of a question's offers with its words. Without a name it is an answer.
type Said struct{ Name, Words string }
