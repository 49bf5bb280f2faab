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

// reply answers a question of the session and resumes its run.
func (f *Manager) reply(ctx context.Context, c *call) (Status, error) {
	open, err := f.openQuestion(ctx, c.run)
	if err != nil {
		return Status{}, err
	}
	id, err := f.addressed(ctx, c, open)
	if err != nil {
		return Status{}, err
	}
	if open != nil && open.ID == id && !c.Queue {
		if err := f.free(ctx, c.sess.Serial, c.sess.ID, c.sess.Client); err != nil {
			return Status{}, err
		}
	}
	if c.Settings != nil { // before the answer is taken
		if _, err := f.checkSettings(*c.Settings); err != nil {
			return Status{}, err
		}
	}
	if _, err := f.steps(c.MaxSteps); err != nil {
		return Status{}, err
	}
	res, err := f.broker.Resolve(ctx, id, c.Reply.inquiry())
	if err != nil {
		return Status{}, unresolved(id, open, err)
	}
	var st Status
	if res.Replayed {
		st, err = f.replayed(ctx, c)
	} else {
		st, err = f.resume(ctx, c, &res.Question)
	}
	st.Answered = &res.Question
	return st, err
}

// forget erases the secret that answers a question which no run has asked: nobody is going to read it.
func (f *Manager) forget(ctx context.Context, q inquiry.Question) error {
	if !q.Secret || q.Open() {
		return nil
	}
	if _, err := f.broker.Apply(ctx, q.ID, q.Fence); err != nil && !errors.Is(err, inquiry.ErrApplied) {
		return err
	}
	return nil
}

// openQuestion is the question that the run waits for, or nil.
func (f *Manager) openQuestion(ctx context.Context, r session.Run) (*inquiry.Question, error) {
	if r.State != session.WaitingReply && r.State != session.Paused {
		return nil, nil
	}
	q, err := f.unapplied(ctx, r)
	if err != nil || q == nil || !q.Open() {
		return nil, err
	}
	return q, nil
}

