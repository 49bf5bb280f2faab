package tools

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/session/export"
)

// What the _meta of a progress message says of a question.
const (
	metaInquiry  = "INQUIRY"
	metaResolved = "INQUIRY_RESOLVED"
)

// aloud is a call that waits and tells its client how far the run is. Only the goroutine of the call uses it, so that
// nothing is told after the result.
type aloud struct {
	*told
	t    *Tools
	ctx  context.Context // ends with the call's budget: a client that reads slowly does not hold the result up
	id   string          // of the session
	base int             // steps of the session before the run's present call
	step int             // steps of the run's present call
	of   int             // the most steps of it
	ran  bool            // it was told that the run is running
}

// awaitAloud is Manager.Wait with progress: at each step, at each question and its settling, and every heartbeat.
func (t *Tools) awaitAloud(ctx context.Context, c *call, st runs.Status, req runs.WaitRequest) (runs.Status, error) {
	telling, cancel := context.WithTimeout(ctx, req.Budget)
	defer cancel()
	watch := t.opts.Runs.Watch(st.Session.ID)
	defer watch.Close()
	st, err := t.opts.Runs.Status(ctx, st.Session.ID) // what has happened before the watch began
	if err != nil {
		return st, err
	}
	a := &aloud{told: c.told, t: t, ctx: telling, id: st.Session.ID, base: st.Session.Steps - st.Local, step: st.Local, of: st.Run.MaxSteps}

	var wg sync.WaitGroup
	defer wg.Wait()
	helpers, release := context.WithCancel(ctx)
	defer release()
	ended := make(chan waited, 1)
	wg.Go(func() {
		now, err := t.opts.Runs.Wait(helpers, req)
		ended <- waited{now, err}
	})
	questions := make(chan inquiry.Event)
	sub := t.opts.Runs.Broker().Subscribe()
	defer sub.Close()
	wg.Go(func() { pump(helpers, sub, questions) })

	a.begin(st)
	return a.until(ended, watch.C, questions, c.waits.Heartbeat)
}

type waited struct {
	status runs.Status
	err    error
}

func pump(ctx context.Context, sub *inquiry.Subscription, to chan<- inquiry.Event) {
	for {
		e, err := sub.Next(ctx)
		if err != nil {
			return
		}
		select {
		case to <- e:
		case <-ctx.Done():
			return
		}
	}
}

// until tells what happens until the waiting is over.
func (a *aloud) until(ended <-chan waited, steps <-chan runs.Event, questions <-chan inquiry.Event, heartbeat time.Duration) (runs.Status, error) {
	quiet := time.NewTimer(heartbeat)
	defer quiet.Stop()
	for {
		select {
		case w := <-ended:
			for { // what had happened until then
				select {
				case e := <-steps:
					a.happened(e)
					continue
				default:
				}
				break
			}
			if w.err == nil && w.status.Question != nil {
				a.ask(*w.status.Question)
			}
			return w.status, w.err
		case e := <-steps:
			if !a.happened(e) {
				continue
			}
		case e := <-questions:
			if !a.question(e) {
				continue
			}
		case <-quiet.C:
			a.beat()
		}
		quiet.Reset(heartbeat)
	}
}

// begin tells where a run stands that goes on. One that has its phone, and has not got round to running yet, says so itself in
// a moment.
func (a *aloud) begin(st runs.Status) {
	h, held, err := a.t.opts.Store.Holder(a.ctx, st.Session.Serial)
	starting := err == nil && held && h.RunID == st.Run.ID && st.Run.State == session.Queued
	if st.Reason == agentloop.StillRunning && !starting {
		a.tell(a.standing(st), nil)
	}
	if st.Question != nil && st.Run.State == session.WaitingReply {
		a.ask(*st.Question)
	}
}

// happened tells of a step that was taken, and of a run that has its turn; false when there is nothing to tell.
func (a *aloud) happened(e runs.Event) bool {
	switch {
	case e.Kind == agentloop.Stepped:
		n := e.Step.Index - a.base
		a.step = max(a.step, n)
		a.tell(fmt.Sprintf("step %d of %d: %s", n, a.of, export.Headline(e.Step.Proposal.Decision)), nil)
	case e.Kind == runs.StateChanged && e.State == session.Running && !a.ran:
		a.ran = true
		a.tell(fmt.Sprintf("running: step %d of %d", a.step+1, a.of), nil)
	default:
		return false
	}
	return true
}

// question tells of a question of this session.
func (a *aloud) question(e inquiry.Event) bool {
	q := e.Question
	if q.SessionID != a.id {
		return false
	}
	switch e.Type {
	case inquiry.Created:
		a.ask(q)
	case inquiry.Resolved, inquiry.Withdrew, inquiry.RanOut:
		a.settle(q)
	default:
		return false
	}
	return true
}

// ask tells of an open question, once.
func (a *aloud) ask(q inquiry.Question) {
	if a.first(q) {
		a.tell("the agent asks: "+text.Cut(text.Line(q.Text), 500), a.t.metaOf(q))
	}
}

// settle tells that a question is settled, once.
func (a *aloud) settle(q inquiry.Question) {
	if a.first(q) {
		a.tell(settledLine(q), a.t.metaSettled(q))
	}
}

// beat tells that nothing new has happened.
func (a *aloud) beat() {
	st, err := a.t.opts.Runs.Status(a.ctx, a.id)
	if err != nil {
		return
	}
	a.tell(a.standing(st), nil)
}

func (a *aloud) standing(st runs.Status) string {
	switch {
	case st.Run.State == session.Queued:
		return fmt.Sprintf("waiting for phone %s: number %d in the line", st.Session.Serial, st.Ahead+1)
	case st.Run.State == session.WaitingReply:
		return "waiting for an answer"
	default:
		a.ran = true
		return fmt.Sprintf("running: step %d of %d", a.step+1, a.of)
	}
}

// tell sends a message. The value counts the steps.
func (a *aloud) tell(message string, meta map[string]any) { a.say(a.ctx, a.step, a.of, message, meta) }
