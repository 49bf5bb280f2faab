package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Store keeps schedules and their ticks. A store.Schedules implements it.
type Store interface {
	List(ctx context.Context) ([]store.Schedule, error)
	Last(ctx context.Context, name string) (store.Tick, error)
	Note(ctx context.Context, t store.Tick) (mine bool, err error)
	Settle(ctx context.Context, t store.Tick) error
	Left(ctx context.Context) ([]store.Tick, error)
	Ticks(ctx context.Context, name string, limit int) ([]store.Tick, error)
	Untold(ctx context.Context, since time.Time) ([]store.Tick, error)
	Told(ctx context.Context, name string, first, last time.Time) error
	Passed(ctx context.Context, name string) error
}

// Runs begins runs.
type Runs interface {
	// Begin begins the schedule's task, or returns the session that was begun under the key before.
	// With queue the run may wait for its phone, otherwise the error is ErrBusy.
	Begin(ctx context.Context, s store.Schedule, key string, queue bool) (sessionID string,
		err error)
	// Begun returns the session that was begun under the key, "" if none was.
	Begun(ctx context.Context, s store.Schedule, key string) (sessionID string, err error)
	// Waited reports whether the session's run waits no longer for its phone, and whether that is
	// because it has waited too long.
	Waited(ctx context.Context, sessionID string) (done, late bool, err error)
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
	SkipLate bool             // begin nothing for ticks from before the second in which Run began
	Tell     func(Missed)     // is called for ticks that no run began for, nil logs them alone
	Now      func() time.Time // nil means time.Now
	Log      *slog.Logger     // nil discards
}

const (
	every = 5 * time.Second // how often the clock and the schedules are looked at
	// A tick that is later than this was missed: no server was up, or the clock jumped.
	late = time.Minute
	// For so long the last missed tick is made up for, and a run may wait for a busy phone unless
	// its schedule says how long.
	patience = time.Hour
	mostRows = 1000 // of missed ticks that are stored one by one
	// A clock that shows less than the last tick by more than this was ahead then: its times count
	// again, but for those that a run began for.
	wasAhead  = 24 * time.Hour
	untoldFor = 24 * time.Hour // how long it is made up for that a tick was not told
)

// Scheduler begins tasks at times.
type Scheduler struct {
	opts   Options
	queued []queued  // runs that may wait for a phone
	up     time.Time // a server has been up since then, by what its clock shows now
	taken  bool      // what earlier servers left was taken up
	failed string    // why the last look did not succeed, which was logged
}

type queued struct {
	schedule store.Schedule
	tick     store.Tick
}

// New returns a Scheduler. It starts nothing.
func New(opts *Options) *Scheduler {
	s := &Scheduler{opts: *opts}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	s.opts.Log = cmp.Or(s.opts.Log, slog.New(slog.DiscardHandler))
	return s
}

// Run begins due runs until ctx ends. It is called once.
func (s *Scheduler) Run(ctx context.Context) {
	for {
		err := s.look(ctx)
		if said := fmt.Sprint(err); ctx.Err() == nil {
			if err != nil && said != s.failed {
				s.opts.Log.ErrorContext(ctx, "schedules", "err", err)
			}
			s.failed = said
		}
		if wait.For(ctx, every) != nil {
			return
		}
	}
}

// look begins what has become due since the last look. A schedule that cannot be looked at is no
// hindrance to the others.
func (s *Scheduler) look(ctx context.Context) error {
	if now := s.opts.Now(); s.up.IsZero() {
		s.up = now.Truncate(time.Second)
	} else if now.Before(s.up) { // the clock was set back
		s.up = now.Add(-every)
	}
	all, err := s.opts.Store.List(ctx)
	if err != nil {
		return err
	}
	var failed []error
	if !s.taken {
		s.queued = nil
		err := s.takeUp(ctx, all)
		s.taken = err == nil
		failed = append(failed, err)
	}
	s.lookAtQueued(ctx)
	for _, one := range all {
		if err := s.lookAt(ctx, one); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", one.Name, err))
		}
	}
	return errors.Join(failed...)
}

