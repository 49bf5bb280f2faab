package usecase

import (
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Verb is a use case, where another one names it.
type Verb string

// The verbs.
const (
	ToStart         Verb = "start"
	ToContinue      Verb = "continue"
	ToWait          Verb = "wait"
	ToStop          Verb = "stop"
	ToInquire       Verb = "inquire"
	ToAnswer        Verb = "answer"
	ToListPhones    Verb = "list phones"
	ToListSessions  Verb = "list sessions"
	ToListQuestions Verb = "list questions"
	ToRepeat        Verb = "repeat" // the call that was refused, with its Change
)

// Next is what a caller can do next. Each edge words it: as a tool call, a request or a command.
type Next struct {
	Verb      Verb
	SessionID string
	Question  *inquiry.Question // that is settled or waited for, or nil
	Since     *int              // steps that are known already, or nil if that does not matter
	From      int               // of ToInquire: characters of the answer that are known
	Change    Change            // of ToRepeat
	Needs     Needs             // the arguments that it lacks
	Because   Because
	Why       string // Because in words
}

// Needs is what a caller adds to the next call.
type Needs int

// The needs.
const (
	NoMore         Needs = iota
	NeedsReply           // the user's own answer
	NeedsDecisions       // one for each action that the question is about
	NeedsHandBack        // whether the user has done what was wanted
)

// refusedNext is a refusal that knows what the caller can do next.
type refusedNext struct {
	err  error
	next *Next
}

func (r *refusedNext) Error() string { return r.err.Error() }
func (r *refusedNext) Unwrap() error { return r.err }

// RefuseNext is err with what the caller can do next.
func RefuseNext(err error, next *Next) error { return &refusedNext{err, next} }

// Because is why a run does not go on by itself, or what it waits for.
type Because int

// The reasons, for edges that say more than Why.
const (
	Other         Because = iota
	WasPaused             // by a person or a client
	IsInForm              // its question is shown while a call waits
	AsksUser              // it rests until the caller, or a person, settles its question
	AsksElsewhere         // its question is with another channel
	WaitsInLine           // for its phone
	IsGoing
	WasLeft  // no caller waited for it
	IsPaused // until it is continued
)

// Change is what a repeated call does otherwise.
type Change struct {
	Without []Argument // are left out
	Queue   bool       // it waits for the phone
}

// After is what a caller can do next with a run, or nil if the run has ended.
func After(st runs.Status) *Next {
	n := nextOf(st)
	if n == nil {
		return nil
	}
	n.SessionID = st.Session.ID
	if n.Verb == ToWait {
		n.Since = &st.Session.Steps
	}
	// the call settles the question, or waits for it
	if st.Question != nil && st.Reason != agentloop.StillRunning {
		n.Question = st.Question
	}
	return n
}

// nextOf decides how a run continues, and why, or nil if it has ended.
func nextOf(st runs.Status) *Next {
	asks, running := st.Question != nil, st.Reason == agentloop.StillRunning
	switch {
	case PausedOnPurpose(st):
		return to(ToContinue, WasPaused,
			"the run was paused on purpose; continue it when your user wants it to go on")
	case inForm(st) != nil:
		return to(ToWait, IsInForm,
			"the agent's question is shown to your user in a form while a call waits")
	case asks && !running:
		return settle(st)
	case st.Run.State.Terminal():
		return nil
	case asks:
		return to(ToWait, AsksElsewhere, "the agent's question is being asked elsewhere, and the "+
			"run goes on with the answer")
	case running && st.Run.State == store.Queued:
		return to(ToWait, WaitsInLine, "the run waits for its phone"+place(st))
	case st.Stalled:
		return to(ToWait, IsGoing, "the run waits for its data folder, which does not answer")
	case running:
		return to(ToWait, IsGoing, "the run goes on")
	case st.Reason == agentloop.ClientDetached:
		return to(ToWait, WasLeft, "the run paused because nobody waited for it, and goes on when "+
			"somebody does")
	case st.Reason == agentloop.MaxStepsReached:
		return to(ToContinue, IsPaused,
			"the steps of this call are used up; continuing gives it more")
	case st.Message != "":
		return to(ToContinue, IsPaused, "the run is paused ("+
			text.Cut(text.Line(st.Message), 300)+") and goes on from where it is")
	}
	return to(ToContinue, IsPaused, "the run is paused and goes on from where it is")
}

func to(verb Verb, because Because, why string) *Next {
	return &Next{Verb: verb, Because: because, Why: why}
}

// settle is how a run continues that waits for its question to be settled.
func settle(st runs.Status) *Next {
	n := to(ToContinue, AsksUser, "")
	switch {
	case KeptByPerson(st):
		n.Verb, n.Why = ToWait, "a person has taken the phone over and hands it back, which no "+
			"call can; this waits for that"
	case TakenOver(st):
		n.Needs, n.Why = NeedsHandBack, "your user is to do something on the phone by hand"
	case st.Question.ForPeople():
		n.Verb, n.Why = ToWait, "a person is to decide, which no call can; this waits for that"
	case AwaitsDecision(st):
		n.Needs, n.Why = NeedsDecisions, "an action waits for a decision of your user's"
	default:
		n.Needs, n.Why = NeedsReply, "the agent asks something that only your user can answer"
	}
	return n
}

// AfterQuestion is what a caller can do next with a question, or nil if there is nothing.
func AfterQuestion(q inquiry.Question) *Next {
	switch {
	case q.RunID != "":
		return &Next{Verb: ToWait, SessionID: q.SessionID, Why: "the run goes on with the answer"}
	case q.Open():
		return &Next{Verb: ToInquire, Question: &q, Why: "nobody has answered yet"}
	}
	return nil
}

// place says where a queued run stands in the line, and who has the phone if that is known.
func place(st runs.Status) string {
	at := fmt.Sprintf("; runs in front of it in the line: %d", st.Ahead)
	switch h := st.Holder; {
	case h == nil:
	case h.SessionID == "":
		at += fmt.Sprintf("; the phone is held by a session of somebody else, which is %s", h.State)
	default:
		at += fmt.Sprintf("; the phone is held by your session %q, which is %s", h.SessionID,
			h.State)
	}
	return at
}

// inForm is the open question that is to be shown in a form, or nil if missing.
func inForm(st runs.Status) *inquiry.Question {
	if st.Asking != channel.Elicit {
		return nil
	}
	return st.Question
}

// AwaitsDecision reports whether an action waits for a decision.
func AwaitsDecision(st runs.Status) bool {
	return st.Question != nil &&
		len(inquiry.As[inquiry.Approval](*st.Question).ActionRequests) > 0 &&
		st.Reason != agentloop.StillRunning && !PausedOnPurpose(st)
}

// TakenOver reports whether a person is to have the phone.
func TakenOver(st runs.Status) bool {
	return st.Question != nil && st.Run.State == store.WaitingTakeover
}

// KeptByPerson reports whether a person has the phone and only people hand it back.
func KeptByPerson(st runs.Status) bool { return TakenOver(st) && st.Question.ForPeople() }

// PausedOnPurpose reports whether a person or a client has paused the run.
func PausedOnPurpose(st runs.Status) bool {
	return st.Reason == agentloop.UserPaused && st.Run.State == store.Paused
}
