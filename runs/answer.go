package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// reply settles a question of the session, and brings the answer to the run. How the run is to go on is stored with the answer:
// it holds for all who bring the answer to the run, even after a crash.
func (c *continuation) reply(ctx context.Context) (Status, error) {
	m := c.m
	open, err := m.openQuestion(ctx, c.run)
	if err != nil {
		return Status{}, err
	}
	id, err := c.addressed(ctx, open)
	if err != nil {
		return Status{}, err
	}
	if err := c.checkReply(ctx, open != nil && open.ID == id); err != nil {
		return Status{}, err
	}
	r := c.Reply.inquiry()
	r.Resume = resumption{MaxSteps: c.MaxSteps, Home: c.ResetEnvironment, Settings: c.Settings}.encode()
	res, err := m.broker.Resolve(ctx, id, r)
	if err != nil {
		return Status{}, unresolved(id, open, err)
	}
	if c.run.QuestionID == id || !res.Replayed {
		err = c.resumeAnswered(ctx, &res.Question)
	}
	var st Status
	if err == nil {
		st, err = m.Status(ctx, c.sess.ID)
	}
	st.Answered, st.Replayed = &res.Question, res.Replayed
	return st, err
}

// checkReply refuses what cannot be done, before the answer is taken.
func (c *continuation) checkReply(ctx context.Context, current bool) error {
	if current && !c.Queue {
		if err := c.m.free(ctx, c.sess.Serial, c.sess.ID, c.sess.Client); err != nil {
			return err
		}
	}
	if c.Settings != nil {
		if _, err := c.m.checkSettings(*c.Settings); err != nil {
			return err
		}
	}
	_, err := c.m.steps(c.MaxSteps)
	return err
}

// addressed is the id of the question that the reply is for.
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
		if c.Reply.QuestionID == q.ID {
			return q.ID, nil
		}
		if c.Reply.QuestionID == "" && c.Reply.ReplyID != "" && q.Resolution != nil && q.Resolution.ReplyID == c.Reply.ReplyID {
			return q.ID, nil
		}
	}
	switch {
	case c.Reply.QuestionID != "":
		mend := "leave question_id out to answer the open question"
		if open == nil {
			mend = withoutQuestion(c.run)
		}
		return "", refuse(NoOpenQuestion, mend, "session %s has no question %q", c.sess.ID, c.Reply.QuestionID)
	case open != nil:
		return open.ID, nil
	case last != nil && last.Resolution != nil:
		return "", refuse(NoOpenQuestion, withoutQuestion(c.run), "session %s has no open question; the last one was %s through %s %v ago",
			c.sess.ID, last.Status, last.Resolution.Channel, age(last.Resolution.At))
	default:
		return "", refuse(NoOpenQuestion, withoutQuestion(c.run), "session %s has no open question", c.sess.ID)
	}
}

// withoutQuestion is what to do with a run that asks nothing.
func withoutQuestion(r session.Run) string {
	switch {
	case r.State.Terminal():
		return "leave the reply out and send a new task, or start a new session: the session's last task has ended"
	case r.State == session.Paused:
		return "continue without a reply"
	}
	return "wait for the run, which goes on by itself"
}

// unresolved turns the broker's refusal of a reply into a code.
func unresolved(id string, open *inquiry.Question, err error) error {
	if _, unfit := errors.AsType[*inquiry.InvalidReplyError](err); !unfit && open != nil && open.ID != id &&
		!errors.Is(err, inquiry.ErrReplyIDReused) {
		e := refuse(QuestionSuperseded, "answer the current question",
			"the reply is for an older question; the current one is %s: %s", open.ID, open.Text)
		e.Question = open
		return e
	}
	return RefusedReply(err)
}

// RefusedReply gives the broker's refusal of a reply its code; any other error stays as it is.
func RefusedReply(err error) error {
	r, refused := inquiry.RefusalOf(err)
	switch {
	case !refused:
		return err
	case r.Question == nil:
		return invalid(r.Hint, "the reply cannot be taken: %w", err)
	}
	e := refuse(QuestionAlreadyResolved, r.Hint, "%w", err)
	e.Question = r.Question
	return e
}

// watchQuestions tells what happens to questions, through whichever channel, to those whom it concerns.
func (m *Manager) watchQuestions(events *inquiry.Subscription) {
	defer events.Close()
	for {
		e, err := events.Next(m.ctx)
		if err != nil {
			return
		}
		switch e.Type {
		case inquiry.Resolved, inquiry.RanOut, inquiry.Withdrew:
			m.spawn(func() { m.attend(e.Question.ID) })
		case inquiry.Overdue:
			if e.Question.OnTimeout == inquiry.AskModel && m.opts.Answerer != nil {
				m.spawn(func() { m.answerOverdue(e.Question) })
			}
		case inquiry.Lost:
			m.spawn(func() {
				if err := m.catchUp(m.ctx); err != nil && m.ctx.Err() == nil {
					m.log.Error("looking for answers that were missed", "err", err)
				}
			})
		}
	}
}

