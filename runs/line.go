package runs

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taploop/taploop/session"
)

// ticket is a run's place in the line for a phone.
type ticket struct {
	hold session.Hold  // of the run, as it would hold the phone
	wake chan struct{} // holds one token when it may be this one's turn
}

// poll is how often the first in line asks the store, for phones that another process gives back.
const poll = time.Second

// turn waits in the line, first come first served, until the run has the phone. It gives the ticket up.
func (f *Manager) turn(ctx context.Context, t *ticket) error {
	serial, runID := t.hold.Serial, t.hold.RunID
	defer f.stepOut(serial, t)
	h, held, err := f.store.Holder(ctx, serial)
	if err != nil || held && h.RunID == runID { // it got the phone before it stood in the line
		return err
	}
	for {
		if f.first(serial, t) {
			err := f.store.Lease(ctx, serial, runID)
			var busy *session.BusyError
			if !errors.As(err, &busy) {
				return err
			}
		}
		timer := time.NewTimer(poll)
		select {
		case <-t.wake:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		timer.Stop()
	}
}

func (f *Manager) lineUp(serial string, r session.Run) *ticket {
	t := &ticket{wake: make(chan struct{}, 1), hold: session.Hold{Serial: serial, SessionID: r.SessionID, RunID: r.ID,
		State: session.Queued, Since: time.Now()}}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines[serial] = append(f.lines[serial], t)
	return t
}

func (f *Manager) first(serial string, t *ticket) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lines[serial][0] == t
}

func (f *Manager) stepOut(serial string, t *ticket) {
	f.mu.Lock()
	defer f.mu.Unlock()
	left := slices.DeleteFunc(f.lines[serial], func(o *ticket) bool { return o == t })
	if f.lines[serial] = left; len(left) == 0 {
		delete(f.lines, serial)
	}
}

// release gives the phone back and lets the next in line have it.
func (f *Manager) release(ctx context.Context, serial, runID string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	if err := f.store.Release(ctx, serial, runID); err != nil {
		f.log.ErrorContext(ctx, "release", "serial", serial, "run", runID, "err", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if line := f.lines[serial]; len(line) > 0 {
		select {
		case line[0].wake <- struct{}{}:
		default:
		}
	}
}

// ahead is how many runs of this Manager are in front of the run in the line for the phone.
func (f *Manager) ahead(serial, runID string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(slices.IndexFunc(f.lines[serial], func(t *ticket) bool { return t.hold.RunID == runID }), 0)
}

// free refuses the client when another session than its own one has the phone, or is in line for it.
func (f *Manager) free(ctx context.Context, serial, sessionID, client string) error {
	h, held, err := f.store.Holder(ctx, serial)
	if err != nil {
		return err
	}
	if !held || h.SessionID == sessionID {
		h, held = f.inLine(serial, sessionID)
	}
	if held {
		return busy(f.seenBy(ctx, h, client))
	}
	return nil
}

// inLine is the first run of another session in the line for the phone.
func (f *Manager) inLine(serial, sessionID string) (session.Hold, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.lines[serial] {
		if t.hold.SessionID != sessionID {
			return t.hold, true
		}
	}
	return session.Hold{}, false
}
