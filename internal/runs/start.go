package runs

import (
	"context"
	"errors"
	"slices"

	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// Start starts a session with its first run, and returns as soon as the run is stored. The run
// continues on its own, see Wait. If the client has already started a session under the same Key,
// Start starts nothing and returns the Status of that session.
func (m *Manager) Start(ctx context.Context, r StartRequest) (Status, error) {
	if st, found, err := m.begun(ctx, r); found || err != nil {
		return st, err
	}
	st, err := m.begin(ctx, r)
	_, taken := errors.AsType[*store.KeyError](err)
	if taken || CodeOf(err) == DeviceBusy { // the same call may have been faster
		if st, found, err := m.begun(ctx, r); found || err != nil {
			return st, err
		}
	}
	return st, err
}

func (m *Manager) begin(ctx context.Context, r StartRequest) (Status, error) {
	wanted, described, err := wantedIn(r.Serial)
	switch {
	case err != nil:
		return Status{}, err
	case described && len(r.Phone) == 0:
		r.Serial, r.Phone = "", wanted
		fallthrough
	case len(r.Phone) > 0:
		return m.beginOnAny(ctx, r)
	}
	x, err := m.plan(r.Kind, plan{task: r.Task, maxSteps: r.MaxSteps, settings: r.Settings,
		home: !r.KeepEnvironment, fresh: !r.KeepEnvironment && !m.opts.KeepApps, handed: r.Moving,
		by: r.By, wish: r.By.wish(r.Task, r.Wish), turn: r.Turn})
	if err != nil {
		return Status{}, err
	}
	if err := x.open(ctx, r.Serial); err != nil {
		return Status{}, err
	}
	if err := (farm{m}).uncordoned(ctx, x.sess.Serial); err != nil {
		x.work.Close()
		return Status{}, err
	}
	if err := x.takePlace(ctx, r); err != nil {
		x.work.Close()
		return Status{}, err
	}
	if err := x.launch(ctx, r.Queue); err != nil {
		return Status{}, err
	}
	return m.Status(ctx, x.sess.ID)
}

// takePlace creates the session. With Supersede, it retries if another call of the client takes the
// phone right after its former run was stopped.
func (x *execution) takePlace(ctx context.Context, r StartRequest) error {
	const rounds = 10
	planned := x.run
	for round := 1; ; round++ {
		x.run = planned
		err := x.createSession(ctx, r)
		e, refused := errors.AsType[*Error](err)
		own := refused && e.Code == DeviceBusy && e.Holder != nil && e.Holder.SessionID != ""
		spared := own && r.Sparing && e.Holder.State.Waiting()
		if !own || !r.Supersede || spared || round == rounds || ctx.Err() != nil {
			return err
		}
	}
}

// createSession stores the session and its run. It also takes the phone, unless the run may queue.
func (x *execution) createSession(ctx context.Context, r StartRequest) error {
	m := x.m
	if r.Supersede {
		if err := x.supersede(ctx, x.sess.Serial, r); err != nil {
			return err
		}
	}
	begun := store.Session{Serial: x.sess.Serial, Device: x.sess.Device, Client: r.Client,
		StartKey: r.Key, Parent: r.Parent}
	if !r.Queue {
		if err := m.free(ctx, begun); err != nil {
			return err
		}
	}
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	x.run.Settings, x.run.Leased = encode(x.settings), !r.Queue
	sess, run, err := m.store.Begin(ctx, begun, x.run)
	if held, is := errors.AsType[*store.BusyError](err); is {
		return taken(m, held.Hold, r.Client)
	}
	if err == nil {
		x.sess, x.run = sess, run
	}
	return err
}

// supersede stops the client's sessions that have the phone or queue for it, the holder last. If
// another client's session does, it stops none and returns an error, unless the call may queue; nor
// does it with Sparing if one of them waits for an answer.
func (x *execution) supersede(ctx context.Context, serial string, r StartRequest) error {
	m := x.m
	all, err := m.lines.Holders(ctx, serial)
	if err != nil {
		return err
	}
	for _, h := range all {
		if own := h.Client == r.Client; !own && !r.Queue || own && r.Sparing && h.State.Waiting() {
			return taken(m, h, r.Client)
		}
	}
	for _, h := range slices.Backward(all) {
		if h.Client != r.Client {
			continue
		}
		if _, err := m.Stop(ctx, StopRequest{SessionID: h.SessionID, By: r.By}); err != nil {
			return err
		}
	}
	return nil
}
