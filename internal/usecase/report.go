package usecase

import (
	"context"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/text"
)

// Progress is what happens while a call waits.
type Progress struct {
	Step, Of int    // steps taken in this call, and the most that it may take (0 is unknown)
	Message  string // in words
	// Question was asked, or was settled if it is not open, or nil if the message is about none
	Question *inquiry.Question
}

// Reporter reports the progress of one call, each question once as it stands. It is for one
// goroutine at a time. Its methods do nothing on nil.
type Reporter struct {
	// Send is given what happens, in order and never after the call.
	Send      func(context.Context, Progress)
	Heartbeat time.Duration // between reports while nothing happens

	step int // the last one that was reported
	of   int
	seen map[string]inquiry.Status // questions
}

func (r *Reporter) report(ctx context.Context, p Progress) {
	if r != nil {
		r.step = max(p.Step, r.step)
		r.Send(ctx, p)
	}
}

// question reports a question, unless it was reported with its present status.
func (r *Reporter) question(ctx context.Context, message string, q inquiry.Question) {
	if r == nil || r.seen[q.ID] == q.Status {
		return
	}
	if r.seen == nil {
		r.seen = map[string]inquiry.Status{}
	}
	r.seen[q.ID] = q.Status
	r.report(ctx, Progress{Step: r.step, Of: r.of, Message: message, Question: &q})
}

// While does f, and reports the message at each heartbeat until f has returned.
func (r *Reporter) While(ctx context.Context, message string, f func() error) error {
	if r == nil {
		return f()
	}
	ended := make(chan error, 1)
	go func() { ended <- f() }() // While waits for it
	beat := time.NewTicker(r.Heartbeat)
	defer beat.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-beat.C:
			r.report(ctx, Progress{Step: r.step, Message: message})
		}
	}
}

// settledLine tells a client that follows the question what became of it.
func settledLine(q inquiry.Question) string {
	line := fmt.Sprintf("the question is settled: %s", q.Status)
	if r := q.Resolution; r != nil &&
		(q.Status == inquiry.Answered || q.Status == inquiry.Refused) {
		line += " by " + text.Cut(text.Line(r.Who()), 200)
	}
	return line
}
