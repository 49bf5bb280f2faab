package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
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
	paused, err := m.paused(ctx, agentloop.ServerRestarted)
	for _, o := range paused {
		if wanted(o.Latest, which) {
			comeback{m}.begin(o.Session.ID, o.Latest.ID)
		}
	}
	return err
}

// paused returns the sessions whose run was paused for that reason.
func (m *Manager) paused(ctx context.Context, why agentloop.StopReason) ([]store.Overview, error) {
	return m.store.Sessions(ctx, store.Filter{State: store.Paused, Reason: why})
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

// comeback resumes runs after a restart.
type comeback struct{ m *Manager }

// begin has the run continue, unless that is tried already.
func (b comeback) begin(sessionID, runID string) {
	m := b.m
	if _, already := m.comingBack.LoadOrStore(runID, true); already {
		return
	}
	if !m.spawn(func() {
		defer m.comingBack.Delete(runID)
		b.try(sessionID, runID)
	}) {
		m.comingBack.Delete(runID)
	}
}

// try resumes the run unless somebody else does first, or has stopped it.
func (b comeback) try(sessionID, runID string) {
	m := b.m
	for try := 1; ; try++ {
		err := b.resume(m.ctx, sessionID, runID)
		if err == nil || m.ctx.Err() != nil {
			return
		}
		if try == resumeTries || !busyPhone(err) {
			m.log.Warn("a run could not be resumed after the restart", "session", sessionID,
				"run", runID, "err", err)
			return
		}
		if wait.For(m.ctx, resumePause) != nil {
			return
		}
	}
}

// resume resumes the run with the steps that its call has left. It looks at the screen first, and
// learns that the outcome of an action under way is not known.
func (b comeback) resume(ctx context.Context, sessionID, runID string) error {
	m := b.m
	c, unlock, err := m.openContinuation(ctx, ContinueRequest{SessionID: sessionID, Queue: true})
	if err != nil {
		return err
	}
	defer unlock()
	if c.run.ID != runID || !pausedByRestart(c.run) && !parkedForPhone(c.run) {
		return nil
	}
	m.log.InfoContext(ctx, "run resumed after the restart", "session", sessionID, "run", runID)
	_, err = c.resumeOrReport(ctx, resumption{SameCall: true})
	return err
}
