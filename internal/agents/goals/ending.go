package goals

import (
	"context"
	"errors"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// silence pauses the work because a question of the kind is unanswered.
type silence struct{ kind inquiry.Kind }

func (s *silence) Error() string {
	if s.kind.Flag() != "" {
		return "nobody has decided in time (questions.attention)"
	}
	return "nobody has answered in time (questions.attention)"
}

func (s *silence) ending() *agentloop.Ending {
	_, reason := store.WaitingFor(s.kind)
	do := "answer it (taploop inquiries), then go on"
	if s.kind.Flag() != "" {
		do = "decide (taploop inquiries), then go on"
	}
	return &agentloop.Ending{Reason: reason, Err: hint.Add(s, do)}
}

// endings maps errors to the endings of work. The first match counts.
var endings = []struct {
	err    error
	reason agentloop.StopReason
	hint   string
}{
	{agents.ErrCalls, agentloop.MaxStepsReached, "go on with a larger host.max_calls"},
	{agents.ErrRounds, agentloop.MaxStepsReached, "go on with a larger host.max_rounds"},
	{agents.ErrCost, agentloop.MaxStepsReached, "go on with a larger host.max_cost"},
	{agents.ErrTime, agentloop.TimeLimitReached, "go on, or set a larger host.max_time"},
	{agents.ErrUnreadable, agentloop.ModelOutputInvalid, "try another model"},
}

// endingOf returns the ending for an error, with a hint.
func endingOf(err error) *agentloop.Ending {
	if s, ok := errors.AsType[*silence](err); ok {
		return s.ending()
	}
	for _, e := range endings {
		if errors.Is(err, e.err) {
			return &agentloop.Ending{Reason: e.reason, Err: hint.Add(err, e.hint)}
		}
	}
	end := &agentloop.Ending{Reason: agentloop.Failed(err), Err: err}
	if m, ok := errors.AsType[*model.Error](err); ok {
		end.Reason = agentloop.ModelError
		if m.Kind == model.Unauthorized {
			end.Reason = agentloop.ModelKeyRefused
		}
	}
	return end
}

// silenceEvery is how often awaitSilence looks for unanswered questions.
const silenceEvery = 500 * time.Millisecond

// awaitSilence cancels the work when a question of the agents has been open for longer than
// Patience in this life. It does nothing if the agents are told instead.
func (w *work) awaitSilence(ctx context.Context, cancel context.CancelCauseFunc) {
	if w.Patience <= 0 {
		return
	}
	began := time.Now()
	for wait.For(ctx, silenceEvery) == nil {
		open, err := w.goal.Runs.Broker().List(ctx,
			inquiry.Filter{SessionID: w.life.Session.ID, Status: inquiry.Pending})
		if err != nil {
			w.Log.WarnContext(ctx, "looking at the questions", "error", err)
		}
		for _, q := range open {
			since := began
			if q.AskedAt.After(began) {
				since = q.AskedAt
			}
			if time.Since(since) >= w.Patience && q.OnTimeout == inquiry.Pause {
				cancel(&silence{q.Kind})
			}
		}
	}
}
