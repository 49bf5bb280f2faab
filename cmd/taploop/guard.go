package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/guard"
	guardphone "github.com/taploop/taploop/guard/phone"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// guardRuns puts the guard's gate into the runs. It says what the configuration has taken away from
// it, when that is to be said.
func (a *app) guardRuns(ctx context.Context, o *runs.Options, say bool) error {
	p, err := a.conf.GuardPolicy(a.lang())
	if err != nil {
		return usageError{err}
	}
	if say {
		for _, line := range a.guardNotes() {
			a.notef("%s", line)
		}
		list, err := o.Store.Grants.List(ctx)
		if err != nil {
			return err
		}
		for _, g := range list {
			a.notef("%s%s", wordsIn(a.lang()).unasked, text.Line(g.String()))
		}
	}
	if p == nil {
		return nil
	}
	o.NewGate = func(sess session.Session, run session.Run) agentloop.Gate {
		return guardphone.New(p, &guardphone.Options{Expires: a.conf.Guard.Expires, Lang: a.lang(),
			Granted: granted(o.Store, sess.ID, run.ID)})
	}
	return nil
}

// granted reports whether a person has given leave to do something unasked. What is done so is in
// the audit.
func granted(
	store *session.Store, sess, run string,
) func(context.Context, guard.Subject, guard.Decision) (bool, error) {
	return func(ctx context.Context, s guard.Subject, d guard.Decision) (bool, error) {
		list, err := store.Grants.List(ctx)
		for _, g := range list {
			if g.Covers(time.Now(), sess, s, d) {
				return true, store.Audit.Append(ctx, session.AuditEntry{Event: session.AuditUnasked,
					SessionID: sess, RunID: run, By: g.By,
					Text: fmt.Sprintf("%s in %s (%s), by the leave for %v", s.Action, s.App,
						d.Rule, g)})
			}
		}
		return false, err
	}
}

// guardNotes say what the guard does not do.
func (a *app) guardNotes() []string {
	w := wordsIn(a.lang())
	p, err := a.conf.GuardPolicy(a.lang())
	switch {
	case err != nil:
		return nil
	case p == nil:
		return []string{w.guardOff}
	case !a.conf.Guard.Enabled:
		return []string{w.guardFloor}
	}
	if names := p.LowersFloor(); len(names) > 0 {
		return []string{w.floorLowered + text.Line(strings.Join(names, ", "))}
	}
	return nil
}
