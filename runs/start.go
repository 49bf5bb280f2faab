package runs

import (
	"context"
	"errors"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// StartRequest is a task for a phone.
type StartRequest struct {
	Task            string
	Serial          string // of the phone; "" means the only usable one
	MaxSteps        int    // of this call; 0 means the configured maximum, which is never exceeded
	KeepEnvironment bool   // leave the phone as it is; otherwise it goes to the home screen first
	Queue           bool   // wait for a phone that is busy, first come first served
	Settings        Settings
}

// Start begins a session with its first run, and returns as soon as the run is stored. The run goes on by itself: see Wait.
func (f *Fleet) Start(ctx context.Context, r StartRequest) (Status, error) {
	j, limit, err := f.plan(r.Task, r.MaxSteps, r.Settings)
	if err != nil {
		return Status{}, err
	}
	if j.phone, err = f.open(ctx, r.Serial); err != nil {
		return Status{}, err
	}
	j.home = !r.KeepEnvironment
	if err := f.enlist(ctx, &j, r, limit); err != nil {
		f.hangUp(j.phone)
		return Status{}, err
	}
	return f.started(ctx, f.desk(j.sess.ID), j, r.Queue)
}

// plan checks what can be checked before anything is touched.
func (f *Fleet) plan(task string, maxSteps int, s Settings) (job, int, error) {
	if err := f.closing(); err != nil {
		return job{}, 0, err
	}
	if err := checkTask(task); err != nil {
		return job{}, 0, err
	}
	limit, err := f.steps(maxSteps)
	if err != nil {
		return job{}, 0, err
	}
	if s, err = f.checkSettings(s); err != nil {
		return job{}, 0, err
	}
	policy, err := f.opts.Mind(s)
	return job{policy: policy, settings: stored{Settings: s}}, limit, err
}

// open gives the phone, or the code for one that cannot be had.
func (f *Fleet) open(ctx context.Context, serial string) (Phone, error) {
	p, err := f.opts.Phones.Open(ctx, serial)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		return nil, &Error{Code: DeviceNotFound, err: err}
	}
}

// enlist makes the session and its run, and takes the phone unless the run may wait for it.
func (f *Fleet) enlist(ctx context.Context, j *job, r StartRequest, limit int) error {
	dev := j.phone.Device()
	if !r.Queue {
		if err := f.free(ctx, dev.ID, ""); err != nil {
			return err
		}
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	var err error
	if j.sess, err = f.store.CreateSession(ctx, dev.ID, dev); err != nil {
		return err
	}
	j.run, err = f.store.CreateRun(ctx, session.Run{SessionID: j.sess.ID, Task: r.Task, MaxSteps: limit,
		ReplyMode: string(j.settings.ReplyMode), Settings: j.settings.encode()})
	if err == nil && !r.Queue {
		err = f.lease(ctx, j.run, dev.ID)
	}
	if err != nil {
		return errors.Join(err, f.store.Delete(ctx, j.sess.ID))
	}
	return nil
}

// lease takes the phone for a new run at once. When another was faster in this moment, the run is over.
func (f *Fleet) lease(ctx context.Context, r session.Run, serial string) error {
	err := f.store.Lease(ctx, serial, r.ID)
	if err == nil {
		return nil
	}
	var held *session.BusyError
	if errors.As(err, &held) {
		err = busy(held.Hold)
	}
	_, stop := f.store.Transition(ctx, r.ID, session.Change{To: session.Cancelled, Reason: agentloop.NotStarted, Err: errorText(err)})
	if stop != nil {
		return errors.Join(err, stop)
	}
	return err
}

// started launches the job and tells how it stands. One that may have to wait for the phone opens it when it has its turn.
func (f *Fleet) started(ctx context.Context, d *desk, j job, queue bool) (Status, error) {
	if queue {
		f.hangUp(j.phone)
		j.phone = nil
	}
	if err := f.launch(d, j); err != nil {
		return Status{}, err
	}
	return f.Status(ctx, j.sess.ID)
}