// addressed is the id of the question that the reply is for.
func (f *Manager) addressed(ctx context.Context, c *call, open *inquiry.Question) (string, error) {
	all, err := f.broker.List(ctx, inquiry.Filter{SessionID: c.sess.ID})
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

// replayed is the success of a reply that was taken before. Should it not have been applied yet, it is now.
func (f *Manager) replayed(ctx context.Context, c *call) (Status, error) {
	var st Status
	var err error
	if c.run.State == session.WaitingReply {
		st, err = f.goOn(ctx, c)
	} else {
		st, err = f.Status(ctx, c.sess.ID)
	}
	st.Replayed = true
	return st, err
}

// exchange is a settled question as the model sees it. Of a secret one it learns only what became of it.
func (f *Manager) exchange(q inquiry.Question) (x actions.Exchange) {
	x.Question, x.Answer = q.Text, q.Resolution.Response.Reveal()
	switch {
	case q.Resolution.Type == inquiry.TypeDecline:
		x.Outcome = actions.Refused
	case q.Resolution.Type == inquiry.TypeDefault:
		x.Outcome = actions.DefaultAnswer
	case q.Resolution.Type != inquiry.TypeAnswer:
		x.Outcome = actions.Silence
	case q.Resolution.Authority == agent:
		x.Outcome = actions.ModelAnswer
	default:
		x.Outcome = actions.Answered
	}
	if q.Secret {
		x.Answer = ""
	}
	if q.Secret && q.Resolution.Type == inquiry.TypeAnswer {
		x.Answer = f.secretGiven()
	}
	return x
}

// secretGiven is what the model is told instead of a secret.
func (f *Manager) secretGiven() string {
	if strings.HasPrefix(f.opts.Lang, "zh") {
		return fmt.Sprintf("对方已提供,内容保密。需要输入时,请把 %s 原样作为 TYPE 的内容", secretWord)
	}
	return fmt.Sprintf("given, and kept secret; to enter it, TYPE exactly %s", secretWord)
}

// heed brings what happens to questions to their runs, whichever door it came through.
func (f *Manager) heed(events *inquiry.Subscription) {
	defer events.Close()
	for {
		e, err := events.Next(f.ctx)
		if err != nil {
			return
		}
		switch e.Type {
		case inquiry.Resolved, inquiry.RanOut, inquiry.Withdrew:
			f.spawn(func() { f.settled(e.Question.ID) })
		case inquiry.Overdue:
			if e.Question.OnTimeout == inquiry.AskModel && f.opts.Answerer != nil {
				f.spawn(func() { f.answerOverdue(e.Question) })
			}
		case inquiry.Lost:
			f.spawn(func() {
				if err := f.catchUp(f.ctx); err != nil && f.ctx.Err() == nil {
					f.log.Error("looking for answers that were missed", "err", err)
				}
			})
		}
	}
}

// answerOverdue lets the model answer a question that nobody gave attention to.
func (f *Manager) answerOverdue(q inquiry.Question) {
	run, err := f.store.Run(f.ctx, q.RunID)
	if err == nil && !f.store.OwnedElsewhere(run) {
		err = f.answerInPlace(f.ctx, q)
	}
	if err != nil && f.ctx.Err() == nil {
		f.log.Warn("no model's answer", "question", q.ID, "err", err)
	}
}

// catchUp looks for settled questions whose runs still wait, or which no run has asked, and sees to those that are open.
func (f *Manager) catchUp(ctx context.Context) error {
	waiting, err := f.store.Sessions(ctx, session.Filter{State: session.WaitingReply})
	if err != nil {
		return err
	}
	for _, w := range waiting {
		f.settled(w.Latest.QuestionID)
	}
	unapplied, err := f.broker.List(ctx, inquiry.Filter{Unapplied: true})
	if err != nil {
		return err
	}
	for _, q := range unapplied {
		if q.RunID == "" {
			err = errors.Join(err, f.forget(ctx, q))
		}
	}
	return err
}

// settled brings a settled question to the run that waits for it, and an open one to whoever may answer. It does nothing when
// somebody else has.
func (f *Manager) settled(questionID string) {
	if err := f.apply(f.ctx, questionID); err != nil && f.ctx.Err() == nil {
		f.log.Error("an answer could not be applied", "question", questionID, "err", err)
	}
}

func (f *Manager) apply(ctx context.Context, questionID string) error {
	q, err := f.broker.Get(ctx, questionID)
	if err != nil {
		return err
	}
	if q.RunID == "" {
		return f.forget(ctx, q)
	}
	run, err := f.store.Run(ctx, q.RunID)
	if err != nil || f.store.OwnedElsewhere(run) { // it is for the process that carries the run out, which may live longer than this one
		return err
	}
	if q.Open() {
		f.usher(q)
		return nil
	}
	d := f.desk(q.SessionID)
	d.dismiss(q.ID, settledAs(q))
	giveBack, err := d.take(ctx)
	if err != nil {
		return err
	}
	defer giveBack()
	if run, err = f.store.Run(ctx, q.RunID); err != nil || run.QuestionID != q.ID {
		return err
	}
	sess, err := f.store.Session(ctx, run.SessionID)
	if err != nil {
		return err
	}
	end, ends := endOf(q)
	if !ends {
		c := &call{ContinueRequest: ContinueRequest{SessionID: sess.ID, Queue: true}, desk: d, sess: sess, run: run, same: true}
		_, err = f.resume(ctx, c, &q)
		return err
	}
	end.Fence = run.Fence
	now, err := f.store.Transition(ctx, run.ID, end)
	if err != nil {
		return err
	}
	f.release(ctx, sess.Serial, run.ID)
	f.moved(d, now)
	return nil
}

// endOf is what becomes of the run that waits for a settled question, when it does not go on.
func endOf(q inquiry.Question) (c session.Change, ends bool) {
	c.From = []session.State{session.WaitingReply}
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
