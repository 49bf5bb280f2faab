package agentloop

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// Proposal is a decision with the model calls that led to it.
type Proposal struct {
	actions.Decision
	Caption string         // the frame in words, "" when captions are off
	Tries   []Try          // at least one, but for an action that was pending
	History []actions.Turn // opaque to the loop: what the policy wants to see in later steps

	Elements []screen.Element // of the screen, if they were read by then, or nil

	Warnings []Warning // that the run has not had yet
}

// Warning is something that a person should set otherwise. A run has one at most of each setting.
type Warning struct {
	Setting string `json:"setting"` // for example model.dialect, or phone for the phone itself
	Text    string `json:"text"`    // the fault and what to do, never a model's words
}

// Try is one call of the model.
type Try struct {
	Prompt           string        `json:"prompt"`          // the text parts of the request
	Reply            string        `json:"reply"`           // what came back, reasoning included
	Model            string        `json:"model,omitempty"` // that replied
	Error            string        `json:"error,omitempty"`
	Again            bool          `json:"asked_again,omitempty"` // what it was about had changed
	Took             time.Duration `json:"took"`
	PromptTokens     int           `json:"prompt_tokens"`
	CompletionTokens int           `json:"completion_tokens"`
}

// Step is one step as the journal records it.
type Step struct {
	Index     int // within the session, from 1
	Local     int // within this call, from 1
	Screen    screen.Observation
	Proposal  Proposal
	Asks      string            // the kind of the question that the step parks, "" for none
	Seen      string            // what the gate knew of it, in its own form, or ""
	Judging   Spending          // what the gate has cost
	Leave     *Leave            // under which it is carried out without asking, or nil
	Refusal   string            // why the gesture was not carried out wholly, "" when it was
	Exchange  *actions.Exchange // the answer to the step's question, nil while it is parked
	StartedAt time.Time
	Timing    Timing
}

// Dropped reports whether the step's gesture has not touched the phone after all.
func (s Step) Dropped() bool { return strings.HasPrefix(s.Refusal, "not ") }

// Timing is where a step's time went, in order. Its parts have the same names everywhere.
// docs/benchmarks.md explains each.
type Timing struct {
	// Ready is of a call, not of a step: getting the phone ready for it.
	Ready time.Duration `json:"ready,omitempty"`

	Done   time.Duration `json:"done"`   // writing down how the call's step before ended
	Settle time.Duration `json:"settle"` // until the screen was at rest after the step before
	Look   time.Duration `json:"look"`   // a new capture, 0 if the settled look was used
	Decide time.Duration `json:"decide"`
	Model  time.Duration `json:"model"`           // of Decide: waiting for the model's replies
	Again  time.Duration `json:"again,omitempty"` // of Decide: about a screen that moved on
	Ask    time.Duration `json:"ask,omitempty"`   // the gate, and storing a question
	Intent time.Duration `json:"intent"`          // journaling the intent
	Check  time.Duration `json:"check"`           // that the screen is the one decided on, still
	Touch  time.Duration `json:"touch"`
}

// Part is one part of a Timing, under its name.
type Part struct {
	Name string
	Time time.Duration
}

// Parts are all of them, in their order.
func (t Timing) Parts() []Part {
	return []Part{{"ready", t.Ready}, {"done", t.Done}, {"settle", t.Settle}, {"look", t.Look},
		{"decide", t.Decide}, {"model", t.Model}, {"again", t.Again}, {"ask", t.Ask},
		{"intent", t.Intent}, {"check", t.Check}, {"touch", t.Touch}}
}

// Plus is the sum of t and u, part by part.
func (t Timing) Plus(u Timing) Timing {
	t.Ready, t.Done = t.Ready+u.Ready, t.Done+u.Done
	t.Settle, t.Look = t.Settle+u.Settle, t.Look+u.Look
	t.Decide, t.Model, t.Again = t.Decide+u.Decide, t.Model+u.Model, t.Again+u.Again
	t.Ask, t.Intent = t.Ask+u.Ask, t.Intent+u.Intent
	t.Check, t.Touch = t.Check+u.Check, t.Touch+u.Touch
	return t
}

// Total is the time of the whole step.
func (t Timing) Total() time.Duration {
	return t.Ready + t.Done + t.Settle + t.Look + t.Decide + t.Ask + t.Intent + t.Check + t.Touch
}

// Phone is the part of it that the phone took: getting ready, looking, touching, coming to rest.
func (t Timing) Phone() time.Duration { return t.Ready + t.Settle + t.Look + t.Check + t.Touch }

