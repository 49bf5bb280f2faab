package inquiry

import (
	"errors"
	"fmt"
	"time"
)

// SettledError says that a reply came too late: the question was settled before, by another answer
// or, when it [errors.Is] [ErrGone], without one. The words of a secret answer are not in it.
type SettledError struct{ Question Question }

func (e *SettledError) Error() string {
	q, r := e.Question, e.Question.Resolution
	at := r.At.Format(time.RFC3339)
	if q.Status.answered() {
		return fmt.Sprintf("question %s was %s by %s at %s", q.ID, q.Status, r.Authorized(), at)
	}
	if r.Why != "" {
		at += ": " + r.Why
	}
	return fmt.Sprintf("question %s: %v (%s at %s)", q.ID, ErrGone, q.Status, at)
}

// Is makes an error about a question that no one has answered an [ErrGone].
func (e *SettledError) Is(target error) bool {
	return target == ErrGone && !e.Question.Status.answered()
}

// answered reports whether somebody has answered the question, or refused to.
func (s Status) answered() bool { return s == Answered || s == Refused }

// Late reports whether err says that a reply came too late: the question was settled before, in
// whichever way.
func Late(err error) bool {
	_, late := errors.AsType[*SettledError](err)
	return late
}

// UnlessLate is err, nil when it is [Late].
func UnlessLate(err error) error {
	if Late(err) {
		return nil
	}
	return err
}

// Code says why a reply was not taken. Programs read it.
type Code string

// The codes.
const (
	// it does not fit the question, which is still open
	CodeInvalid  Code = "INVALID_REPLY"
	CodeTooLarge Code = "TOO_LARGE"                 // it has more bytes than are taken
	CodeReused   Code = "REPLY_ID_REUSED"           // its id came with other content before
	CodeResolved Code = "QUESTION_ALREADY_RESOLVED" // another answer was first
	CodeGone     Code = "QUESTION_GONE"             // no one can answer any more
	// the decision is for somebody else; the question is still open
	CodeForbidden Code = "DECISION_FORBIDDEN"
)

// Refusal is why [Broker.Resolve] did not take a reply.
type Refusal struct {
	Code     Code
	Question *Question          // as it was settled; nil while it may still be open
	Invalid  *InvalidReplyError // what does not fit, under CodeInvalid and CodeTooLarge
	Hint     string             // what the sender can do now
}

// RefusalOf is the refusal that err tells of, if it does.
func RefusalOf(err error) (r Refusal, refused bool) {
	if unfit, is := errors.AsType[*InvalidReplyError](err); is {
		r = Refusal{Code: CodeInvalid, Invalid: unfit,
			Hint: "send an answer that fits; the question is still open"}
		if unfit.TooLong {
			r.Code = CodeTooLarge
		}
		return r, true
	}
	if _, is := errors.AsType[*ForbiddenError](err); is {
		return Refusal{Code: CodeForbidden,
			Hint: "your user decides, on the inbox page or at the " +
				"terminal, and nothing that you call does"}, true
	}
	if errors.Is(err, ErrReplyIDReused) {
		return Refusal{Code: CodeReused,
				Hint: "send another answer under a reply id of its own, or the same answer again " +
					"to learn what became of it"},
			true
	}
	settled, is := errors.AsType[*SettledError](err)
	if !is {
		return Refusal{}, false
	}
	r = Refusal{Code: CodeResolved, Question: &settled.Question,
		Hint: afterSettling(&settled.Question)}
	if !settled.Question.Status.answered() {
		r.Code = CodeGone
	}
	return r, true
}

// afterSettling is what can be done about a question that was settled before. How the run stands
// that has asked it is not known here.
func afterSettling(q *Question) string {
	counts, asks := "go on with the answer that won", "ask again if it still matters"
	if q.RunID != "" {
		asks = "see how the session stands"
		counts = "that answer counts: " + asks
	}
	if q.Status.answered() {
		return counts
	}
	return "nobody can answer it any more, and nothing was taken: " + asks
}
