package schedule

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Store keeps schedules and their ticks. A store.Schedules implements it.
type Store interface {
	List(ctx context.Context) ([]store.Schedule, error)
	Last(ctx context.Context, name string) (store.Tick, bool, error)
	Note(ctx context.Context, t store.Tick) (mine bool, err error)
	Settle(ctx context.Context, t store.Tick) error
	Left(ctx context.Context) ([]store.Tick, error)
}

// Runs begins runs.
type Runs interface {
	// Begin begins the schedule's task, or returns the session that was begun under the key before.
	// With queue the run may wait for its phone, otherwise the error is ErrBusy.
	Begin(ctx context.Context, s store.Schedule, key string, queue bool) (sessionID string,
		err error)
	// Begun returns the session that was begun under the key, "" if none was.
	Begun(ctx context.Context, s store.Schedule, key string) (sessionID string, err error)
	// GiveUp ends the session's run if it still waits for its phone, and reports whether it did,
	// and whether it waits no longer.
	GiveUp(ctx context.Context, sessionID string, late bool) (ended, done bool, err error)
}

// Missed are ticks of a schedule that no run began for.
type Missed struct {
	Schedule store.Schedule
	From, To time.Time // the first and the last of them
	Ticks    int
	Why      string
}

// Options configure a Scheduler. Store and Runs must be set.
type Options struct {
	Store    Store
	Runs     Runs
	SkipBusy bool             // skip a tick whose phone is busy, and do not queue for it
	SkipLate bool             // begin nothing for ticks that came while no server was up
	Tell     func(Missed)     // is told of ticks that no run began for, nil tells the log alone
	Now      func() time.Time // nil means time.Now
	Log      *slog.Logger     // nil discards
}

const (
	every = 5 * time.Second // how often the clock and the schedules are looked at
	// A tick that is later than this was missed: no server was up, or the clock jumped.
	late = time.Minute
	// For so long the last missed tick is made up for, and a run may wait for a busy phone.
	patience = time.Hour
	mostRows = 1000 // of missed ticks that are stored one by one
)

// Scheduler begins tasks at times.
type Scheduler struct {
	opts   Options
	queued []queued // runs of this process that may wait for a phone
}

type queued struct {
	schedule store.Schedule
	tick     store.Tick
	since    time.Time
}

// New returns a Scheduler. It starts nothing.
func New(opts *Options) *Scheduler {
	s := &Scheduler{opts: *opts}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	if s.opts.Log == nil {
		s.opts.Log = slog.New(slog.DiscardHandler)
	}
	return s
}

// Run begins due runs until ctx ends. It is called once.
func (s *Scheduler) Run(ctx context.Context) {
	for first := true; ; first = false {
		if err := s.look(ctx, first); err != nil && ctx.Err() == nil {
			s.opts.Log.ErrorContext(ctx, "schedules", "err", err)
		}
		if wait.For(ctx, every) != nil {
			return
		}
	}
}

// look begins what has become due since the last look.
func (s *Scheduler) look(ctx context.Context, first bool) error {
	all, err := s.opts.Store.List(ctx)
	if err != nil {
		return err
	}
	if first {
		if err := s.takeUp(ctx, all); err != nil {
			return err
		}
	}
	s.giveUpQueued(ctx)
	for _, one := range all {
		if err := s.lookAt(ctx, one); err != nil {
			return fmt.Errorf("%s: %w", one.Name, err)
		}
	}
	return nil
}

// lookAt begins the due run of a schedule.
func (s *Scheduler) lookAt(ctx context.Context, one store.Schedule) error {
	times, err := Parse(one.Spec, one.Zone)
	if err != nil {
		return err
	}
	from := one.Created
	last, some, err := s.opts.Store.Last(ctx, one.Name)
	if err != nil {
		return err
	}
	if some {
		from = last.At
	}
	now := s.opts.Now()
	due, more := times.due(from, now, mostRows)
	if len(due) == 0 {
		return nil
	}
	newest := due[len(due)-1]
	age := now.Sub(newest)
	runs := age <= late || !s.opts.SkipLate && age <= patience
	if runs {
		due = due[:len(due)-1]
	}
	if err := s.miss(ctx, one, due, more); err != nil || !runs {
		return err
	}
	t := store.Tick{Schedule: one.Name, At: newest, State: store.TickClaimed}
	if mine, err := s.opts.Store.Note(ctx, t); err != nil || !mine {
		return err
	}
	return s.begin(ctx, one, t)
}

// miss stores ticks that no run begins for, and tells of them once.
func (s *Scheduler) miss(ctx context.Context, one store.Schedule, due []time.Time, more int) error {
	m := Missed{Schedule: one, Why: "no server was up at that time, or the clock jumped"}
	for i, at := range due {
		t := store.Tick{Schedule: one.Name, At: at, State: store.TickMissed, Why: m.Why}
		if i == 0 && more > 0 {
			t.Why = fmt.Sprintf("%s; so were %d before", t.Why, more)
		}
		mine, err := s.opts.Store.Note(ctx, t)
		if err != nil {
			s.tell(m)
			return err
		}
		if !mine {
			continue
		}
		if m.Ticks == 0 {
			m.From, m.Ticks = at, more
		}
		m.To = at
		m.Ticks++
	}
	s.tell(m)
	return nil
}

func (s *Scheduler) tell(m Missed) {
	if m.Ticks == 0 {
		return
	}
	s.opts.Log.Warn("schedule missed", "schedule", m.Schedule.Name, "ticks", m.Ticks, "from",
		m.From, "to", m.To, "why", m.Why)
	if s.opts.Tell != nil {
		s.opts.Tell(m)
	}
}

// tellOne tells of a tick.
func (s *Scheduler) tellOne(one store.Schedule, t store.Tick) {
	s.tell(Missed{Schedule: one, From: t.At, To: t.At, Ticks: 1, Why: t.Why})
}
