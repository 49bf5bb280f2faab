package store

import (
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/screen"
)

// State is where a run stands.
type State string

// The states of a run.
const (
	Queued       State = "QUEUED"
	Running      State = "RUNNING"
	WaitingReply State = "WAITING_REPLY"
	// for a decision about an action
	WaitingApproval State = "WAITING_APPROVAL"
	// a person has the phone
	WaitingTakeover State = "WAITING_TAKEOVER"
	Paused          State = "PAUSED"
	Completed       State = "COMPLETED"
	Aborted         State = "ABORTED"
	Failed          State = "FAILED"
	Cancelled       State = "CANCELLED"
	Expired         State = "EXPIRED"
)

// Terminal reports whether a run in this state has ended for good.
func (s State) Terminal() bool {
	switch s {
	case Completed, Aborted, Failed, Cancelled, Expired:
		return true
	}
	return false
}

// waitings are the states and the stop reasons of runs that wait, as the kinds of questions say.
var waitings = sync.OnceValue(inquiry.AllWaits)

// Waiting reports whether a run in this state waits for the answer to a question.
func (s State) Waiting() bool {
	return slices.ContainsFunc(waitings(), func(w inquiry.Waits) bool {
		return w.State == string(s)
	})
}

// WaitingFor returns the state and the stop reason of a run that waits for the answer to a question
// of the kind.
func WaitingFor(k inquiry.Kind) (State, agentloop.StopReason) {
	w := k.Empty().Waits()
	return State(w.State), agentloop.StopReason(w.Reason)
}

// IsWaiting reports whether a run with this stop reason waits for the answer to a question.
func IsWaiting(r agentloop.StopReason) bool {
	return slices.ContainsFunc(waitings(), func(w inquiry.Waits) bool {
		return w.Reason == string(r)
	})
}

// States returns the states of a run, those in which it waits after Running.
func States() []State {
	all := []State{Queued, Running}
	for _, w := range waitings() {
		all = append(all, State(w.State))
	}
	return append(all, Paused, Completed, Aborted, Failed, Cancelled, Expired)
}

// Known reports whether s is one of the states.
func (s State) Known() bool { return slices.Contains(States(), s) }

// Device is what was known of the phone when the session began.
type Device struct {
	ID      string      `json:"device_id"`
	Size    screen.Size `json:"device_wm_size"`
	Model   string      `json:"model,omitempty"`
	Android string      `json:"android_version,omitempty"`
}

