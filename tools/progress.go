package tools

import (
	"context"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/usecase"
)

// progress sends the progress of one call to its client, with a value that grows.
type progress struct {
	edge  edge
	token any
	value float64 // the last one, or -1 before the first
}

// send sends a message. Between two steps the value grows by less and less, because "the progress
// value MUST increase with each notification, even if the total is unknown".
func (p *progress) send(ctx context.Context, said usecase.Progress) {
	at := float64(said.Step)
	if at <= p.value {
		at = p.value + (float64(said.Step+1)-p.value)/16
	}
	p.value = at
	err := transport.Progress(ctx, p.token, at, float64(said.Of), said.Message,
		p.meta(said.Question))
	if err != nil && ctx.Err() == nil {
		p.edge.opts.Log.DebugContext(ctx, "progress", "err", err)
	}
}

// meta is the _meta of a message about a question: what is asked, or by whom, through which channel
// and how it was settled; never the words of the answer.
func (p *progress) meta(q *inquiry.Question) map[string]any {
	if q == nil {
		return nil
	}
	meta := map[string]any{"type": "INQUIRY", "inquiryId": q.ID, "question_id": q.ID}
	if url := p.edge.replyURL(q.ID); url != "" {
		meta["reply_url"] = url
	}
	if q.Open() {
		meta["question"], meta["kind"] = q.Text, q.Kind
		if options := inquiry.As[inquiry.Ask](*q).Options; len(options) > 0 {
			meta["options"] = options
		}
		if fields := inquiry.As[inquiry.Form](*q).Fields; len(fields) > 0 {
			meta["fields"] = fields
		}
		return meta
	}
	meta["type"], meta["status"] = "INQUIRY_RESOLVED", q.Status
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
