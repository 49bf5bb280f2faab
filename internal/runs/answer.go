package runs

import (
	"cmp"
	"context"
	"errors"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// reply settles a question of the session and delivers the answer to its run. How the run continues
// is stored with the answer, so that it also holds for a process that delivers it after a crash.
func (c *continuation) reply(ctx context.Context) (Status, error) {
	m := c.m
	open, err := m.store.Runs.Unused(ctx, c.run)
	if err != nil {
		return Status{}, err
	}
	if open != nil && !(open.Open() && atRest(c.run)) {
		open = nil
	}
	id, err := c.addressed(ctx, open)
	if err != nil {
		return Status{}, err
	}
	if err := c.checkReply(ctx, open != nil && open.ID == id); err != nil {
		return Status{}, err
	}
	r := *c.Reply
	if err := c.bound(open, r); err != nil {
		return Status{}, err
	}
	r.Channel = cmp.Or(r.Channel, inquiry.ChannelClient)
	r.Authority = cmp.Or(r.Authority, inquiry.AuthorityClientModel)
	r.Resume = encode(c.resumption())
	res, err := m.broker.Resolve(ctx, id, r)
	if err != nil {
		return Status{}, c.replyRefusal(id, open, err)
	}
	// Otherwise the goroutine delivers it at the end of this life.
	if atRest(c.run) && !res.Question.Open() && (c.run.QuestionID == id || !res.Replayed) {
		err = c.resumeAnswered(ctx, &res.Question)
	}
	var st Status
	if err == nil {
		st, err = m.Status(ctx, c.sess.ID)
	}
	st.Answered, st.Replayed = &res.Question, res.Replayed
	return st, err
}

// bound refuses words that would decide about what their sender may not have seen: they name no
// question, and the open one may be a newer one. Callers that may not decide at all are refused
// later.
func (c *continuation) bound(open *inquiry.Question, r inquiry.Reply) error {
	if c.QuestionID != "" || open == nil ||
		!open.Decides(r) && !inquiry.As[inquiry.Ask](*open).Personal ||
		open.ForPeople() && !inquiry.IsPerson(r.Authority) {
		return nil
	}
	e := invalid("send it with the id of the question that was shown: "+open.ID,
		"a person decides, and the answer does not say which question it is for")
	e.Question = open
	return e
}

// checkReply returns an error if the reply cannot be taken. Nothing has changed then.
func (c *continuation) checkReply(ctx context.Context, current bool) error {
	if current && !c.Queue {
		if err := c.m.free(ctx, c.sess); err != nil {
			return err
		}
	}
	if c.Settings != nil {
		if _, err := c.Settings.checked(c.m.desk); err != nil {
			return err
		}
	}
	_, err := c.m.opts.steps(c.MaxSteps)
	return err
}

// addressed returns the id of the question that the reply is for.
func (c *continuation) addressed(ctx context.Context, open *inquiry.Question) (string, error) {
	all, err := c.m.broker.List(ctx, inquiry.Filter{SessionID: c.sess.ID})
	if err != nil {
		return "", err
	}
	var last *inquiry.Question
	for i, q := range all {
		if q.RunID == "" { // a program's own inquiry, which only belongs to the session
			continue
		}
		last = &all[i]
		if c.QuestionID == "" && c.Reply.ID != "" &&
			q.Resolution != nil && q.Resolution.ReplyID == c.Reply.ID {
			return q.ID, nil
		}
	}
	if c.QuestionID != "" {
		return c.named(ctx, open)
	}
	switch {
	case open != nil:
		return open.ID, nil
	case last != nil && last.Resolution != nil:
		return "", Refuse(NoOpenQuestion, withoutQuestion(c.run),
			"session %s has no open question; the last one was %s through %s %v ago", c.sess.ID,
			last.Status, last.Resolution.Channel, age(last.Resolution.At))
	default:
		return "", Refuse(NoOpenQuestion, withoutQuestion(c.run), "session %s has no open question",
			c.sess.ID)
	}
}

// named returns the id of the session's question whose id is, or begins with, the one in the reply.
func (c *continuation) named(ctx context.Context, open *inquiry.Question) (string, error) {
	q, err := c.m.broker.Find(ctx, c.QuestionID, func(q inquiry.Question) (bool, error) {
		return q.SessionID == c.sess.ID && q.RunID != "", nil
	})
	if _, several := errors.AsType[*inquiry.AmbiguousError](err); several {
		return "", invalid("pass more of the question's id", "%w", err)
	}
	if errors.Is(err, inquiry.ErrNotFound) {
		remedy := "name no question to answer the open one"
		if open == nil {
			remedy = withoutQuestion(c.run)
		}
		return "", Refuse(NoOpenQuestion, remedy, "session %s has no question %q", c.sess.ID,
			c.QuestionID)
	}
	return q.ID, err
}

// withoutQuestion returns the hint for a reply to a run that has no open question.
func withoutQuestion(r store.Run) string {
	switch {
	case r.State.Terminal():
		return "leave the reply out and send a new task, or start a new session: " +
			"the session's last task has ended"
	case r.State == store.Paused:
		return "continue without a reply"
	}
	return "wait for the run, which goes on by itself"
}

// replyRefusal converts the broker's refusal of a reply to an error with a code.
func (c *continuation) replyRefusal(id string, open *inquiry.Question, err error) error {
	_, unfit := errors.AsType[*inquiry.InvalidReplyError](err)
	if open != nil && open.ID != id && !unfit && !errors.Is(err, inquiry.ErrReplyIDReused) {
		e := Refuse(QuestionSuperseded, "answer the current question",
			"the reply is for an older question; the current one is %s: %s", open.ID, open.Text)
		e.Question = open
		return e
	}
	return RefusedReply(err, c.run)
}

// RefusedReply converts the broker's refusal of a reply to an error with a code. It returns other
// errors unchanged. latest is the latest run of the question's session, if it has one.
func RefusedReply(err error, latest store.Run) error {
	r, refused := inquiry.RefusalOf(err)
	switch {
	case !refused:
		return err
	case r.Code == inquiry.CodeForbidden:
		return Refuse(Forbidden, r.Hint, "%w", err)
	case r.Question == nil:
		return invalid(r.Hint, "the reply cannot be taken: %w", err)
	case r.Question.RunID != "":
		r.Hint = latest.AfterLate(*r.Question)
	}
	e := Refuse(QuestionAlreadyResolved, r.Hint, "%w", err)
	e.Question = r.Question
	return e
}
