package main

import (
	"context"
	"os/user"
	"time"

	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// How answers and stops from the command line are marked.
const (
	commandLine   = "command line"
	localOperator = "local_operator"
)

// userName is this user's name on this machine, "" when the system does not tell.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return clean(u.Username)
}

// auditTime bounds the note of something that has happened although the call may be over.
const auditTime = 10 * time.Second

// stop stops a session's run for a person, and notes that in the audit when it changed anything.
func (w *works) stop(ctx context.Context, r runs.StopRequest, by session.AuditEntry) (runs.Status, error) {
	before, err := w.store.LatestRun(ctx, r.SessionID)
	if err != nil {
		before = session.Run{} // the fleet says what is wrong
	}
	st, err := w.fleet.Stop(ctx, r)
	if err != nil {
		return st, err
	}
	by.Event = session.AuditStopped
	to := session.Cancelled
	if r.Mode == runs.Pause {
		by.Event, to = session.AuditPaused, session.Paused
	}
	if st.Run.State != to || before.State == to && before.ID == st.Run.ID {
		return st, nil
	}
	by.SessionID, by.RunID = st.Session.ID, st.Run.ID
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditTime)
	defer cancel()
	return st, w.store.AppendAudit(ctx, by)
}
