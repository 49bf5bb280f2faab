package result

import (
	"errors"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// Failure is why a call could not be carried out, or what keeps a run from continuing.
type Failure struct {
	Code    string  `json:"code"`
	Message string  `json:"message"`
	Hint    string  `json:"mend,omitempty"`
	Holder  *Holder `json:"holder,omitempty"` // under DEVICE_BUSY
	Winner  *Winner `json:"winner,omitempty"` // under QUESTION_ALREADY_RESOLVED

	Open *OpenQuestion `json:"-"` // under QUESTION_SUPERSEDED (it goes where questions go)
	Next *Next         `json:"-"` // the next call (it goes where such calls go)
}

// Holder is who has a phone.
type Holder struct {
	SessionID string      `json:"session_id,omitempty"` // not of somebody else's
	State     store.State `json:"state"`
	Since     time.Time   `json:"since"`
	Seconds   int64       `json:"held_seconds"`
	Until     *time.Time  `json:"until,omitempty"`
}

// NewFailure is an error as results show it.
func NewFailure(err error) Failure {
	f := Failure{Code: string(runs.CodeOf(err)), Message: err.Error(), Hint: hint.Of(err)}
	if f.Hint == "" {
		f.Hint = "try again; if it stays so, more is in the server's log, on its stderr " +
			"(taploop serve -v logs all)"
	}
	var e *runs.Error
	if !errors.As(err, &e) {
		return f
	}
	if e.Holder != nil {
		f.Holder = NewHolder(*e.Holder)
	}
	f.about(e.Question)
	return f
}

// about adds the question that an error is about, if any.
func (f *Failure) about(q *inquiry.Question) {
	switch {
	case q == nil:
	case q.Open():
		f.Open = NewQuestion(*q)
		f.Open.Shorten(4000)
	default:
		f.Winner = newWinner(*q)
		f.Winner.Answer = text.Cut(f.Winner.Answer, 2000)
	}
}

// NewHolder is a present hold.
func NewHolder(h store.Hold) *Holder {
	age := max(time.Since(h.Since), 0).Round(time.Second)
	out := &Holder{SessionID: h.SessionID, State: h.State, Since: h.Since,
		Seconds: int64(age.Seconds())}
	if !h.Until.IsZero() {
		out.Until = &h.Until
	}
	return out
}

// SetNext adds to a failure the call that comes next, if there is one. The hint names it, too, so
// that models and programs read the same.
func (f *Failure) SetNext(r usecase.Remedy, name Namer) {
	f.Next = name(r.Next)
	if m := r.Misuse; m != nil {
		f.Message, f.Hint = m.Message.Name(names), m.Mend.Name(names)
	}
	switch n := f.Next; {
	case n == nil:
	case r.Instead:
		f.Hint = n.call() + ": " + n.Why
	case !strings.Contains(f.Hint, n.Tool):
		f.Hint += "; " + n.call() + ": " + n.Why
	}
	if r.Stop != "" {
		which := "it"
		if r.Queue {
			which = "that session"
		}
		stop := name(&usecase.Next{Verb: usecase.ToStop, SessionID: r.Stop})
		f.Hint += "; or end " + which + ": " + stop.call()
	}
	if r.Supersede {
		f.Hint += `; or call again with "supersede": true, which ends it and starts`
	}
	if r.Queue {
		f.Hint += `, or with "queue": true, which waits until the phone is free`
	}
}
