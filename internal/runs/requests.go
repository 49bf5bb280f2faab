package runs

import (
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// StartRequest is a task for a phone, or a goal for agents, which take Task, Queue, By, Client,
// Key, Parent and Settings only.
type StartRequest struct {
	Kind     store.Kind // "" means store.OnPhone
	Task     string
	Serial   string // of the phone; "" means the only usable one
	MaxSteps int    // of this call; 0 means the configured maximum, which is never exceeded
	// leave the phone as it is; otherwise it goes to the home screen first, and unless
	// Options.KeepApps says otherwise the first app that the task opens is ended before
	KeepEnvironment bool
	Queue           bool   // wait for a phone that is busy, first come first served
	Supersede       bool   // first stop the client's own sessions that have the phone
	By              Actor  // who starts this one, and stops them
	Client          string // whom the session will belong to
	Key             string // chosen by the client; see Start
	Parent          string // the session that begins this one; "" is none
	Settings        Settings
}

// ContinueRequest goes on with a session. With Reply it answers the open question; with a Task that
// is not the present one it begins a new run; with neither it gives a paused run more steps, or
// tells how the run stands.
type ContinueRequest struct {
	SessionID string
	Serial    string // "" does not check; another phone than the session's is refused
	Task      string
	// the answer; "" as its Channel means inquiry.ChannelClient, as its Authority
	// inquiry.AuthorityClientModel
	Reply      *inquiry.Reply
	QuestionID string // that Reply answers; "" means the open one
	// as in StartRequest; 0 gives a run that is resumed what its former call had
	MaxSteps         int
	ResetEnvironment bool      // go to the home screen first; otherwise the phone is left as it is
	Queue            bool      // as in StartRequest
	Settings         *Settings // nil keeps those of the session's last run
	// Key is chosen by the caller: a call that has begun or resumed a run under it is not carried
	// out again. An answer has Reply.ID for that.
	Key string
	// an open question is asked by nobody: the caller does, with AskHere
	Here bool
	By   Actor // who goes on with a session of agents
}

// StopMode says what is to become of a run.
type StopMode string

// The modes.
const (
	Cancel StopMode = "cancel" // it ends for good
	Pause  StopMode = "pause"  // it can be continued
	// it waits, with the phone, until the person who has taken that over hands it back
	Takeover StopMode = "takeover"
)

// StopRequest stops a session's run.
type StopRequest struct {
	SessionID string
	Mode      StopMode // "" means Cancel
	By        Actor    // the zero value is the program itself, of which the audit says nothing
}

// Actor is who stops a run: the channel and the authority as those of an answer, and a name for
// people.
type Actor struct{ Channel, Authority, Name string }

// entry is what the audit says of who does something.
func (a Actor) entry() store.AuditEntry {
	return store.AuditEntry{Channel: a.Channel, Authority: a.Authority, By: a.Name}
}

// resumption is how a run goes on. One that comes with an answer is stored with it.
type resumption struct {
	MaxSteps int       `json:"max_steps,omitempty"`         // as in ContinueRequest
	Home     bool      `json:"reset_environment,omitempty"` // go to the home screen first
	Settings *Settings `json:"settings,omitempty"`          // nil keeps those of the run
	// no new call: the one that the run is in goes on, with its steps
	SameCall bool `json:"same_call,omitempty"`
}

func (r ContinueRequest) resumption() resumption {
	return resumption{MaxSteps: r.MaxSteps, Home: r.ResetEnvironment, Settings: r.Settings}
}
