package runs

import (
	"context"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/session"
)

// Attach notes that somebody waits for the session's runs, or watches them. The caller calls detach when that is over;
// calling it again does nothing. A run to which nobody is attached for Options.DetachGrace is paused, as CLIENT_DETACHED,
// unless its settings say that it may go on alone.
func (f *Manager) Attach(sessionID string) (detach func()) {
	d := f.desk(sessionID)
	d.attach(1)
	return sync.OnceFunc(func() { d.attach(-1) })
}

// PickUp takes a run up that was paused because nobody was attached: the call that it was in goes on, with what is left of its
// steps. Any other run is left as it is. The caller attaches first.
func (f *Manager) PickUp(ctx context.Context, sessionID string) (Status, error) {
	c, giveBack, err := f.receive(ctx, ContinueRequest{SessionID: sessionID})
	if err != nil {
		return Status{}, err
	}
	defer giveBack()
	if !detached(c.run) {
		return f.Status(ctx, c.sess.ID)
	}
	c.same = true
	return f.goOn(ctx, c)
}

// detached reports whether the run was paused because nobody was attached.
func detached(r session.Run) bool {
	return r.State == session.Paused && r.StopReason == agentloop.ClientDetached
}

func (d *desk) attach(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.attached += n
	d.countDown()
}

// countDown begins to count the grace of a run that nobody is attached to, anew, and stops counting otherwise. d.mu is held.
func (d *desk) countDown() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	l := d.live
	if d.grace <= 0 || d.attached > 0 || l == nil || l.alone {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(d.grace, func() { // touches nothing but memory, so that nobody has to wait for it
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.timer == timer {
			l.cancel(agentloop.ErrDetached)
		}
	})
	d.timer = timer
}
