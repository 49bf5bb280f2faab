package runs

import (
	"context"
	"errors"
	"slices"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// StartRequest is a task for a phone.
type StartRequest struct {
	Task     string
	Serial   string // of the phone; "" means the only usable one
	MaxSteps int    // of this call; 0 means the configured maximum, which is never exceeded
	// leave the phone as it is; otherwise it goes to the home screen first, and unless
	// Options.KeepApps says otherwise the first app that the task opens is ended before
	KeepEnvironment bool
	Queue           bool   // wait for a phone that is busy, first come first served
	Supersede       bool   // first stop the client's own sessions that have the phone
	By              Actor  // who stops them
	Client          string // whom the session will belong to
	Key             string // chosen by the client; see Start
	Parent          string // the session that begins this one; "" is none
	Settings        Settings
}

// Start begins a session with its first run, and returns as soon as the run is stored. The run goes
// on by itself: see Wait. When the client has begun a session under the same Key before, nothing is
// begun, and the Status is that session's.
func (m *Manager) Start(ctx context.Context, r StartRequest) (Status, error) {
	if st, found, err := m.begun(ctx, r); found || err != nil {
		return st, err
	}
	st, err := m.begin(ctx, r)
	_, taken := errors.AsType[*session.KeyError](err)
	if taken || CodeOf(err) == DeviceBusy { // the same call may have been faster meanwhile
		if st, found, err := m.begun(ctx, r); found || err != nil {
			return st, err
		}
	}
	return st, err
}

// begun is the session that the request's key stands for; false when there is none.
func (m *Manager) begun(ctx context.Context, r StartRequest) (Status, bool, error) {
	if r.Key == "" {
		return Status{}, false, nil
	}
	sess, err := m.store.SessionByKey(ctx, r.Client, r.Key)
	switch {
	case errors.Is(err, session.ErrNotFound):
		return Status{}, false, nil
	case err != nil:
		return Status{}, false, err
	}
	first, err := m.store.Runs(ctx, sess.ID)
	if err != nil {
		return Status{}, false, err
	}
	if len(first) > 0 && !sameTask(first[0].Task, r.Task) ||
		r.Serial != "" && r.Serial != sess.Serial {
		return Status{}, false, invalid("use a new key for a new task",
			"the key %q stands for session %s, which was begun with another task or phone",
			r.Key, sess.ID)
	}
	st, err := m.Status(ctx, sess.ID)
	return st, err == nil, err
}

func (m *Manager) begin(ctx context.Context, r StartRequest) (Status, error) {
	x, err := m.plan(r.Task, r.MaxSteps, r.Settings)
	if err != nil {
		return Status{}, err
	}
	if x.phone, err = m.open(ctx, r.Serial); err != nil {
		return Status{}, err
	}
	x.home = !r.KeepEnvironment
	x.fresh = x.home && !m.opts.KeepApps
	if err := m.takePlace(ctx, x, r); err != nil {
		x.closePhone()
		return Status{}, err
	}
	if err := x.launch(r.Queue); err != nil {
		return Status{}, err
	}
	return m.Status(ctx, x.sess.ID)
}

// plan checks what can be checked before anything is touched.
func (m *Manager) plan(task string, maxSteps int, s Settings) (*execution, error) {
	if err := m.checkOpen(); err != nil {
		return nil, err
	}
	if err := checkTask(task); err != nil {
		return nil, err
	}
	limit, err := m.steps(maxSteps)
	if err != nil {
		return nil, err
	}
	if s, err = m.checkSettings(s); err != nil {
		return nil, err
	}
	policy, err := m.opts.NewPolicy(s)
	return &execution{m: m, policy: policy, settings: stored{Settings: s},
		run: session.Run{Task: task, MaxSteps: limit, ReplyMode: string(s.ReplyMode)}}, err
}

// open gives the phone, or the code for one that cannot be had.
func (m *Manager) open(ctx context.Context, serial string) (Phone, error) {
	p, err := m.opts.Phones.Open(ctx, serial)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	default:
		return nil, NoPhone(err)
	}
}

// takePlace makes the session. Another call of the same client may take the phone between the end
// of the run that has it and this one: under Supersede that run's place is taken, too.
func (m *Manager) takePlace(ctx context.Context, x *execution, r StartRequest) error {
	const rounds = 10
	planned := x.run
	for round := 1; ; round++ {
		x.run = planned
		err := m.createSession(ctx, x, r)
		e, refused := errors.AsType[*Error](err)
		own := refused && e.Code == DeviceBusy && e.Holder != nil && e.Holder.SessionID != ""
		if !own || !r.Supersede || round == rounds || ctx.Err() != nil {
			return err
		}
	}
}

// createSession makes the session and its run, and takes the phone unless the run may wait for it.
func (m *Manager) createSession(ctx context.Context, x *execution, r StartRequest) error {
	dev := x.phone.Device()
	if r.Supersede {
		if err := m.supersede(ctx, dev.ID, r); err != nil {
			return err
		}
	}
	if !r.Queue {
		if err := m.free(ctx, dev.ID, "", r.Client); err != nil {
			return err
		}
	}
	ctx, cancel := detached(ctx)
	defer cancel()
	x.run.Settings = encode(x.settings)
	var err error
	x.sess, x.run, err = m.store.Begin(ctx,
		session.Session{Serial: dev.ID, Device: dev, Client: r.Client, StartKey: r.Key,
			Parent: r.Parent}, x.run)
	if err != nil || r.Queue {
		return err
	}
	if err := m.lease(ctx, x.run, x.sess); err != nil {
		return errors.Join(err, m.store.Delete(ctx, x.sess.ID))
	}
	return nil
}

// supersede stops the client's sessions that have the phone or wait for it, the holder last. While
// one of somebody else does, it stops none and refuses the call, unless that may wait.
func (m *Manager) supersede(ctx context.Context, serial string, r StartRequest) error {
	all, err := m.queues.holders(ctx, serial)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h = m.seenBy(ctx, h, r.Client); h.SessionID == "" && !r.Queue {
			return busy(h)
		}
	}
	for _, h := range slices.Backward(all) {
		if m.seenBy(ctx, h, r.Client).SessionID == "" {
			continue
		}
		if _, err := m.Stop(ctx, StopRequest{SessionID: h.SessionID, By: r.By}); err != nil {
			return err
		}
	}
	return nil
}

// lease takes the phone for a new run at once. When another was faster meanwhile, the run is over.
func (m *Manager) lease(ctx context.Context, r session.Run, sess session.Session) error {
	err := m.store.Lease(ctx, sess.Serial, r.ID)
	if err == nil {
		return nil
	}
	if held, ok := errors.AsType[*session.BusyError](err); ok {
		err = busy(m.seenBy(ctx, held.Hold, sess.Client))
	}
	s, done := m.states.use(sess.ID)
	defer done()
	m.end(ctx, s, ending{run: r, serial: sess.Serial, change: session.Change{
		To: session.Cancelled, Reason: agentloop.NotStarted, Err: errorText(err)}})
	return err
}

// free refuses the client when another session than its own one has the phone, or is in the queue
// for it.
func (m *Manager) free(ctx context.Context, serial, sessionID, client string) error {
	h, held, err := m.queues.holder(ctx, serial, sessionID)
	if err == nil && held {
		err = busy(m.seenBy(ctx, h, client))
	}
	return err
}
