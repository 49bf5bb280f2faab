package session

import (
	"fmt"

	"github.com/taploop/taploop/inquiry"
)

// AfterLate says in words what the sender of a reply to q can do that came too late. r is the
// latest run of the session that q belongs to.
func (r Run) AfterLate(q inquiry.Question) string {
	switch {
	case r.ID != q.RunID:
		return "the run that asked has ended, and its session has had another task since"
	case r.State.Terminal():
		return fmt.Sprintf("the run has ended since (%s): read what came of it, or give the session "+
			"a new task", r.State)
	case r.State == Paused:
		return "the run is paused: continue the session without a reply"
	case r.State.Waiting() && r.QuestionID != q.ID:
		return "the run asks something else by now: answer the question that is open"
	}
	switch q.Status {
	case inquiry.Answered, inquiry.Refused:
		return "wait for the run: it goes on with that answer"
	case inquiry.Withdrawn:
		return "the run is paused or stopped with its question: continue the session without a " +
			"reply, or give it a new task"
	case inquiry.Expired:
		return "the run ends with its question: give the session a new task"
	}
	return "wait for the run: it goes on without an answer"
}