// lookAt begins the due run of a schedule.
func (s *Scheduler) lookAt(ctx context.Context, one store.Schedule) error {
	times, err := Parse(one.Spec, one.Zone)
	if err != nil {
		return err
	}
	last, err := s.opts.Store.Last(ctx, one.Name)
	if err != nil {
		return err
	}
	if last.State == store.TickRestored {
		return s.pass(ctx, one, times, last.At)
	}
	now := s.opts.Now()
	due, more := times.due(since(one, last, now), now, mostRows)
	if len(due) == 0 {
		return nil
	}
	newest := due[len(due)-1]
	age := now.Sub(newest)
	runs := age <= late && !newest.Before(s.up) || !s.opts.SkipLate && age <= patience
	if runs {
		due = due[:len(due)-1]
	}
	const away = "no server was up at that time, or the clock jumped"
	if err := s.miss(ctx, one, due, more, away); err != nil || !runs {
		return err
	}
	t := store.Tick{Schedule: one.Name, At: newest, State: store.TickClaimed}
	waits, err := s.waits(ctx, one)
	if waits {
		t.State, t.Why = store.TickSkipped, "the run of an earlier time still waits for the phone"
	}
	if err != nil {
		return err
	}
	if mine, err := s.opts.Store.Note(ctx, t); err != nil || !mine {
		return err
	}
	if waits {
		s.tellOne(ctx, one, t)
		return nil
	}
	return s.begin(ctx, one, t)
}

// waits reports whether a run of the schedule waits for its phone. Another would do the same again.
func (s *Scheduler) waits(ctx context.Context, one store.Schedule) (bool, error) {
	list, err := s.opts.Store.Ticks(ctx, one.Name, int(patienceOf(one)/time.Minute)+1)
	newest := slices.IndexFunc(list, func(t store.Tick) bool {
		return t.State == store.TickStarted
	})
	if err != nil || newest < 0 {
		return false, err
	}
	done, _, err := s.opts.Runs.Waited(ctx, list[newest].SessionID)
	return !done && err == nil, err
}

// pass stores the times that came after a backup was made, up to its restore, as missed.
func (s *Scheduler) pass(ctx context.Context, one store.Schedule, times Times,
	restored time.Time) error {
	list, err := s.opts.Store.Ticks(ctx, one.Name, 0)
	var last store.Tick // whose run is known to have begun, or not
	for _, t := range slices.Backward(list) {
		if t.State == store.TickRestored {
			break
		}
		last = t
	}
	if err == nil {
		due, more := times.due(since(one, last, restored), restored, mostRows)
		err = s.miss(ctx, one, due, more,
			"the store was restored from a backup: what came after that may have begun")
	}
	if err == nil {
		err = s.opts.Store.Passed(ctx, one.Name)
	}
	return err
}

// miss stores ticks that no run begins for, and tells of them once.
func (s *Scheduler) miss(ctx context.Context, one store.Schedule, due []time.Time, more int,
	why string) error {
	m := Missed{Schedule: one, Why: why}
	for i, at := range due {
		t := store.Tick{Schedule: one.Name, At: at, State: store.TickMissed, Why: m.Why}
		if i == 0 && more > 0 {
			t.Why = fmt.Sprintf("%s; so were %d before", t.Why, more)
		}
		mine, err := s.opts.Store.Note(ctx, t)
		if err != nil {
			s.tell(ctx, m)
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
	s.tell(ctx, m)
	return nil
}

// tell tells of ticks that are stored, and then stores that it did.
func (s *Scheduler) tell(ctx context.Context, m Missed) {
	if m.Ticks == 0 {
		return
	}
	s.opts.Log.Warn("schedule missed", "schedule", m.Schedule.Name, "ticks", m.Ticks, "from",
		m.From, "to", m.To, "why", m.Why)
	if s.opts.Tell != nil {
		s.opts.Tell(m)
	}
	if err := s.opts.Store.Told(ctx, m.Schedule.Name, m.From, m.To); err != nil &&
		ctx.Err() == nil {
		s.opts.Log.WarnContext(ctx, "storing that ticks were told", "err", err)
	}
}

// settle stores what became of a tick that was claimed, and tells of it if no run began.
func (s *Scheduler) settle(ctx context.Context, one store.Schedule, t store.Tick) error {
	err := s.opts.Store.Settle(ctx, t)
	if t.State != store.TickStarted {
		s.tellOne(ctx, one, t)
	}
	return err
}

// tellOne tells of a tick.
func (s *Scheduler) tellOne(ctx context.Context, one store.Schedule, t store.Tick) {
	s.tell(ctx, Missed{Schedule: one, From: t.At, To: t.At, Ticks: 1, Why: t.Why})
}
