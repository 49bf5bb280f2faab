package runs

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// Work is what a run does in one life: a task on a phone or a goal of agents. It is not safe for
// concurrent use.
type Work interface {
	// Open acquires the phone before the run is stored, and returns its description. Work without a
	// phone returns the zero Device, and an error if there is a serial.
	Open(ctx context.Context, serial string) (store.Device, error)
	// Pursue carries the run out until it ends, pauses or waits. When ctx ends, it returns soon
	// with the Outcome of agentloop.Stopped, unless the run was completed before.
	Pursue(ctx context.Context, l Life) Outcome
	// Close releases what Open and Pursue acquired. Pursue may be called again.
	Close()
}

// Life is one life of a run, which is RUNNING.
type Life struct {
	Session store.Session
	Run     store.Run
	Observe func(agentloop.Event) // sends an event to the watchers of the run
}

// Outcome is how a life of a run ended.
type Outcome struct {
	agentloop.Ending
	Parked string // id of the question that the run waits for, or ""
}

// unlessStopped returns end, or the ending by ctx if that has ended, which may be the reason for
// end.
func unlessStopped(ctx context.Context, end *agentloop.Ending) *agentloop.Ending {
	if ctx.Err() != nil {
		return agentloop.Stopped(ctx)
	}
	return end
}

// endedInternally returns the ending for an internal error.
func endedInternally(ctx context.Context, err error) *agentloop.Ending {
	return unlessStopped(ctx, &agentloop.Ending{Reason: agentloop.Failed(err), Err: err})
}

// stateOf returns the state of a run with this ending. A run that can resume is PAUSED.
func stateOf(end *agentloop.Ending) store.State {
	if q := end.Question; q != nil {
		state, _ := store.WaitingFor(inquiry.Kind(q.Kind))
		return state
	}
	switch end.Reason {
	case agentloop.TaskCompleted:
		return store.Completed
	case agentloop.TaskAborted:
		return store.Aborted
	case agentloop.ManualStop, agentloop.Cancelled:
		return store.Cancelled
	case agentloop.QuestionLimit, agentloop.ReplayDiverged, agentloop.SkillDiverged:
		return store.Failed
	default:
		return store.Paused
	}
}
