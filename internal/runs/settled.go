package runs

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// endOf returns the change of a run whose settled question ends it. ends is false if the run
// continues.
func endOf(q inquiry.Question) (c store.Change, ends bool) {
	switch {
	case q.Status == inquiry.Expired:
		c.To, c.Reason = store.Expired, agentloop.SessionExpired
		c.Err = "nobody answered before the question expired"
	case q.Status == inquiry.Withdrawn:
		c.To, c.Reason = store.Paused, agentloop.UserPaused
		c.Err = "the question was withdrawn: " + q.Resolution.Why
	case q.Status == inquiry.TimedOut && q.OnTimeout == inquiry.GiveUp:
		c.To, c.Reason = store.Aborted, agentloop.QuestionTimedOut
		c.Err = "nobody answered in time"
	}
	return c, c.To != ""
}

// exchangeOf returns a settled question as the model sees it, without the answer if that is secret.
func exchangeOf(q inquiry.Question, lang string) (x actions.Exchange) {
	x.Question, x.Answer = q.Text, q.Resolution.Response.Reveal()
	switch {
	case q.Resolution.Type == inquiry.TypeDecline:
		x.Outcome = actions.Refused
	case q.Resolution.Type == inquiry.TypeDone:
		x.Outcome, x.Answer = actions.HandedBack, cmp.Or(x.Answer, textsIn(lang).Done)
	case q.Resolution.Type == inquiry.TypeCouldNot:
		x.Outcome, x.Answer = actions.CouldNot, cmp.Or(x.Answer, textsIn(lang).NoReason)
	case q.Resolution.Type == inquiry.TypeDecisions:
		x.Outcome = actions.Answered
	case q.Resolution.Type == inquiry.TypeDelegate:
		x.Outcome = actions.Delegated
	case q.Resolution.Type == inquiry.TypeDefault:
		x.Outcome = actions.DefaultAnswer
	case q.Resolution.Type != inquiry.TypeAnswer:
		x.Outcome = actions.Silence
	case q.Resolution.Recalled != "":
		x.Outcome = actions.Remembered
	case q.Resolution.Authority == inquiry.AuthorityAgent:
		x.Outcome = actions.ModelAnswer
	default:
		x.Outcome = actions.Answered
	}
	if q.Secret {
		x.Answer = ""
	}
	if q.Secret && q.Resolution.Type == inquiry.TypeAnswer {
		x.Answer = fmt.Sprintf(textsIn(lang).Secret, SecretWord)
	}
	return x
}

// rulingOf returns the decision on the action of a settled question, or nil if it is about none. It
// returns a rejection if no one has decided.
func rulingOf(q inquiry.Question) *agentloop.Ruling {
	a := inquiry.As[inquiry.Approval](q)
	if len(a.ActionRequests) == 0 {
		return nil
	}
	r := &agentloop.Ruling{Type: agentloop.Reject, Severity: string(a.Severity), Bound: a.Bound,
		AskedAt: q.AskedAt, At: q.Resolution.At}
	if now := time.Now(); r.At.After(now) { // by a clock that is ahead
		r.At = now
	}
	if len(q.Resolution.Decisions) != 1 {
		return r
	}
	d := q.Resolution.Decisions[0]
	r.Type, r.Message = d.Type, d.Message
	if d.Type != inquiry.Edit {
		return r
	}
	act, err := actions.Named(d.EditedAction.Name, d.EditedAction.Args)
	if err != nil { // accepted by another version
		r.Type, r.Message = agentloop.Reject, err.Error()
		return r
	}
	r.Edited = &actions.Decision{Action: act}
	return r
}

// resumptionOf returns how the run resumes with the answer. An answer that did not come through
// Continue brings no new steps.
func resumptionOf(q inquiry.Question) (r resumption, err error) {
	if len(q.Resolution.Resume) == 0 {
		return resumption{SameCall: true}, nil
	}
	if err := json.Unmarshal(q.Resolution.Resume, &r); err != nil {
		return r, fmt.Errorf("reading how the run goes on after question %s: %w", q.ID, err)
	}
	return r, nil
}

// atRest reports whether the run is paused or waits.
func atRest(r store.Run) bool { return r.State.Waiting() || r.State == store.Paused }

// pausedAlone reports whether the run was paused because no call was attached.
func pausedAlone(r store.Run) bool {
	return r.State == store.Paused && r.StopReason == agentloop.ClientDetached
}
