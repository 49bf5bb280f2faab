package tools

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/internal/mcptransport"
	"github.com/taploop/taploop/internal/text"
)

// told is what the client of one call has been told, so that nothing is told twice, and the value grows. It is for one
// goroutine at a time.
type told struct {
	token any // of the progress that the client wants to be told, or nil
	log   *slog.Logger
	value float64                   // what was told last; -1 before the first
	seen  map[string]inquiry.Status // questions
}

func newTold(token any, log *slog.Logger) *told {
	return &told{token: token, log: log, value: -1, seen: map[string]inquiry.Status{}}
}

// first reports whether the question has not been told as it is now.
func (x *told) first(q inquiry.Question) bool {
	if x.seen[q.ID] == q.Status {
		return false
	}
	x.seen[q.ID] = q.Status
	return true
}

// say sends a message. Between two steps the value grows by less and less, because "the progress value MUST increase with
// each notification, even if the total is unknown". of is the most steps, 0 when that is not known.
func (x *told) say(ctx context.Context, step, of int, message string, meta map[string]any) {
	at := float64(step)
	if at <= x.value {
		at = x.value + (float64(step+1)-x.value)/16
	}
	x.value = at
	err := mcptransport.Progress(ctx, x.token, at, float64(of), message, meta)
	if err != nil && ctx.Err() == nil {
		x.log.DebugContext(ctx, "progress", "err", err)
	}
}

// step is the one that was told last.
func (x *told) step() int { return max(int(x.value), 0) }

// settledLine tells a client that follows the question what became of it.
func settledLine(q inquiry.Question) string {
	line := fmt.Sprintf("the question is settled: %s", q.Status)
	if r := q.Resolution; r != nil && (q.Status == inquiry.Answered || q.Status == inquiry.Refused) {
		line += " by " + text.Cut(text.Line(r.Who()), 200)
	}
	return line
}