// Session is a phone and the context of a conversation about it.
type Session struct {
	ID        string    `json:"session_id"`
	Serial    string    `json:"serial"`
	Device    Device    `json:"device_info"`
	Steps     int       `json:"steps"`            // of all its runs, also the index of the last
	Client    string    `json:"client,omitempty"` // the owner, "" for the local operator
	StartKey  string    `json:"-"`                // chosen by the client for this session
	Parent    string    `json:"parent,omitempty"` // the session that began this one
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Kind says what the runs of a session carry out.
type Kind string

// The kinds of sessions.
const (
	onPhone  Kind = ""       // tasks on the session's phone
	OfAgents Kind = "agents" // goals: agents call tools, and other sessions have the phones
)

// Kind is the kind of the session.
func (x Session) Kind() Kind {
	if x.Serial == "" {
		return OfAgents
	}
	return onPhone
}

// Run is one goal being pursued in a session.
type Run struct {
	ID         string               `json:"run_id"`
	SessionID  string               `json:"session_id"`
	Seq        int                  `json:"seq"` // within the session, from 1
	Task       string               `json:"task"`
	State      State                `json:"state"`
	StopReason agentloop.StopReason `json:"stop_reason,omitempty"`
	Answer     string               `json:"answer,omitempty"`
	Error      string               `json:"error,omitempty"`
	Progress   agentloop.Progress   `json:"course"`
	MaxSteps   int                  `json:"max_steps,omitempty"`
	ReplyMode  string               `json:"reply_mode,omitempty"`
	Settings   json.RawMessage      `json:"settings,omitempty"` // stored as given, nil for no task
	Owner      string               `json:"owner,omitempty"`    // the store that runs it
	Fence      int64                `json:"fence"`              // the number of its life, grows
	Attended   int64                `json:"-"`                  // see [Farm.Attend]
	QuestionID string               `json:"question_id,omitempty"`
	CreatedAt  time.Time            `json:"created_at"`
	UpdatedAt  time.Time            `json:"updated_at"`
	EndedAt    time.Time            `json:"ended_at,omitzero"` // set in a terminal state

	// Unowned is for Create and Begin: the run is left to whichever process claims it.
	Unowned bool `json:"-"`
	// Leased is for Begin: the run takes the session's phone in the same transaction.
	Leased bool `json:"-"`

	waitingAt time.Time // since when it waits for an answer
}

// Change is a change of a run's state and other fields, which happens as a whole or not at all.
type Change struct {
	From  []State // required states, empty for any that is not terminal
	To    State
	Fence int64 // required fence, 0 for any
	Claim bool  // requires that the run has no owner

	Reason   agentloop.StopReason // replaces the stop reason, also with ""
	Answer   string               // "" keeps the present one
	Err      string               // replaces the error, also with ""
	Question string               // the open question, only in a Waiting state
	MaxSteps int                  // 0 keeps the present one
	Settings json.RawMessage      // nil keeps the present ones

	// Apply is a settled question whose answer this change applies. It fails with
	// inquiry.ErrApplied, ErrPending or ErrFenced as inquiry.Store.Apply does. Exchange is what
	// came of the question, for the run's progress and for the step that asked.
	Apply    string
	Exchange actions.Exchange
	Ruling   *agentloop.Ruling // about an action, in addition to Exchange, or nil

	// Progress changes the stored progress after that. nil keeps it.
	Progress func(agentloop.Progress) agentloop.Progress

	// Begun is a cost outside the steps, see agentloop.Ending. It becomes part of the run's Usage
	// even if the change is refused.
	Begun agentloop.Step

	// Unowned leaves a run that becomes QUEUED to whichever process claims it.
	Unowned bool
}

// StepState is the known progress of a step.
type StepState string

// The states of a step.
const (
	Intent  StepState = "INTENT"  // about to be done, or being done right now
	Done    StepState = "DONE"    // done, or refused by the phone
	Unknown StepState = "UNKNOWN" // interrupted between the two, never repeated
)

// StepRecord is a step as it was journaled. Its Screen has no Frame: read the picture with
// Store.Frame(FrameID).
type StepRecord struct {
	agentloop.Step
	SessionID string
	RunID     string
	State     StepState
	FrameID   string // "" when the display was off
	FrameSize screen.Size
	DoneAt    time.Time // zero unless Done
}

// Filter says which sessions to list. Zero fields do not restrict.
type Filter struct {
	ID      string               // of the one session
	State   State                // of the latest run
	Reason  agentloop.StopReason // of the latest run
	Waiting bool                 // those whose latest run waits for an answer
	Owners  Owners               // whom they belong to
	Serial  string               // of their phone
	Parent  string               // the session that began them
	Over    bool                 // those whose latest run has ended
	Text    string               // in one of their tasks, or in what came of it
	App     string               // in front in one of their steps, or a part of its name
	Since   time.Time
	Until   time.Time // not changed after that
	Limit   int       // 0 means all
	Offset  int       // how many of the list are left out
}

// Trajectory is all of a session but its pictures.
type Trajectory struct {
	Session   Session
	Runs      []Run                 // oldest first
	Steps     []StepRecord          // oldest first
	Questions []inquiry.Question    // oldest first
	Usage     map[string]Usage      // of each run, by its ID
	Asked     map[int]time.Duration // waited for the answer to a step's question, by its index
}

// Overview is a session with its latest run.
type Overview struct {
	Session
	Latest *Run // nil when no run was made yet
	Tokens int  // that it has cost
}

// Usage is the cost of a run's steps and of the endings of its lives.
type Usage struct {
	Steps            int `json:"steps"`
	Calls            int `json:"calls"`       // of the model
	Again            int `json:"asked_again"` // steps whose first screen moved on
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	// what each part of these took together
	Timing agentloop.Timing `json:"timing"`
	// how long its questions waited for their answers, which is no work
	Asked time.Duration `json:"asked"`
}

// Work is the time that the run took. No pause between its lives, and no waiting, is in it.
func (u Usage) Work() time.Duration { return u.Timing.Total() }

// The kinds of what can be closed: workers by their ID, phones by their serial.
const (
	ClosedWorker = "worker "
	ClosedPhone  = "phone "
)
