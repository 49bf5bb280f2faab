package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Resume says which of the runs that a restart has paused continue by themselves.
type Resume string

// The values of Resume.
const (
	ResumeDetached Resume = "detached" // runs that continue with no call attached
	ResumeAll      Resume = "all"
	ResumeNone     Resume = "none"
)

// How long after its pause a run is resumed, and how often and after which pauses it is tried: what
// has ended this process may have ended the ADB server, too.
const (
	resumable   = 24 * time.Hour
	resumeTries = 20
	resumePause = 15 * time.Second
)

// ResumePaused has the runs continue that a restart has paused within a day. It returns when it
// knows which these are. A server calls it once, after Recover.
func (m *Manager) ResumePaused(ctx context.Context, which Resume) error {
	if which == ResumeNone {
		return nil
	}
	return reunion{m}.beginAll(ctx, agentloop.ServerRestarted, func(o store.Overview) bool {
		return wanted(o.Latest, which)
	})
}

// beginAll has the runs continue that were paused for that reason and are chosen.
func (r reunion) beginAll(ctx context.Context, why agentloop.StopReason,
	chosen func(store.Overview) bool) error {
	paused, err := r.m.store.Sessions(ctx, store.Filter{State: store.Paused, Reason: why})
	for _, o := range paused {
		if chosen(o) {
			r.begin(o.Session.ID, o.Latest.ID)
		}
	}
	return err
}

// wanted reports whether the run is one to resume.
func wanted(r *store.Run, which Resume) bool {
	if r == nil || !pausedByRestart(*r) || time.Since(r.UpdatedAt) > resumable {
		return false
	}
	s, err := settingsOf(*r)
	return err == nil && (which == ResumeAll || s.DetachedOK)
}

func pausedByRestart(r store.Run) bool {
	return r.State == store.Paused && r.StopReason == agentloop.ServerRestarted
}

// begin has the run continue after a restart, unless that is tried already.
func (r reunion) begin(sessionID, runID string) {
	m := r.m
	if _, already := m.comingBack.LoadOrStore(runID, true); already {
		return
	}
	m.spawn(func() {
		defer m.comingBack.Delete(runID)
		r.try(sessionID, runID)
	})
}

// try resumes the run unless somebody else does first, or has stopped it.
func (r reunion) try(sessionID, runID string) {
	m := r.m
	for try := 1; ; try++ {
		_, err := r.retake(m.ctx, ContinueRequest{SessionID: sessionID, Queue: true},
			"run resumed after the restart", func(now store.Run) bool {
				return now.ID == runID && (pausedByRestart(now) || parkedForPhone(now))
			})
		if err == nil || m.ctx.Err() != nil {
			return
		}
		if try == resumeTries || !busyPhone(err) {
			m.log.Warn("a run could not be resumed after the restart", "session", sessionID,
				"run", runID, "err", err)
			return
		}
		_ = wait.For(m.ctx, resumePause) // the next try sees that it ended
	}
}

// retake resumes the run of the session, if it still is as wanted, with the steps that its call has
// left. It looks at the screen first, and learns that the outcome of an action under way is
// unknown.
func (r reunion) retake(ctx context.Context, ask ContinueRequest, why string,
	still func(store.Run) bool) (bool, error) {
	ctx, _ = logs.Called(ctx)
	c, unlock, err := r.m.openContinuation(ctx, ask)
	if err != nil {
		return false, err
	}
	defer unlock()
	if !still(c.run) {
		return false, nil
	}
	r.m.log.InfoContext(ctx, why, "session", c.sess.ID, "run", c.run.ID, "serial", c.sess.Serial)
	err = c.wakeUp(ctx, resumption{SameCall: true})
	return err == nil, err
}
