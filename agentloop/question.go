package agentloop

import (
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Question is something that a person is to answer before the run goes on.
type Question struct {
	Kind     string // KindInfo, or one of a Gate's own
	Text     string
	Options  []string // answers to choose from
	FreeText bool     // an answer besides the Options is fine
	Secret   *bool    // the answer must not be shown anywhere again; nil leaves it to the words
	Task     string
	Screen   screen.Observation
	Step     int // index within the session
	Round    int // 1 for a run's first question

	Review *Review        // of a KindApproval; nil for a question in words
	Action actions.Action // that a Gate asks about; the loop's own
}

// The kinds of questions that the loop asks itself.
const (
	KindInfo     = "info"     // of an INFO action
	KindTakeover = "takeover" // of one whose answer is an act: a person has the phone meanwhile
)

// KindApproval is the kind of a [Gate]'s question whether an action may be carried out.
const KindApproval = "approval"

// Review is what a person needs to know to decide about an action, and may decide. Its words are
// for people; those that stand on the phone's screen are quoted in them, and are content.
type Review struct {
	// of Approve, Edit, Reject and Respond; none allows all
	Allowed     []string
	Severity    string // routine, sensitive or critical; anything else is taken for critical
	Description string // the action in words
	Element     string // what is under the point, in words; "" when that is not known
	Rule        string // the rule that asks; may be ""
	Reason      string // why it asks
	// what the decision is about, in the gate's own form: it comes back in Ruling, for the gate to
	// compare with what is there by then
	Bound string
}

// What can be decided about an action.
const (
	Approve = "approve" // it is carried out
	Edit    = "edit"    // another one is carried out in its place
	Reject  = "reject"  // it is not carried out
	Respond = "respond" // it is not carried out; the message is the answer to it
)

// Ruling is what was decided about an action that a [Gate] asked about.
type Ruling struct {
	Type     string            `json:"type"`             // Approve, Edit, Reject or Respond
	Edited   *actions.Decision `json:"edited,omitempty"` // under Edit, with nothing but its Action
	Message  string            `json:"message,omitempty"`
	Severity string            `json:"severity,omitempty"` // of the action that was asked about
	Bound    string            `json:"bound,omitempty"`    // as in Review
	AskedAt  time.Time         `json:"asked_at"`
	At       time.Time         `json:"at"` // of the decision
}