// Ending says how a call of Run ended.
type Ending struct {
	Reason   StopReason
	Answer   string    // the COMPLETE report or the ABORT reason
	Question *Question // the parked question that the run waits for. Reason says its kind
	Steps    int       // steps taken in this call
	Err      error     // the obstacle, with a hint, nil if there was none
	Took     time.Duration

	// Begun is what was spent after Last and is journaled with no step: the Tries and the Timing of
	// one that the call ended in, or the Done of Last.
	Begun Step

	Pace Pace // of the phone, with what this call has seen of it
}

// StopReason says why a run or a call ended. The first seven are gelab-zero's own words.
type StopReason string

// The stop reasons. NotStarted is used only when no step ran.
const (
	TaskCompleted      StopReason = "TASK_COMPLETED_SUCCESSFULLY"
	TaskAborted        StopReason = "TASK_ABORTED_BY_AGENT"
	MaxStepsReached    StopReason = "MAX_STEPS_REACHED"
	ManualStop         StopReason = "MANUAL_STOP_SCREEN_OFF"
	InfoNeedsReply     StopReason = "INFO_ACTION_NEEDS_REPLY"
	UserPaused         StopReason = "USER_PAUSED"
	NotStarted         StopReason = "NOT_STARTED"
	StillRunning       StopReason = "STILL_RUNNING"
	ClientDetached     StopReason = "CLIENT_DETACHED"
	Cancelled          StopReason = "CANCELLED"
	ModelOutputInvalid StopReason = "MODEL_OUTPUT_INVALID"
	ModelError         StopReason = "MODEL_ERROR"
	ModelKeyRefused    StopReason = "MODEL_KEY_REFUSED" // by the endpoint, or no key is set
	DeviceDisconnected StopReason = "DEVICE_DISCONNECTED"
	ScreenLocked       StopReason = "SCREEN_LOCKED"
	Stuck              StopReason = "STUCK"
	ServerRestarted    StopReason = "SERVER_RESTARTED"
	Restored           StopReason = "RESTORED" // from a backup, which may be old
	SessionExpired     StopReason = "SESSION_EXPIRED"
	QuestionTimedOut   StopReason = "QUESTION_TIMED_OUT"
	QuestionLimit      StopReason = "QUESTION_LIMIT"
	TimeLimitReached   StopReason = "TIME_LIMIT_REACHED"
	ReplayDiverged     StopReason = "REPLAY_DIVERGED"   // on another screen than was recorded
	SkillDiverged      StopReason = "SKILL_DIVERGED"    // on another screen than the skill's
	SecureScreen       StopReason = "SECURE_SCREEN"     // nothing is to be seen: no captures
	TakeoverNeeded     StopReason = "TAKEOVER_NEEDED"   // a person is to do something on the phone
	DeviceError        StopReason = "DEVICE_ERROR"      // the phone could not be looked at
	InternalError      StopReason = "INTERNAL_ERROR"    // see the error
	StoreUnavailable   StopReason = "STORE_UNAVAILABLE" // nothing can be written down for now

	ActionNeedsApproval StopReason = "ACTION_NEEDS_APPROVAL" // of a person, before it is done
	// the model insists on an action that a person has rejected
	ActionRejected StopReason = "ACTION_REJECTED_BY_USER"
	// the model insists on an action that the rules deny
	PolicyDenied StopReason = "POLICY_DENIED"
)

// describe is a decision in words: the verb with the model's own words when it gave some, else with
// what it does.
func describe(d actions.Decision) string {
	if d.Explain != "" {
		return fmt.Sprintf("%s (%s)", verb(d.Action), d.Explain)
	}
	return fmt.Sprintf("%s (%s)", verb(d.Action), actions.Describe(d.Action))
}

func verb(a actions.Action) string {
	if a == nil {
		return "none"
	}
	return a.Verb()
}

// Verification is what a completed run's end was held against.
type Verification struct {
	Verdict  Verified `json:"verdict,omitempty"`
	Evidence string   `json:"evidence,omitempty"` // what was seen, in words
	Step     int      `json:"step,omitempty"`     // whose frame it was seen on, in the session

	// JSON is the report as JSON that fits the run's schema. Misfit is why it is empty.
	JSON   json.RawMessage `json:"answer_json,omitempty"`
	Misfit string          `json:"misfit,omitempty"`

	Tries []Try `json:"-"` // calls of a model for it, which become the step's
}

// Verified says whether what a run reports could be seen.
type Verified string

// What an end can be. Unsure is Unverified.
const (
	IsVerified   Verified = "verified"
	Unverified   Verified = "unverified"
	Contradicted Verified = "contradicted"
)

// Spending is what calls of models other than the policy's have cost in a step.
type Spending struct {
	Calls            int
	PromptTokens     int
	CompletionTokens int
}

// Leave is a person's leave to carry something out without asking, which holds for as long, and as
// often, as the person said.
type Leave struct {
	ID   int64
	Text string // what it is for
	By   string // who gave it
	Act  string // the permitted act, in words
}
