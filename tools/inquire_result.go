package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/tools/result"

	"github.com/taploop/taploop/inquiry"
)

// delivered notes that whoever asked has the answer, once. A secret one is erased with that.
func (t *Tools) delivered(ctx context.Context, q inquiry.Question) {
	if q.Open() || !q.AppliedAt.IsZero() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := t.opts.Runs.Broker().Apply(ctx, q.ID, q.Fence); err != nil && !errors.Is(err, inquiry.ErrApplied) {
		t.log.WarnContext(ctx, "noting an answer as given", "question", q.ID, "err", err)
	}
}

// answerReply tells how a question stands, with what body says already.
func (t *Tools) answerReply(c *call, q inquiry.Question, body result.Inquiry) (*reply, error) {
	body.ID, body.SessionID, body.Status, body.Settled = q.ID, q.SessionID, q.Status, result.NewWinner(q)
	if q.Open() {
		body.Question = t.questionNow(q)
	}
	body.Next = nextOfQuestion(q)
	r := &reply{tail: strings.Join(t.inquiryLines(q, c.tongue), "\n")}
	if res := q.Resolution; res != nil && (res.Type == inquiry.TypeAnswer || res.Type == inquiry.TypeDefault) {
		body.Settled.Answer = "" // it is said once
		return r, r.fitAnswer(c, q, &body)
	}
	return r, r.fit(&body)
}

// fitAnswer adds the answer: all of it, or as much as fits and the call that reads on.
func (r *reply) fitAnswer(c *call, q inquiry.Question, body *result.Inquiry) error {
	all := []rune(q.Resolution.Response.String())
	from := min(c.args.int("answer_from"), len(all))
	whole, tail, next, notes := from == 0, r.tail, body.Next, slices.Clip(body.Notes)
	for to := len(all); ; to = from + (to-from)*2/3 {
		part := string(all[from:to])
		body.Answer, body.Values, body.Next, body.Notes, r.tail = &part, nil, next, notes, tail
		if to == len(all) && whole {
			body.Values = result.ValuesOf(q)
		}
		if to < len(all) {
			body.Notes = append(notes, fmt.Sprintf("the answer has %d characters; these are the ones from %d to %d", len(all), from, to))
		}
		if to < len(all) && c.request.Params.Name == inquiryTool { // who answers knows it
			arguments := map[string]any{"question_id": q.ID, "answer_from": to}
			body.Next, r.tail = nextCall(inquiryTool, arguments, "the answer goes on"), say(c.tongue.readOn, quote(arguments))
		}
		r.body = *body
		size, err := r.size()
		if err != nil || size <= maxResult || to <= from {
			return err
		}
	}
}
