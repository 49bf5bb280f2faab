package tools

import (
	"context"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/text"
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
		now, err := t.opts.Runs.Broker().Wait(waiting, q.ID)
		ended <- settled{now, err}
	}()
	t.tellAsked(waiting, c, q)
	beat := time.NewTicker(c.waits.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case <-beat.C:
			c.told.say(waiting, c.told.step(), 0, "waiting for an answer", nil)
			continue
		case s := <-ended:
			switch {
			case ctx.Err() != nil:
				return q, context.Cause(ctx)
			case s.err != nil && waiting.Err() != nil: // the budget is used up, perhaps within a read
				return t.opts.Runs.Broker().Get(ctx, q.ID)
			case s.err != nil:
				return q, s.err
			}
			t.tellSettled(ctx, c, q)
			return s.Question, nil
		}
	}
}

// tellAsked tells the client of an inquiry that is open, once.
func (t *Tools) tellAsked(ctx context.Context, c *call, q inquiry.Question) {
	if c.told.first(q) {
		c.told.say(ctx, c.told.step(), 0, "asked: "+text.Cut(text.Line(q.Text), 500), t.metaOf(q))
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
	if r := q.Resolution; r != nil { // who, through which door and how; never the words
		how := map[string]any{"type": r.Type, "channel": r.Channel}
		if r.Authority != "" {
			how["authority"] = r.Authority
		}
		if r.By != "" {
			how["by"] = text.Cut(text.Line(r.By), 200)
		}
		meta["resolution"] = how
	}
	if url := t.replyURL(q.ID); url != "" {
		meta["reply_url"] = url
	}
	return meta
}
