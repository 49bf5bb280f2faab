package runs

import (
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// StartRequest starts a task on a phone or a goal of agents. A goal uses Task, Queue, By, Client,
// Key, Parent and Settings only.
type StartRequest struct {
	Kind     store.Kind // "" means store.OnPhone
	Task     string
	Serial   string // of the phone, "" for the only usable one, AnyPhone for any that is free
	Phone    Wanted // in place of Serial
	MaxSteps int    // at most the configured maximum, which 0 stands for
	// KeepEnvironment leaves the phone unchanged. Otherwise it first goes to the home screen, and
	// the first app that the task opens is restarted unless Options.KeepApps is set.
	KeepEnvironment bool
	Moving          bool   // the caller has just opened something: the first step waits for rest
	Queue           bool   // wait for a busy phone
	Turn            Turn   // how it waits
	Supersede       bool   // first stop the client's own sessions that hold the phone
	Sparing         bool   // with Supersede: but none that waits for an answer
	By              Actor  // who starts the session and stops others
	Client          string // the owner of the session
	Wish            string // of a person for whom somebody else has worded the task, or ""
	Key             string // chosen by the client, see Start
	Parent          string // the session that starts this one, or ""
	Settings        Settings
}

// ContinueRequest continues a session. A Reply answers the open question. A Task other than the
// present one starts a new run. With neither, a paused run gets more steps, and any other run only
// has its status returned.
type ContinueRequest struct {
	SessionID string
	Serial    string // refused if it is not the session's phone, "" for no check
	Task      string
	// Reply is the answer. Channel defaults to inquiry.ChannelClient, and Authority to
	// inquiry.AuthorityClientModel.
	Reply      *inquiry.Reply
	QuestionID string // the question to answer, "" for the open one
	// as in StartRequest, but 0 gives a resumed run the maximum of its previous call
	MaxSteps         int
	ResetEnvironment bool      // go to the home screen first
	Queue            bool      // as in StartRequest
	Settings         *Settings // nil for those of the session's latest run
	// Key is chosen by the caller. A call that has started or resumed a run is not carried out
	// again under the same key. For replies, Reply.ID has this role.
	Key string
	// Here means that the caller asks open questions itself, with AskHere.
	Here bool
	By   Actor // who continues a session of agents
}

// StopMode says how a run is stopped.
type StopMode string

// The modes.
const (
	Cancel StopMode = "cancel" // end the run
	Pause  StopMode = "pause"  // stop it so that it can be continued
	// wait, holding the phone, until the person who took it over hands it back
	Takeover StopMode = "takeover"
)

// StopRequest stops a session's run.
type StopRequest struct {
	SessionID string
	Mode      StopMode // "" means Cancel
	By        Actor    // the zero value is the program, which the audit does not name
}

// Actor says who started or stopped a run: the channel and the authority as in an answer, and a
// name for people.
type Actor struct{ Channel, Authority, Name string }

// Entry returns an audit entry of the actor, with a reason or "".
func (a Actor) Entry(why string) store.AuditEntry {
	return store.AuditEntry{Channel: a.Channel, Authority: a.Authority, By: a.Name,
		Text: text.Cut(why, 500)}
}

// resumption says how a run resumes. It is stored with an answer that resumes the run.
type resumption struct {
	MaxSteps int       `json:"max_steps,omitempty"`         // as in ContinueRequest
	Home     bool      `json:"reset_environment,omitempty"` // go to the home screen first
	Settings *Settings `json:"settings,omitempty"`          // nil for those of the run
	// continue the run's present call, with its remaining steps
	SameCall bool `json:"same_call,omitempty"`
}

func (r ContinueRequest) resumption() resumption {
	return resumption{MaxSteps: r.MaxSteps, Home: r.ResetEnvironment, Settings: r.Settings}
}

// wish is that of a new task, which somebody has given in place of the person who said former.
func (a Actor) wish(task, former string) string {
	if inquiry.IsPerson(a.Authority) {
		return task
	}
	return former
}

// Neighbours are the other machines that share the store.
type Neighbours interface {
	// Mine reports whether this process can use the phone now.
	Mine(serial string) bool
	// Closed reports whether this process takes no runs any more.
	Closed() bool
	// Notices has a token when another machine has changed something.
	Notices() <-chan struct{}
}

// Wanted says which phones a task may run on: those with all of these labels. The label api is
// compared as a number (">=30"), app is a package that is installed, and in the values of all
// others
// * stands for any text. The empty one is every phone.
type Wanted map[string]string
