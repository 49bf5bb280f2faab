package runs

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// ending is how a life of a run, or its waiting, ended.
type ending struct {
	m      *Manager
	state  *sessionState
	run    store.Run // as it was until then
	serial string    // of its phone
	parked string    // the question that it has parked, "" for none
	change store.Change
	failed error // why it could not be stored the last time; nil before
}

// keep stores how a life of a run ended. What the store does not take, because the disk is full or
// the database locked, is kept: it is tried again until it is taken, and Status tells of it
// meanwhile.
func (e ending) keep(ctx context.Context) {
	m, s := e.m, e.state
	e.change.From, e.change.Fence = []store.State{e.run.State}, e.run.Fence
	if e.try(ctx) == nil {
		return
	}
	m.log.ErrorContext(ctx, "the end of a run could not be stored, and is tried again", "run",
		e.run.ID, "reason", e.change.Reason, "err", e.failed)
	s.setUnstored(&e)
	_, done := m.states.use(e.run.SessionID)
	if !m.spawn(func() {
		defer done()
		s.storeLater(m.ctx)
	}) {
		s.leaveEnd()
		done()
	}
}

// storeLater tries again and again to store an end, and a last time when ctx ends. If the store
// does not take it then either, word of it is left for who recovers the run.
func (s *sessionState) storeLater(ctx context.Context) {
	for closing := false; s.notStored() != nil && !closing; {
		closing = wait.For(ctx, otherProcessPoll) != nil
		ctx, cancel := asking.Detached(ctx)
		if unlock, err := s.lock(ctx); err == nil {
			_ = s.storeNow(ctx) // what keeps it from being stored is told by Status
			unlock()
		}
		cancel()
	}
	s.leaveEnd()
}

// leaveEnd leaves word of an end that is not stored for who recovers the run.
func (s *sessionState) leaveEnd() {
	e := s.notStored()
	if e == nil {
		return
	}
	r := s.presented(e.run)
	if err := e.m.store.Owner.LeaveEnd(r.ID, r.StopReason, r.Error); err != nil {
		e.m.log.Error("the end of a run is lost", "run", r.ID, "err", err)
	}
}

// storeNow stores the end that could not be stored, if there is one. The caller has the session's
// lock.
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
	e.m.log.InfoContext(ctx, "the end of a run is stored now", "run", e.run.ID)
	return nil
}

// try stores the end, gives the phone back, and tells those who wait.
func (e *ending) try(ctx context.Context) error {
	m := e.m
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
		// An answer that came before the run was waiting for it was not brought to it.
		m.spawn(func() { resumer{m}.deliverRetrying(now.QuestionID) })
	case atRest(now), now.State.Terminal(): // otherwise another life goes on, with the phone
		m.desk.Cancel(ctx, e.parked)
		m.lines.Release(ctx, e.serial, now.ID)
	}
	m.touches.Note(ctx, now.ID)
	e.state.moved(now)
	return nil
}

// asError says that the end is not stored.
func (e *ending) asError() error {
	return fmt.Errorf("the run has ended as %s, and this could not be stored yet: %w",
		e.change.Reason, e.failed)
}

// Presented is a run that was read from the store as Status tells of it: see there.
func (m *Manager) Presented(r store.Run) store.Run {
	if s := m.states.inUse(r.SessionID); s != nil {
		return s.presented(r)
	}
	return r
}

// presented is the run as callers are told of it. One whose end is not stored has stopped, and
// nothing else is promised until it is.
func (s *sessionState) presented(r store.Run) store.Run {
	e := s.notStored()
	if e == nil || e.run.ID != r.ID || e.run.State != r.State || e.run.Fence != r.Fence {
		return r
	}
	r.State, r.StopReason = store.Paused, agentloop.InternalError
	r.Error = errorText(e.asError())
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
