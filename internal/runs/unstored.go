package runs

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// keep stores the end of a run's life. If the store is unavailable, as when the disk is full or the
// database is locked, keep retries in the background. Status reports the error meanwhile.
func (e ending) keep(ctx context.Context) {
	m, s := e.ends, e.state
	e.change.From, e.change.Fence = []store.State{e.run.State}, e.run.Fence
	if e.try(ctx) == nil {
		return
	}
	m.log.ErrorContext(ctx, "the end of a run could not be stored, and is tried again", "run",
		e.run.ID, "session", e.run.SessionID, "serial", e.serial, "reason", e.change.Reason, "err",
		e.failed)
	s.setUnstored(&e)
	_, done := m.states.use(e.run.SessionID)
	if !m.life.spawn(func() {
		defer done()
		s.storeLater(logs.Life(m.life.ctx, ctx))
	}) {
		s.leaveEnd()
		done()
	}
}

// storeLater retries until the end is stored or ctx ends. It then makes a last attempt. If that
// fails too, it leaves a note for the process that recovers the run.
func (s *sessionState) storeLater(ctx context.Context) {
	for closing := false; s.notStored() != nil && !closing; {
		closing = wait.For(ctx, otherProcessPoll) != nil
		ctx, cancel := asking.Detached(ctx)
		if unlock, err := s.lock(ctx); err == nil {
			_ = s.storeNow(ctx) // Status reports the error
			unlock()
		}
		cancel()
	}
	s.leaveEnd()
}

// leaveEnd leaves a note of the unstored end for the process that recovers the run.
func (s *sessionState) leaveEnd() {
	e := s.notStored()
	if e == nil {
		return
	}
	r := s.presented(e.run)
	if err := e.ends.store.Owner.LeaveEnd(r.ID, store.Paused, r.StopReason, r.Error); err != nil {
		e.ends.log.Error("the end of a run is lost", "run", r.ID, "session", r.SessionID, "err",
			err)
	}
}

// storeNow stores the pending end, if there is one. The caller holds the session's lock.
func (s *sessionState) storeNow(ctx context.Context) error {
	last := s.notStored()
	if last == nil {
		return nil
	}
	e := *last
	if err := e.try(ctx); err != nil {
		s.setUnstored(&e)
		return e.asError()
	}
	s.setUnstored(nil)
	e.ends.log.InfoContext(ctx, "the end of a run is stored now", "run", e.run.ID, "session",
		e.run.SessionID)
	return nil
}

// try stores the end, releases the phone, and wakes the waiters.
func (e *ending) try(ctx context.Context) error {
	m := e.ends
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	now, err := m.store.Runs.Transition(ctx, e.run.ID, e.change)
	if superseded(err) {
		now, err = m.store.Runs.Get(ctx, e.run.ID)
	}
	if e.failed = err; err != nil {
		return err
	}
	switch {
	case now.State.Waiting():
		// An answer that came before the run waited for it was not applied.
		m.life.spawn(func() { m.settled(logs.Life(m.life.ctx, ctx), now.QuestionID) })
	case atRest(now), now.State.Terminal():
		m.desk.Cancel(ctx, e.parked)
		m.lines.Release(ctx, e.serial, now.ID)
	case e.serial != "": // another process continues it
		if e.failed = m.store.Leases.LetGo(ctx, now.ID); e.failed != nil {
			return e.failed
		}
	}
	m.touches.Note(ctx, now.ID)
	e.state.moved(ctx, now)
	return nil
}

// asError returns the error for an end that is not stored.
func (e *ending) asError() error {
	return fmt.Errorf("the run has ended as %s, and this could not be stored yet: %w",
		e.change.Reason, e.failed)
}

// presented returns the run in the form that callers see. A run whose end is not stored yet is
// shown as stopped.
func (s *sessionState) presented(r store.Run) store.Run {
	e := s.notStored()
	if e == nil || e.run.ID != r.ID || e.run.State != r.State || e.run.Fence != r.Fence {
		return r
	}
	r.State, r.StopReason = store.Paused, agentloop.Failed(e.failed)
	r.Error = hint.Join(e.asError())
	return r
}

func (s *sessionState) notStored() *ending {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unstored
}

func (s *sessionState) setUnstored(e *ending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unstored = e
	s.changed.Send()
}
