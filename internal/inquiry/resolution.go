package inquiry

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

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
	// one of the authorities; "" when no one answered
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

func (r *Resolution) clone() *Resolution {
	if r == nil {
		return nil
	}
	c := *r
	c.Decisions = slices.Clone(r.Decisions)
	return &c
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
	ChannelSuite       = "suite"        // a suite of tests, which its author has written before
	ChannelMemory      = "memory"       // an answer that was remembered
	ChannelTimer       = "timer"        // no one answered in time
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

// Scope says for which questions an answer is remembered; "" remembers nothing.
type Scope string

// The scopes.
const (
	ThisSession Scope = "session" // of the same session
	ThisApp     Scope = "app"     // asked while the same app is in front
	Always      Scope = "always"  // of the same client
)

// Scopes are all of them, the narrowest first.
var Scopes = []Scope{ThisSession, ThisApp, Always}

// Who names who settled a question, for people: "Ann through page", or the channel alone, or "the
// model fast". Of an answer that a model has drafted it says so.
func (r Resolution) Who() string {
	who := r.By + " through " + r.Channel
	switch {
	case r.By == "":
		who = cmp.Or(r.Channel, "somebody")
	case r.Channel == ChannelModel:
		who = "the model " + r.By
	}
	if r.Unedited != "" {
		who += ", who sent the unedited draft of " + r.Unedited
	}
	return who
}

// Authorized is [Resolution.Who] with the authority in parentheses, when there is one.
func (r Resolution) Authorized() string {
	if r.Authority == "" {
		return r.Who()
	}
	return r.Who() + " (" + r.Authority + ")"
}

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

// status is what a reply makes of a question.
func (r *Resolution) status() Status {
	if r.Type == TypeDecline {
		return Refused
	}
	return Answered
}
