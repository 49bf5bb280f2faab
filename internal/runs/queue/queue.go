// Package queue makes runs wait for a phone or for one of the places for goals of agents: those of
// a client in order, and those of several clients in turn.
// A phone belongs to one run at a time among all processes of a data folder. Places are per
// process.
package queue

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Goals is how many goals of agents a process works on at the same time.
const Goals = 8

// Poll is how often the first run in a line asks the store for a phone held by another process.
const Poll = time.Second

// leases say which run has a phone, among all processes. store.Leases implements it.
type leases interface {
	// Take takes the phone for the run, or returns a *store.BusyError.
	Take(ctx context.Context, serial, runID string) error
	// Release gives the phone back if the run has it.
	Release(ctx context.Context, serial, runID string) error
	Holder(ctx context.Context, serial string) (h store.Hold, held bool, err error)
}

// Lines are this process's waiting lines, one for each phone, and one for goals of agents under the
// serial "". They are safe for concurrent use.
type Lines struct {
	leases leases
	log    *slog.Logger

	mu       sync.Mutex
	bySerial map[string][]*Place
}

// New returns empty lines.
func New(leases leases, log *slog.Logger) *Lines {
	return &Lines{leases: leases, log: log, bySerial: map[string][]*Place{}}
}

// Place is the place of a run in a line.
type Place struct {
	hold store.Hold // the hold that the run will have
	made time.Time
	rank int
	wake chan struct{} // has a token when it may be the run's turn
}

// Join adds a run of the session to its line: behind the runs of its client that have a higher rank
// or are as high and older, and before those in front of which more runs of their own client wait.
// So a rank counts among the runs of one client. The caller must call Leave.
func (l *Lines) Join(x store.Session, r store.Run, rank int) *Place {
	p := &Place{
		wake: make(chan struct{}, 1), made: r.CreatedAt, rank: rank,
		hold: store.Hold{Serial: x.Serial, SessionID: x.ID, Client: x.Client, RunID: r.ID,
			State: store.Queued, Since: time.Now()},
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.bySerial[x.Serial]
	line = slices.Insert(line, p.share(line), p)
	l.bySerial[x.Serial] = line
	p.settle(line)
	return p
}

// share returns where in the line the client of the run has its next place.
func (p *Place) share(line []*Place) int {
	own := len(p.ours(line))
	before := map[string]int{} // runs in front, by client
	for i, o := range line {
		fair := before[o.hold.Client] > own && before[p.hold.Client] == own
		if fair && i >= places(p.hold.Serial) {
			return i
		}
		before[o.hold.Client]++
	}
	return len(line)
}

// ours returns which places of the line are the client's.
func (p *Place) ours(line []*Place) (at []int) {
	for i, o := range line {
		if o.hold.Client == p.hold.Client {
			at = append(at, i)
		}
	}
	return at
}

// settle gives the places of the client to its runs in their order. A goal that is worked on keeps
// its own.
func (p *Place) settle(line []*Place) {
	at := slices.DeleteFunc(p.ours(line), func(i int) bool {
		return p.hold.Serial == "" && i < Goals
	})
	runs := make([]*Place, len(at))
	for i, o := range at {
		runs[i] = line[o]
	}
	slices.SortStableFunc(runs, func(a, b *Place) int {
		return cmp.Or(b.rank-a.rank, a.made.Compare(b.made))
	})
	for i, o := range at {
		line[o] = runs[i]
	}
}

// Acquire waits until it is the run's turn. It calls busy if it has to wait. A run that gets its
// phone leaves the line. A goal keeps its place until Leave.
func (l *Lines) Acquire(ctx context.Context, p *Place, busy func()) error {
	has := false
	if p.hold.Serial != "" {
		defer l.Leave(p)
		h, held, err := l.leases.Holder(ctx, p.hold.Serial)
		if err != nil {
			return err
		}
		// The run may have taken the phone before it joined the line, or have waited with it.
		has = held && h.RunID == p.hold.RunID
	}
	for first := true; ; first = false {
		if taken, err := l.take(ctx, p, has); taken || err != nil {
			return err
		}
		if first {
			busy()
		}
		if err := wait.Until(ctx, Poll, p.wake); err != nil {
			return err
		}
	}
}

// take reports whether it is the run's turn, and takes its phone then. For a run that has the phone
// it is, as soon as the worker that carried it out before touches the phone no longer.
func (l *Lines) take(ctx context.Context, p *Place, has bool) (bool, error) {
	at := l.ahead(p.hold.Serial, func(o *Place) bool { return o == p })
	switch {
	case p.hold.Serial == "":
		return at < Goals, nil
	case at > 0 && !has:
		return false, nil
	}
	err := l.leases.Take(ctx, p.hold.Serial, p.hold.RunID)
	if _, held := errors.AsType[*store.BusyError](err); held {
		return false, nil
	}
	return err == nil, err
}

// Leave removes the run from its line. Further calls do nothing.
func (l *Lines) Leave(p *Place) {
	l.mu.Lock()
	defer l.mu.Unlock()
	serial := p.hold.Serial
	left := slices.DeleteFunc(l.bySerial[serial], func(o *Place) bool { return o == p })
	if l.bySerial[serial] = left; len(left) == 0 {
		delete(l.bySerial, serial)
	}
	if serial == "" {
		l.wake(serial)
	}
}

// Release gives the phone back and wakes the next run in the line.
func (l *Lines) Release(ctx context.Context, serial, runID string) {
	if serial == "" {
		return
	}
	if err := l.leases.Release(ctx, serial, runID); err != nil {
		l.log.ErrorContext(ctx, "release", "serial", serial, "run", runID, "err", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wake(serial)
}

// wake wakes the runs whose turn it may be. The caller holds l.mu.
func (l *Lines) wake(serial string) {
	next := l.bySerial[serial]
	for _, p := range next[:min(len(next), places(serial))] {
		wait.Wake(p.wake)
	}
}

// places returns how many runs of a line have their turn at the same time.
func places(serial string) int {
	if serial == "" {
		return Goals
	}
	return 1
}

// Ahead returns how many runs are in front of the run in its line.
func (l *Lines) Ahead(serial, runID string) int {
	return l.ahead(serial, func(p *Place) bool { return p.hold.RunID == runID })
}

func (l *Lines) ahead(serial string, is func(*Place) bool) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, slices.IndexFunc(l.bySerial[serial], is))
}

// Holder returns the run that a run of the session would wait for: another session's run that has
// the phone, is first in line for it, or has the last place for a goal. held is false if the run
// would not wait, as one that has the phone already.
func (l *Lines) Holder(ctx context.Context, serial, sessionID string) (
	h store.Hold, held bool, err error) {
	all, err := l.Holders(ctx, serial)
	if serial != "" && len(all) > 0 && all[0].SessionID == sessionID {
		return h, false, err
	}
	others := slices.DeleteFunc(all, func(h store.Hold) bool { return h.SessionID == sessionID })
	if err != nil || len(others) < places(serial) {
		return h, false, err
	}
	return others[0], true, nil
}

// Holders returns the run that has the phone and the runs in its line.
func (l *Lines) Holders(ctx context.Context, serial string) (all []store.Hold, err error) {
	if serial != "" {
		h, held, err := l.leases.Holder(ctx, serial)
		if err != nil {
			return nil, err
		}
		if held {
			all = append(all, h)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.bySerial[serial] {
		all = append(all, p.hold)
	}
	return all, nil
}
