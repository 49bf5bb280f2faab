package runs

import (
	"context"
	"errors"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// resumer applies the answers of settled questions to their runs.
type resumer struct{ m *Manager }

// watch handles events of questions from all channels until events ends.
func (r resumer) watch(events *inquiry.Subscription) {
	defer events.Close()
	for {
		e, err := events.Next(r.m.ctx)
		if err != nil {
			return
		}
		switch e.Type {
		case inquiry.Resolved, inquiry.RanOut, inquiry.Withdrew:
			r.m.spawn(func() { r.deliverRetrying(logs.Life(r.m.ctx, e.Context), e.Question.ID) })
		case inquiry.Created:
			r.m.spawn(func() { r.m.desk.Opened(e.Question) })
		case inquiry.Overdue:
			r.m.spawn(func() { r.m.desk.Overdue(e.Question) })
		case inquiry.Lost:
			r.m.spawn(func() {
				report(r.m, "looking for answers that were missed", r.catchUp(r.m.ctx))
			})
		}
	}
}

// catchUp handles the questions of all waiting runs, and forgets answers without a run.
func (r resumer) catchUp(ctx context.Context) error {
	waiting, err := r.m.store.Sessions(ctx, store.Filter{Waiting: true})
	if err != nil {
		return err
	}
	for _, w := range waiting {
		r.deliverRetrying(r.m.ctx, w.Latest.QuestionID)
	}
	unread, err := r.m.broker.List(ctx, inquiry.Filter{Unapplied: true, NoRun: true})
	if err != nil {
		return err
	}
	for _, q := range unread {
		r.deliverRetrying(r.m.ctx, q.ID)
	}
	return nil
}

// forget erases the secret in the answer to a question of no run, as nothing will read it.
func (r resumer) forget(ctx context.Context, q inquiry.Question) error {
	if !q.Secret || q.Open() {
		return nil
	}
	_, err := r.m.broker.Apply(ctx, q.ID, q.Fence)
	if errors.Is(err, inquiry.ErrApplied) {
		return nil
	}
	return err
}

const unapplied = "an answer could not be applied"

// deliverRetrying applies the answer of a settled question to its run, and has an open question
// routed. It does nothing if that was done already. It is called on events of questions, after a
// crash, and at the end of a run's life. While the store is unavailable, it retries in the
// background.
func (r resumer) deliverRetrying(ctx context.Context, questionID string) {
	err := r.deliver(ctx, questionID)
	if !agentloop.Unwritable(err) {
		report(r.m, unapplied, err, "question", questionID)
		return
	}
	if _, already := r.m.delivering.LoadOrStore(questionID, true); already {
		return
	}
	report(r.m, unapplied, err, "question", questionID)
	r.m.spawn(func() {
		defer r.m.delivering.Delete(questionID)
		for agentloop.Unwritable(err) && wait.For(ctx, queue.Poll) == nil {
			err = r.deliver(ctx, questionID)
		}
		report(r.m, unapplied, err, "question", questionID)
	})
}

func (r resumer) deliver(ctx context.Context, questionID string) error {
	q, err := r.m.broker.Get(ctx, questionID)
	if err != nil {
		return err
	}
	if q.RunID == "" {
		return r.forget(ctx, q)
	}
	run, err := r.m.store.Runs.Get(ctx, q.RunID)
	// The process that carries the run out applies it, and may outlive this one.
	if err != nil || r.m.store.Owner.Elsewhere(run) {
		return err
	}
	if q.Open() {
		r.m.desk.Route(q.ID)
		return nil
	}
	r.m.desk.Finish(q.ID, route.Elsewhere(q))
	c, unlock, err := r.m.openContinuation(ctx, ContinueRequest{SessionID: q.SessionID})
	if err != nil {
		return err
	}
	defer unlock()
	if c.run.QuestionID != q.ID {
		return nil
	}
	return c.resumeAnswered(ctx, &q)
}

// Recover takes over the runs of processes that died. It pauses them as SERVER_RESTARTED, except
// that a run whose question was answered in the meantime resumes. A server calls it once, before it
// accepts calls. Recover leaves runs of live processes alone.
func (m *Manager) Recover(ctx context.Context) error {
	return errors.Join(farm{m}.recoverAll(ctx), resumer{m}.catchUp(ctx))
}
