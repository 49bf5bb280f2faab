package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// ErrBusy says that the phone of a run is busy.
var ErrBusy = errors.New("the phone is busy")

// begin begins the run of a tick that was claimed.
func (s *Scheduler) begin(ctx context.Context, one store.Schedule, t store.Tick) error {
	one.QueueSeconds = int64(patienceOf(one).Seconds())
	id, err := s.opts.Runs.Begin(ctx, one, keyOf(t), !s.opts.SkipBusy)
	if ctx.Err() != nil {
		return nil // the next process takes the tick up
	}
	switch {
	case err == nil:
		t.State, t.SessionID = store.TickStarted, id
		s.opts.Log.InfoContext(ctx, "schedule started", "schedule", one.Name, "session", id)
		s.queued = append(s.queued, queued{one, t})
	case errors.Is(err, ErrBusy):
		t.State, t.Why = store.TickSkipped, text.Line(err.Error())
	default:
		t.State, t.Why = store.TickFailed, text.Line(err.Error())
	}
	return s.settle(ctx, one, t)
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
			err = s.settle(ctx, one, t)
		case age <= late || !s.opts.SkipLate && age <= patience:
			err = s.begin(ctx, one, t)
		default:
			t.State, t.Why = store.TickMissed, "the server ended before the run began"
			err = s.settle(ctx, one, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// patienceOf is how long the schedule's runs may wait for a phone.
func patienceOf(one store.Schedule) time.Duration {
	return cmp.Or(time.Duration(one.QueueSeconds)*time.Second, patience)
}

// requeue notes the runs that may still wait for a phone.
func (s *Scheduler) requeue(ctx context.Context, one store.Schedule) error {
	most := patienceOf(one)
	list, err := s.opts.Store.Ticks(ctx, one.Name, int(most/time.Minute)+1) // a tick a minute
	for _, t := range list {
		if t.State == store.TickStarted && s.opts.Now().Sub(t.At) <= most+patience {
			s.queued = append(s.queued, queued{one, t})
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

// lookAtQueued tells of the runs that have waited too long for their phones.
func (s *Scheduler) lookAtQueued(ctx context.Context) {
	s.queued = slices.DeleteFunc(s.queued, func(q queued) bool {
		done, late, err := s.opts.Runs.Waited(ctx, q.tick.SessionID)
		if late {
			q.tick.State = store.TickSkipped
			q.tick.Why = fmt.Sprint("the phone was busy for ", patienceOf(q.schedule))
			err = s.settle(ctx, q.schedule, q.tick)
		}
		if err != nil && ctx.Err() == nil {
			s.opts.Log.WarnContext(ctx, "looking at a run that waits", "session",
				q.tick.SessionID, "err", err)
		}
		return done
	})
}
