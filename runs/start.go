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
	Client          string // whom the session will belong to
	Key             string // chosen by the client; see Start
	Settings        Settings
}

// Start begins a session with its first run, and returns as soon as the run is stored. The run goes on by itself: see Wait.
// When the client has begun a session under the same Key before, nothing is begun, and the Status is that session's.
func (f *Manager) Start(ctx context.Context, r StartRequest) (Status, error) {
	if st, found, err := f.begun(ctx, r); found || err != nil {
		return st, err
	}
	st, err := f.begin(ctx, r)
	var taken *session.KeyError
	if err != nil && (errors.As(err, &taken) || CodeOf(err) == DeviceBusy) { // the same call may have been faster in this moment
		if st, found, err := f.begun(ctx, r); found || err != nil {
			return st, err
		}
	}
	st.Begun = err == nil
	return st, err
}

// begun is the session that the request's key stands for; false when there is none.
func (f *Manager) begun(ctx context.Context, r StartRequest) (Status, bool, error) {
	if r.Key == "" {
		return Status{}, false, nil
	}
	sess, err := f.store.SessionByKey(ctx, r.Client, r.Key)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return Status{}, false, nil
	case err != nil:
		return Status{}, false, err
	}
	first, err := f.store.Runs(ctx, sess.ID)
	if err != nil {
		return Status{}, false, err
	}
	if len(first) > 0 && !sameTask(first[0].Task, r.Task) || r.Serial != "" && r.Serial != sess.Serial {
		return Status{}, false, invalid("use a new key for a new task", "the key %q stands for session %s, which was begun with another task or phone", r.Key, sess.ID)
	}
	st, err := f.Status(ctx, sess.ID)
	return st, err == nil, err
}

func (f *Manager) begin(ctx context.Context, r StartRequest) (Status, error) {
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
func (f *Manager) plan(task string, maxSteps int, s Settings) (job, int, error) {
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
	policy, err := f.opts.NewPolicy(s)
	return job{policy: policy, settings: stored{Settings: s}}, limit, err
}

// open gives the phone, or the code for one that cannot be had.
func (f *Manager) open(ctx context.Context, serial string) (Phone, error) {
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
func (f *Manager) enlist(ctx context.Context, j *job, r StartRequest, limit int) error {
	dev := j.phone.Device()
	if !r.Queue {
		if err := f.free(ctx, dev.ID, "", r.Client); err != nil {
			return err
		}
	}
	ctx, cancel := lasting(ctx)
	defer cancel()
	var err error
	j.sess, j.run, err = f.store.Begin(ctx, session.Session{Serial: dev.ID, Device: dev, Client: r.Client, StartKey: r.Key},
		session.Run{Task: r.Task, MaxSteps: limit, ReplyMode: string(j.settings.ReplyMode), Settings: j.settings.encode()})
	if err != nil || r.Queue {
		return err
	}
	if err := f.lease(ctx, j.run, j.sess); err != nil {
		return errors.Join(err, f.store.Delete(ctx, j.sess.ID))
	}
	return nil
}

// lease takes the phone for a new run at once. When another was faster in this moment, the run is over.
func (f *Manager) lease(ctx context.Context, r session.Run, sess session.Session) error {
	err := f.store.Lease(ctx, sess.Serial, r.ID)
	if err == nil {
		return nil
	}
	var held *session.BusyError
	if errors.As(err, &held) {
		err = busy(f.seenBy(ctx, held.Hold, sess.Client))
	}
	_, stop := f.store.Transition(ctx, r.ID, session.Change{To: session.Cancelled, Reason: agentloop.NotStarted, Err: errorText(err)})
	if stop != nil {
		return errors.Join(err, stop)
	}
	return err
}

// started launches the job and tells how it stands. One that may have to wait for the phone opens it when it has its turn.
func (f *Manager) started(ctx context.Context, d *desk, j job, queue bool) (Status, error) {
	if queue {
		f.hangUp(j.phone)
		j.phone = nil
	}
	if err := f.launch(d, j); err != nil {
		return Status{}, err
	}
	return f.Status(ctx, j.sess.ID)
}
