package serve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/schedule"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// schedules begins scheduled tasks until s is closed.
func (s *Service) schedules(conf config.Schedule) {
	s.inTurn("schedule.lock", schedule.New(&schedule.Options{Store: s.Store.Schedules,
		Runs: scheduled{s}, SkipBusy: conf.Busy == config.Skip,
		SkipLate: conf.Missed == config.Skip, Tell: s.tellMissed, Log: s.log}).Run)
}

// scheduled begins the runs of schedules. It implements schedule.Runs.
type scheduled struct{ s *Service }

// call is a call for a schedule. It has no authority: the words of a task that was written for
// other days consent to nothing today.
func (scheduled) call(name, client string) *usecase.Call {
	return &usecase.Call{Client: client, By: runs.Actor{Channel: "schedule", Name: name},
		Most: math.MaxInt64}
}

// Begin implements schedule.Runs.
func (r scheduled) Begin(ctx context.Context, one store.Schedule, key string, queue bool) (
	string, error) {
	st := usecase.Start{Task: one.Task, Reset: true, Key: key}
	st.Device, st.Queue, st.DetachedOK = one.Serial, queue, new(true)
	if queue {
		st.Turn = usecase.Turn{Priority: usecase.Priority(one.Priority),
			QueueSeconds: float64(one.QueueSeconds)}
	}
	out, err := r.s.Cases.Start(ctx, r.call(one.Name, one.Client), st)
	if runs.CodeOf(err) == runs.DeviceBusy {
		return "", fmt.Errorf("%w: %w", schedule.ErrBusy, err)
	}
	if err != nil {
		return "", err
	}
	return out.Status.Session.ID, nil
}

// Begun implements schedule.Runs.
func (r scheduled) Begun(ctx context.Context, one store.Schedule, key string) (string, error) {
	x, err := r.s.Store.SessionByKey(ctx, one.Client, key)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return x.ID, err
}

// Waited implements schedule.Runs.
func (r scheduled) Waited(ctx context.Context, sessionID string) (done, late bool, err error) {
	run, err := r.s.Store.LatestRun(ctx, sessionID)
	if errors.Is(err, store.ErrNotFound) {
		return true, false, nil
	}
	return err == nil && run.State != store.Queued, runs.Late(run), err
}
