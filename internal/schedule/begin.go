package schedule

import (
	"context"
	"errors"

	"github.com/taploop/taploop/internal/store"
)

// ErrBusy says that the phone of a run is busy.
var ErrBusy = errors.New("the phone is busy")

// begin begins the run of a tick that was claimed.
func (s *Scheduler) begin(ctx context.Context, one store.Schedule, t store.Tick) error {
	id, err := s.opts.Runs.Begin(ctx, one, keyOf(t), !s.opts.SkipBusy)
	if ctx.Err() != nil {
		return nil // the next process takes the tick up
	}
	switch {
	case err == nil:
		t.State, t.SessionID = store.TickStarted, id
		s.opts.Log.InfoContext(ctx, "schedule started", "schedule", one.Name, "session", id)
		s.queued = append(s.queued, queued{one, t, s.opts.Now()})
	case errors.Is(err, ErrBusy):
		t.State, t.Why = store.TickSkipped, err.Error()
	default:
		t.State, t.Why = store.TickFailed, err.Error()
	}
	err = s.opts.Store.Settle(ctx, t)
	if t.State != store.TickStarted {
		s.tellOne(ctx, one, t)
	}
	return err
}

// takeUp continues what a process that died has left: ticks that it did not tell of, runs that may
// wait for their phones, and ticks that it claimed, whose runs it may have begun.
func (s *Scheduler) takeUp(ctx context.Context, all []store.Schedule) error {
	byName := map[string]store.Schedule{}
	for _, one := range all {
		byName[one.Name] = one
		if err := s.requeue(ctx, one); err != nil {
			return err
		}
	}
	if err := s.tellUntold(ctx, byName); err != nil {
		return err
	}
	left, err := s.opts.Store.Left(ctx)
	if err != nil {
		return err
	}
	for _, t := range left {
		one := byName[t.Schedule]
		id, err := s.opts.Runs.Begun(ctx, one, keyOf(t))
		age := s.opts.Now().Sub(t.At)
		switch {
		case err != nil:
			return err
		case id != "":
			t.State, t.SessionID = store.TickStarted, id
			err = s.opts.Store.Settle(ctx, t)
		case age <= late || !s.opts.SkipLate && age <= patience:
			err = s.begin(ctx, one, t)
		default:
			t.State, t.Why = store.TickMissed, "the server ended before the run began"
			err = s.opts.Store.Settle(ctx, t)
			s.tellOne(ctx, one, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// requeue notes the runs of the last hour's ticks, which may still wait for a phone.
func (s *Scheduler) requeue(ctx context.Context, one store.Schedule) error {
	const most = 60 // a tick a minute
	list, err := s.opts.Store.Ticks(ctx, one.Name, most)
	for _, t := range list {
		if t.State == store.TickStarted && s.opts.Now().Sub(t.At) <= 2*patience {
			s.queued = append(s.queued, queued{one, t, t.At})
		}
	}
	return err
}

// tellUntold tells of ticks that a process stored and did not tell of, in one notice a schedule.
func (s *Scheduler) tellUntold(ctx context.Context, byName map[string]store.Schedule) error {
	list, err := s.opts.Store.Untold(ctx, s.opts.Now().Add(-untoldFor))
	var m Missed
	for _, t := range list {
		if t.Schedule != m.Schedule.Name {
			s.tell(ctx, m)
			m = Missed{Schedule: byName[t.Schedule], From: t.At, Why: t.Why}
		}
		m.To = t.At
		m.Ticks++
	}
	s.tell(ctx, m)
	return err
}

// giveUpQueued ends the runs that have waited too long for their phones.
func (s *Scheduler) giveUpQueued(ctx context.Context) {
	var still []queued
	for _, q := range s.queued {
		ended, done, err := s.opts.Runs.GiveUp(ctx, q.tick.SessionID,
			s.opts.Now().Sub(q.since) >= patience)
		if err != nil && ctx.Err() == nil {
			s.opts.Log.WarnContext(ctx, "looking at a run that waits", "session",
				q.tick.SessionID, "err", err)
		}
		if ended {
			q.tick.State, q.tick.Why = store.TickSkipped, "the phone was busy for an hour"
			if err := s.opts.Store.Settle(ctx, q.tick); err != nil {
				s.opts.Log.WarnContext(ctx, "storing a tick", "err", err)
			}
			s.tellOne(ctx, q.schedule, q.tick)
		}
		if !ended && !done {
			still = append(still, q)
		}
	}
	s.queued = still
}
