package usecase

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// progressWatch reports how far a run is while a call waits for it. Only the goroutine of the call
// uses it, so that nothing is reported after the result.
type progressWatch struct {
	reporter *Reporter
	opts     *Options
	words    *export.Ends // in the language of the task
	// ends with the call's budget: a client that reads slowly does not hold the result up
	ctx  context.Context
	id   string // of the session
	base int    // steps of the session before the run's present call
	ran  bool   // it was reported that the run is running
}

// watch is Manager.Wait with progress: at each step, at each question and its settling, and
// every heartbeat.
func (u *Cases) watch(ctx context.Context, c *Call, st runs.Status, req runs.WaitRequest) (
	runs.Status, error) {
	reporting, cancel := context.WithTimeout(ctx, req.Budget)
	defer cancel()
	watch := u.opts.Runs.Watch(st.Session.ID)
	defer watch.Close()
	st, err := u.opts.Runs.Status(ctx, st.Session.ID) // what has happened before the watch began
	if err != nil {
		return st, err
	}
	p := &progressWatch{reporter: c.Report, opts: u.opts, ctx: reporting, id: st.Session.ID,
		base: st.Session.Steps - st.Local, words: export.EndsIn(words.Spoken(st.Run.Task))}
	p.reporter.step, p.reporter.of = st.Local, st.Run.MaxSteps

	var wg sync.WaitGroup
	defer wg.Wait()
	helpers, release := context.WithCancel(ctx)
	defer release()
	ended := make(chan waited, 1)
	wg.Go(func() {
		now, err := u.opts.Runs.Wait(helpers, req)
		ended <- waited{now, err}
	})
	questions := make(chan inquiry.Event)
	sub := u.opts.Questions.Subscribe()
	defer sub.Close()
	wg.Go(func() { pump(helpers, sub, questions) })

	p.begin(st)
	return p.until(ended, watch.C, questions, c.Report.Heartbeat)
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

// until reports what happens until the waiting is over.
func (p *progressWatch) until(ended <-chan waited, steps <-chan runs.Event,
	questions <-chan inquiry.Event, heartbeat time.Duration) (runs.Status, error) {
	quiet := time.NewTimer(heartbeat)
	defer quiet.Stop()
	for {
		select {
		case w := <-ended:
			p.drain(steps)
			if w.err == nil && w.status.Question != nil {
				p.asked(*w.status.Question)
			}
			return w.status, w.err
		case e := <-steps:
			if !p.happened(e) {
				continue
			}
		case e := <-questions:
			if !p.question(e) {
				continue
			}
		case <-quiet.C:
			if st, err := p.opts.Runs.Status(p.ctx, p.id); err == nil {
				p.say(p.status(st)) // nothing new has happened
			}
		}
		quiet.Reset(heartbeat)
	}
}

// drain reports what had happened before the waiting ended.
func (p *progressWatch) drain(steps <-chan runs.Event) {
	for {
		select {
		case e := <-steps:
			p.happened(e)
		default:
			return
		}
	}
}

// begin reports where a run stands that is going. One that has its phone, or has nobody before it,
// and does not run yet reports itself in a moment.
func (p *progressWatch) begin(st runs.Status) {
	h, held, err := p.opts.Leases.Holder(p.ctx, st.Session.Serial)
	starting := err == nil && st.Run.State == store.Queued && st.Ahead == 0 &&
		(!held || h.RunID == st.Run.ID)
	if st.Reason == agentloop.StillRunning && !starting {
		p.say(p.status(st))
	}
	if st.Question != nil && st.Run.State.Waiting() {
		p.asked(*st.Question)
	}
}

// happened reports a step that was taken, and a run that has its phone; false when there is nothing
// to report.
func (p *progressWatch) happened(e runs.Event) bool {
	switch {
	case e.Kind == agentloop.Stepped:
		n := e.Step.Index - p.base
		p.reporter.step = max(p.reporter.step, n)
		p.say(fmt.Sprintf("step %d of %d", n, p.reporter.of), p.words.Made(e.Step))
	case e.Kind == runs.StateChanged && e.State == store.Running && !p.ran:
		p.ran = true
		p.say(fmt.Sprintf("running: step %d of %d", p.reporter.step+1, p.reporter.of))
	default:
		return false
	}
	return true
}

// question reports a question of this session.
func (p *progressWatch) question(e inquiry.Event) bool {
	if e.Question.SessionID != p.id {
		return false
	}
	switch e.Type {
	case inquiry.Created:
		p.asked(e.Question)
	case inquiry.Resolved, inquiry.Withdrew, inquiry.RanOut:
		p.reporter.question(p.ctx, p.line(settledLine(e.Question)), e.Question)
	default:
		return false
	}
	return true
}

// asked reports an open question, once.
func (p *progressWatch) asked(q inquiry.Question) {
	p.reporter.question(p.ctx, p.line("the agent asks", text.Cut(text.Line(q.Text), 500)), q)
}

func (p *progressWatch) status(st runs.Status) string {
	switch {
	case st.Run.State == store.Queued:
		place := st.Ahead + 1
		return fmt.Sprintf("waiting for phone %s: number %d in the line", st.Session.Serial, place)
	case st.Run.State.Waiting():
		return "waiting for an answer"
	}
	p.ran = true
	if st.Stalled {
		return "the data folder does not answer, and the run waits for it"
	}
	if p.reporter.of == 0 {
		return "the agents work"
	}
	return fmt.Sprintf("running: step %d of %d", p.reporter.step+1, p.reporter.of)
}

// line is what the program says, and behind it what others do, which is as it is.
func (p *progressWatch) line(said string, others ...string) string {
	said = words.Phrase(p.words.Lang, said)
	return strings.Join(append([]string{said}, others...), p.words.Colon)
}

// say sends a message. The value counts the steps.
func (p *progressWatch) say(said string, others ...string) {
	p.reporter.report(p.ctx, Progress{Step: p.reporter.step, Of: p.reporter.of,
		Message: p.line(said, others...)})
}
