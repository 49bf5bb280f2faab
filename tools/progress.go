package tools

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/mcptransport"
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
		err = mcptransport.Progress(ctx, p.token, at, float64(of), message, meta)
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
	if len(q.Options) > 0 {
		meta["options"] = q.Options
	}
	if len(q.Fields) > 0 {
		meta["fields"] = q.Fields
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
