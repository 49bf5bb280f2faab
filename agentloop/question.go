package agentloop

import (
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Question is a question that a person answers before the run continues.
type Question struct {
	Kind     string // KindInfo, or one of a Gate's own
	Body     any    // what a question of a Gate's own kind has, in the form that the Parker knows
	Text     string
	Says     map[string]string // Text for people, by language, where it is known in several
	Options  []string          // answers to choose from
	FreeText bool              // an answer other than the Options is allowed
	Secret   *bool             // the answer must not be shown again, nil lets the words decide
	Personal bool              // only people may answer it
	Task     string
	Screen   screen.Observation
	Step     int // index within the session
	Round    int // 1 for a run's first question

	Review *Review        // of a KindApproval, nil for a question in words
	Action actions.Action // that a Gate asks about, set by the loop
	Hidden bool           // where Action touches is a secret, see actions.Decision
}

// The kinds of questions that the loop asks itself.
const (
	KindInfo     = "info"     // of an INFO action
	KindTakeover = "takeover" // of one whose answer is an act: a person has the phone meanwhile
)

// KindApproval is the kind of a [Gate]'s question whether an action may be carried out.
const KindApproval = "approval"

// Review has what a person needs to decide about an action, and the possible decisions. Its words
// are for people. Texts from the phone's screen are quoted in them as content.
type Review struct {
	// of Approve, Edit, Reject and Respond. Empty allows all
	Allowed     []string
	Severity    string // routine, sensitive or critical. Any other word means critical
	Description string // the action in words
	Element     string // the element under the point, in words, "" if unknown
	Rule        string // the rule that asks, or ""
	Reason      string // why it asks
	Act         any    // for people, in the form of who keeps the question; nil if it is not known
	// what the decision is about, in the gate's own form. Ruling returns it, for the gate to
	// compare with the screen at that time
	Bound string
	// what exactly is touched, which a person's leave may be for; "" if it is not known
	Target string
}

// What can be decided about an action.
const (
	Approve = "approve" // it is carried out
	Edit    = "edit"    // another one is carried out in its place
	Reject  = "reject"  // it is not carried out
	Respond = "respond" // it is not carried out, and the message answers it
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