// catchUp attends to the questions of all runs that wait, and forgets answers that no run has asked for.
func (m *Manager) catchUp(ctx context.Context) error {
	waiting, err := m.store.Sessions(ctx, session.Filter{Waiting: true})
	if err != nil {
		return err
	}
	for _, w := range waiting {
		m.attend(w.Latest.QuestionID)
	}
	unapplied, err := m.broker.List(ctx, inquiry.Filter{Unapplied: true})
	if err != nil {
		return err
	}
	for _, q := range unapplied {
		if q.RunID == "" {
			err = errors.Join(err, m.forget(ctx, q))
		}
	}
	return err
}

// forget erases the secret that answers a question which no run has asked: nobody is going to read it.
func (m *Manager) forget(ctx context.Context, q inquiry.Question) error {
	if !q.Secret || q.Open() {
		return nil
	}
	if _, err := m.broker.Apply(ctx, q.ID, q.Fence); err != nil && !errors.Is(err, inquiry.ErrApplied) {
		return err
	}
	return nil
}

// attend brings a settled question to the run that waits for it, and has an open one routed. It does nothing when that was done.
// Events of questions, their absence after a crash, and the end of a run's life lead here.
func (m *Manager) attend(questionID string) {
	if err := m.bring(m.ctx, questionID); err != nil && m.ctx.Err() == nil {
		m.log.Error("an answer could not be applied", "question", questionID, "err", err)
	}
}

func (m *Manager) bring(ctx context.Context, questionID string) error {
	q, err := m.broker.Get(ctx, questionID)
	if err != nil {
		return err
	}
	if q.RunID == "" {
		return m.forget(ctx, q)
	}
	run, err := m.store.Run(ctx, q.RunID)
	if err != nil || m.store.OwnedElsewhere(run) { // it is for the process that carries the run out, which may live longer than this one
		return err
	}
	if q.Open() {
		m.router.Route(q.ID)
		return nil
	}
	m.router.Finish(q.ID, settledAs(q))
	c, unlock, err := m.receive(ctx, ContinueRequest{SessionID: q.SessionID})
	if err != nil {
		return err
	}
	defer unlock()
	if c.run.QuestionID != q.ID {
		return nil
	}
	return c.resumeAnswered(ctx, &q)
}

// resumeAnswered is the one way from a settled question to its run: the run goes on with the answer, as whoever answered wished,
// or ends. The caller has the session's lock.
func (c *continuation) resumeAnswered(ctx context.Context, q *inquiry.Question) error {
	end, ends := endOf(*q)
	if !ends {
		how, err := resumptionOf(*q)
		if err == nil {
			err = c.resume(ctx, how, q)
		}
		return err
	}
	end.From, end.Fence = []session.State{c.run.State}, c.run.Fence
	now, err := c.m.store.Transition(ctx, c.run.ID, end)
	if err != nil {
		return err
	}
	c.m.release(ctx, c.sess.Serial, c.run.ID)
	c.m.moved(c.state, now)
	return nil
}

// endOf is what becomes of the run that waits for a settled question, when it does not go on.
func endOf(q inquiry.Question) (c session.Change, ends bool) {
	switch {
	case q.Status == inquiry.Expired:
		c.To, c.Reason, c.Err = session.Expired, agentloop.SessionExpired, "nobody answered before the question expired"
	case q.Status == inquiry.Withdrawn:
		c.To, c.Reason, c.Err = session.Paused, agentloop.UserPaused, "the question was withdrawn: "+q.Resolution.Why
	case q.Status == inquiry.TimedOut && q.OnTimeout == inquiry.GiveUp:
		c.To, c.Reason, c.Err = session.Aborted, agentloop.QuestionTimedOut, "nobody answered in time"
	}
	return c, c.To != ""
}

// exchange is a settled question as the model sees it. Of a secret one it learns only what became of it.
func (m *Manager) exchange(q inquiry.Question) (x actions.Exchange) {
	x.Question, x.Answer = q.Text, q.Resolution.Response.Reveal()
	switch {
	case q.Resolution.Type == inquiry.TypeDecline:
		x.Outcome = actions.Refused
	case q.Resolution.Type == inquiry.TypeDefault:
		x.Outcome = actions.DefaultAnswer
	case q.Resolution.Type != inquiry.TypeAnswer:
		x.Outcome = actions.Silence
	case q.Resolution.Authority == inquiry.AuthorityAgent:
		x.Outcome = actions.ModelAnswer
	default:
		x.Outcome = actions.Answered
	}
	if q.Secret {
		x.Answer = ""
	}
	if q.Secret && q.Resolution.Type == inquiry.TypeAnswer {
		x.Answer = m.secretGiven()
	}
	return x
}

// secretGiven is what the model is told instead of a secret.
func (m *Manager) secretGiven() string {
	if strings.HasPrefix(m.opts.Lang, "zh") {
		return fmt.Sprintf("对方已提供,内容保密。需要输入时,请把 %s 原样作为 TYPE 的内容", secretWord)
	}
	return fmt.Sprintf("given, and kept secret; to enter it, TYPE exactly %s", secretWord)
}
