package tools

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/mcptransport"
)

// awaitAnswer waits within the budget until the question is settled, and tells the client so when it wants that. Its error is
// ctx's cause, or that the question cannot be read.
func (t *Tools) awaitAnswer(ctx context.Context, c *call, q inquiry.Question, budget time.Duration) (inquiry.Question, error) {
	if !q.Open() {
		return q, nil
	}
	waiting, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	type settled struct {
		inquiry.Question
		err error
	}
	ended := make(chan settled, 1)
	go func() { // awaitAnswer waits for it
		now, err := t.opts.Fleet.Broker().Wait(waiting, q.ID)
		ended <- settled{now, err}
	}()
	w := &waiter{t: t, ctx: waiting, token: c.token, value: -1}
	w.ask(q)
	beat := time.NewTicker(c.waits.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			w.tell("waiting for an answer", nil)
			continue
		case s := <-ended:
			switch {
			case ctx.Err() != nil:
				return q, context.Cause(ctx)
			case s.err != nil && waiting.Err() != nil: // the budget is used up, perhaps within a read
				return t.opts.Fleet.Broker().Get(ctx, q.ID)
			case s.err != nil:
				return q, s.err
			}
			w.settled(s.Question)
			return s.Question, nil
		}
	}
}

// waiter tells the client of a call that waits for one answer. Only the goroutine of the call uses it.
type waiter struct {
	t     *Tools
	ctx   context.Context // ends with the call's budget: a client that reads slowly does not hold the result up
	token any
	value float64
}

func (w *waiter) ask(q inquiry.Question) {
	w.tell("asked: "+oneLine(cut(q.Text, 500)), w.t.metaOf(q))
}

func (w *waiter) settled(q inquiry.Question) {
	w.tell(fmt.Sprintf("the question is settled: %s", q.Status), w.t.metaSettled(q))
}

// tell sends a message. "The progress value MUST increase with each notification."
func (w *waiter) tell(message string, meta map[string]any) {
	w.value++
	if err := mcptransport.Progress(w.ctx, w.token, w.value, 0, message, meta); err != nil && w.ctx.Err() == nil {
		w.t.log.DebugContext(w.ctx, "progress", "err", err)
	}
}

// metaOf is the _meta of a progress message about an open question.
func (t *Tools) metaOf(q inquiry.Question) map[string]any {
	meta := map[string]any{"type": metaInquiry, "inquiryId": q.ID, "question_id": q.ID, "question": q.Text, "kind": q.Kind}
	if len(q.Options) > 0 {
		meta["options"] = q.Options
	}
	if len(q.Fields) > 0 {
		meta["fields"] = q.Fields
	}
	if url := t.replyURL(q.ID); url != "" {
		meta["reply_url"] = url
	}
	return meta
}

// metaSettled is the one about a question that is settled.
func (t *Tools) metaSettled(q inquiry.Question) map[string]any {
	meta := map[string]any{"type": metaResolved, "inquiryId": q.ID, "question_id": q.ID, "status": q.Status}
	if url := t.replyURL(q.ID); url != "" {
		meta["reply_url"] = url
	}
	return meta
}
