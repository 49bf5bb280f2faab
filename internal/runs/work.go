package runs

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/store"
)

// Work is what a run carries out in one of its lives: a task on a phone, or a goal of agents. One
// goroutine at a time uses it.
type Work interface {
	// Open gets hold of what the work is done on, before the run is stored, and says what that is.
	// For work that needs no phone it returns the zero Device, and refuses a serial.
	Open(ctx context.Context, serial string) (store.Device, error)
	// Pursue carries the run out until it ends or comes to rest. It returns soon when ctx ends; the
	// Outcome is then that of agentloop.Stopped, unless the run was completed before.
	Pursue(ctx context.Context, l Life) Outcome
	// Close gives back what Open and Pursue got hold of. Pursue after Close opens it again.
	Close()
}

// Life is one life of a run, which is RUNNING.
type Life struct {
	Session store.Session
	Run     store.Run
	Observe func(agentloop.Event) // tells those who watch the run
}

// Outcome is how a life of a run ended.
type Outcome struct {
	agentloop.Ending
	Parked string // the id of the stored question that the run waits for; "" if there is none
}

// unlessStopped is the ending of a life to which something has happened, perhaps only because ctx
// has ended.
func unlessStopped(ctx context.Context, end *agentloop.Ending) *agentloop.Ending {
	if ctx.Err() != nil {
		return agentloop.Stopped(ctx)
	}
	return end
}

// endedInternally is the ending by what should not happen.
func endedInternally(ctx context.Context, err error) *agentloop.Ending {
	return unlessStopped(ctx, &agentloop.Ending{Reason: agentloop.InternalError, Err: err})
}

// stateOf is the state of a run that ended so. A run that can go on is PAUSED.
func stateOf(end *agentloop.Ending) store.State {
	if q := end.Question; q != nil {
		return store.State(agentloop.WaitingFor(q.Kind).State)
	}
	switch end.Reason {
	case agentloop.TaskCompleted:
		return store.Completed
	case agentloop.TaskAborted:
		return store.Aborted
	case agentloop.ManualStop, agentloop.Cancelled:
		return store.Cancelled
	case agentloop.QuestionLimit, agentloop.ReplayDiverged:
		return store.Failed
	default:
		return store.Paused
	}
}
