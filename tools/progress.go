package tools

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// progressReporter sends the progress of one call, so that nothing is reported twice, and the value
// grows. It is for one goroutine at a time.
type progressReporter struct {
	token any                                   // of the progress that the client wants, or nil
	send  func(context.Context, Progress) error // nil sends it over MCP
	log   *slog.Logger
	value float64                   // the last one; -1 before the first
	seen  map[string]inquiry.Status // questions
}

func newProgressReporter(token any, log *slog.Logger) *progressReporter {
	return &progressReporter{token: token, log: log, value: -1, seen: map[string]inquiry.Status{}}
}

// first reports whether the question has not been reported as it is now.
func (p *progressReporter) first(q inquiry.Question) bool {
	if p.seen[q.ID] == q.Status {
		return false
	}
	p.seen[q.ID] = q.Status
	return true
}

// report sends a message. Between two steps the value grows by less and less, because "the progress
// value MUST increase with each notification, even if the total is unknown". of is the most steps,
// 0 when that is not known.
func (p *progressReporter) report(ctx context.Context, step, of int, message string,
	meta map[string]any) {
	at := float64(step)
	if at <= p.value {
		at = p.value + (float64(step+1)-p.value)/16
	}
	p.value = at
	var err error
	if p.send != nil {
		err = p.send(ctx, Progress{Step: step, Of: of, Message: message, Meta: meta})
	} else {
		err = transport.Progress(ctx, p.token, at, float64(of), message, meta)
	}
	if err != nil && ctx.Err() == nil {
		p.log.DebugContext(ctx, "progress", "err", err)
	}
}

// step is the one that was reported last.
func (p *progressReporter) step() int { return max(int(p.value), 0) }

// while does f, and sends the message at each heartbeat until it is done.
func (p *progressReporter) while(ctx context.Context, heartbeat time.Duration, message string,
	f func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- f() }() // while waits for it
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-beat.C:
			p.report(ctx, p.step(), 0, message, nil)
		}
	}
}

// settledLine tells a client that follows the question what became of it.
func settledLine(q inquiry.Question) string {
	line := fmt.Sprintf("the question is settled: %s", q.Status)
	if r := q.Resolution; r != nil &&
		(q.Status == inquiry.Answered || q.Status == inquiry.Refused) {
		line += " by " + shortLine(r.Who(), 200)
	}
	return line
}

// askedMeta is the _meta of a progress message about an open question.
func (o *Options) askedMeta(q inquiry.Question) map[string]any {
	meta := o.questionMeta("INQUIRY", q)
	meta["question"], meta["kind"] = q.Text, q.Kind
	if len(inquiry.As[inquiry.Ask](q).Options) > 0 {
		meta["options"] = inquiry.As[inquiry.Ask](q).Options
	}
	if len(inquiry.As[inquiry.Form](q).Fields) > 0 {
		meta["fields"] = inquiry.As[inquiry.Form](q).Fields
	}
	return meta
}

// settledMeta is the one about a question that is settled: who, through which channel and how;
// never the words.
func (o *Options) settledMeta(q inquiry.Question) map[string]any {
	meta := o.questionMeta("INQUIRY_RESOLVED", q)
	meta["status"] = q.Status
	if r := q.Resolution; r != nil {
		how := map[string]any{"type": r.Type, "channel": r.Channel}
		if r.Authority != "" {
			how["authority"] = r.Authority
		}
		if r.By != "" {
			how["by"] = shortLine(r.By, 200)
		}
		meta["resolution"] = how
	}
	return meta
}

func (o *Options) questionMeta(kind string, q inquiry.Question) map[string]any {
	meta := map[string]any{"type": kind, "inquiryId": q.ID, "question_id": q.ID}
	if url := o.replyURL(q.ID); url != "" {
		meta["reply_url"] = url
	}
	return meta
}

// progressWatch reports how far a run is while a call waits for it. Only the goroutine of the call
// uses it, so that nothing is reported after the result.
type progressWatch struct {
	*progressReporter
	*Options
	// ends with the call's budget: a client that reads slowly does not hold the result up
	ctx  context.Context
	id   string // of the session
	base int    // steps of the session before the run's present call
	step int    // steps of the run's present call
	of   int    // the most steps of it
	ran  bool   // it was reported that the run is running
}

// watchProgress is Manager.Wait with progress: at each step, at each question and its settling, and
// every heartbeat.
func watchProgress(ctx context.Context, o *Options, c *call, st runs.Status,
	req runs.WaitRequest) (runs.Status, error) {
	reporting, cancel := context.WithTimeout(ctx, req.Budget)
	defer cancel()
	watch := o.Runs.Watch(st.Session.ID)
	defer watch.Close()
	st, err := o.Runs.Status(ctx, st.Session.ID) // what has happened before the watch began
	if err != nil {
		return st, err
	}
	p := &progressWatch{progressReporter: c.progress, Options: o, ctx: reporting, id: st.Session.ID,
		base: st.Session.Steps - st.Local, step: st.Local, of: st.Run.MaxSteps}

	var wg sync.WaitGroup
	defer wg.Wait()
	helpers, release := context.WithCancel(ctx)
	defer release()
	ended := make(chan waited, 1)
	wg.Go(func() {
		now, err := o.Runs.Wait(helpers, req)
		ended <- waited{now, err}
	})
	questions := make(chan inquiry.Event)
	sub := o.Questions.Subscribe()
	defer sub.Close()
	wg.Go(func() { pump(helpers, sub, questions) })

	p.begin(st)
	return p.until(ended, watch.C, questions, c.waits.Heartbeat)
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
			p.beat()
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

// begin reports where a run stands that goes on. One that has its phone and does not run yet
// reports itself in a moment.
func (p *progressWatch) begin(st runs.Status) {
	h, held, err := p.Leases.Holder(p.ctx, st.Session.Serial)
	starting := err == nil && held && h.RunID == st.Run.ID && st.Run.State == store.Queued
	if st.Reason == agentloop.StillRunning && !starting {
		p.say(p.status(st), nil)
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
		p.step = max(p.step, n)
		did := export.Headline(e.Step.Proposal)
		p.say(fmt.Sprintf("step %d of %d: %s", n, p.of, did), nil)
	case e.Kind == runs.StateChanged && e.State == store.Running && !p.ran:
		p.ran = true
		p.say(fmt.Sprintf("running: step %d of %d", p.step+1, p.of), nil)
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
		if p.first(e.Question) {
			p.say(settledLine(e.Question), p.settledMeta(e.Question))
		}
	default:
		return false
	}
	return true
}

// asked reports an open question, once.
func (p *progressWatch) asked(q inquiry.Question) {
	if p.first(q) {
		p.say("the agent asks: "+shortLine(q.Text, 500), p.askedMeta(q))
	}
}

// beat reports that nothing new has happened.
func (p *progressWatch) beat() {
	if st, err := p.Runs.Status(p.ctx, p.id); err == nil {
		p.say(p.status(st), nil)
	}
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
	if p.of == 0 {
		return "the agents work"
	}
	return fmt.Sprintf("running: step %d of %d", p.step+1, p.of)
}

// say sends a message. The value counts the steps.
func (p *progressWatch) say(message string, meta map[string]any) {
	p.report(p.ctx, p.step, p.of, message, meta)
}
