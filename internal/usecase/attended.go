package usecase

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
)

// UntilEnd follows the run of a call until it ends, pauses or waits for an answer. After a call
// with Continue.Here it asks the run's questions at the terminal and continues, unless the person
// has left. When ctx ends it pauses a run that is under way, and returns its status.
func (u *Cases) UntilEnd(ctx context.Context, c *Call, o *Outcome, left func() bool) (
	runs.Status, error) {
	m, st, how := u.opts.Runs, o.Status, o.here
	detach := m.Attach(st.Session.ID)
	defer detach()
	for first := true; ; first = false {
		open := o.here != nil && st.Question != nil && st.Run.State.Waiting()
		if open && (first || st.Reason != agentloop.StillRunning) && !left() {
			err := m.AskHere(ctx, *st.Question, how)
			if ctx.Err() != nil || errors.Is(err, io.EOF) {
				st.Reason = st.Run.StopReason
				return st, nil
			}
			if how = nil; err != nil {
				return st, err
			}
		} else if st.Reason != agentloop.StillRunning {
			now, err := u.reunited(ctx, st)
			if st = now; err != nil || st.Reason != agentloop.StillRunning {
				return st, err
			}
		}
		next, err := m.Wait(ctx, runs.WaitRequest{SessionID: st.Session.ID, Budget: time.Hour})
		if ctx.Err() != nil {
			return m.Stop(context.WithoutCancel(ctx), runs.StopRequest{SessionID: st.Session.ID,
				Mode: runs.Pause, By: c.By})
		}
		if err != nil {
			return st, err
		}
		st = next
	}
}

// reunited waits for the phone of a run that has lost it, and returns how the run stands then: it
// continues, or somebody has stopped it meanwhile.
func (u *Cases) reunited(ctx context.Context, st runs.Status) (runs.Status, error) {
	if u.opts.Reconnect <= 0 || st.Reason != agentloop.DeviceDisconnected {
		return st, nil
	}
	waiting, cancel := context.WithTimeout(ctx, u.opts.Reconnect)
	defer cancel()
	_, err := u.opts.Runs.Reunite(waiting, st.Session.ID)
	if err != nil && waiting.Err() == nil {
		u.opts.Log.WarnContext(ctx, "waiting for a phone", "session", st.Session.ID, "err", err)
	}
	return u.opts.Runs.Status(context.WithoutCancel(ctx), st.Session.ID)
}

// PlayOut starts a task on a phone that is gone afterwards, and answers its questions. It returns
// the status that the run had before it was stopped for good.
func (u *Cases) PlayOut(ctx context.Context, c *Call, a Start, began func(runs.Status),
	answer func(question string) (string, error)) (st runs.Status, err error) {
	a.Seconds = new(0.0)
	o, err := u.Start(ctx, c, a)
	if err != nil {
		return st, err
	}
	began(o.Status)
	id := o.Status.Session.ID
	defer func() { // nothing may wait for the phone
		if _, stop := u.opts.Runs.Stop(context.WithoutCancel(ctx),
			runs.StopRequest{SessionID: id}); stop != nil {
			err = errors.Join(err, stop)
		}
	}()
	for {
		st, err = u.UntilEnd(ctx, c, o, nil)
		if err != nil || !st.Run.State.Waiting() {
			return st, err
		}
		words, err := answer(st.Question.Text)
		if err != nil {
			return st, err
		}
		o, err = u.Continue(ctx, c, Continue{SessionID: id,
			Reply:   Reply{Words: words, QuestionID: st.Question.ID},
			Running: Running{Seconds: a.Seconds}})
		if err != nil {
			return st, err
		}
	}
}

// Open are the open questions of a session and of the sessions that it has started.
func (u *Cases) Open(ctx context.Context, s runs.Status) ([]inquiry.Question, error) {
	return u.opts.Runs.Asked(ctx, s.Session)
}

// AskHere asks an open question at the terminal, see runs.Manager.AskHere.
func (u *Cases) AskHere(ctx context.Context, q inquiry.Question) error {
	return u.opts.Runs.AskHere(ctx, q, nil)
}
