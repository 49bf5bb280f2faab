package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	guardphone "github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
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
			a.notef("%s%s", wordsIn(a.lang()).Unasked, text.Line(g.String()))
		}
	}
	if p == nil {
		return nil
	}
	o.NewGate = func(sess store.Session, run store.Run) agentloop.Gate {
		return guardphone.New(p, &guardphone.Options{Expires: a.conf.Guard.Expires, Lang: a.lang(),
			Granted: granted(o.Store, sess.ID, run.ID)})
	}
	return nil
}

// granted reports whether a person has given leave to do something unasked. What is done so is in
// the audit.
func granted(
	db *store.Store, sess, run string,
) func(context.Context, guard.Subject, guard.Decision) (bool, error) {
	return func(ctx context.Context, s guard.Subject, d guard.Decision) (bool, error) {
		list, err := db.Grants.List(ctx)
		for _, g := range list {
			if g.Covers(time.Now(), sess, s, d) {
				return true, db.Audit.Append(ctx, store.AuditEntry{Event: store.AuditUnasked,
					SessionID: sess, RunID: run, By: g.By,
					Text: fmt.Sprintf("%s in %s (%s), by the leave for %v", s.Action, s.App,
						d.Rule, g)})
			}
		}
		return false, err
	}
}

// guardNotes say what the guard does not do.
func (w *wiring) guardNotes() []string {
	say := wordsIn(w.lang())
	p, err := w.conf.GuardPolicy(w.lang())
	switch {
	case err != nil:
		return nil
	case p == nil:
		return []string{say.GuardOff}
	case !w.conf.Guard.Enabled:
		return []string{say.GuardFloor}
	}
	var notes []string
	if names := p.LowersFloor(); len(names) > 0 {
		notes = append(notes, say.FloorLowered+text.Line(strings.Join(names, ", ")))
	}
	var named []string
	for _, r := range p.Rules() {
		named = append(named, r.Action...)
	}
	return append(notes, w.misspelt(named)...)
}

// misspelt notes names that no action has about which the guard is asked, and that are written in
// capitals like those or nearly like one; others may be tools of servers.
func (w *wiring) misspelt(named []string) (notes []string) {
	var verbs, list []string
	for _, one := range actions.Vocabulary() {
		if one.Traits().Kind != actions.KindNone {
			verbs = append(verbs, one.Verb())
		}
	}
	for _, name := range named {
		upper := strings.ToUpper(name)
		if slices.Contains(verbs, upper) || strings.ContainsAny(name, `*?[\`) {
			continue
		}
		away := func(verb string) int { return levenshtein.ComputeDistance(upper, verb) }
		best := slices.MinFunc(verbs, func(x, y string) int { return away(x) - away(y) })
		switch {
		case away(best) <= len(upper)/4:
			list = append(list, fmt.Sprintf("%s (%s?)", name, best))
		case name == upper && name != strings.ToLower(name):
			list = append(list, name)
		}
	}
	if len(list) > 0 {
		notes = append(notes, wordsIn(w.lang()).Misspelt+text.Line(strings.Join(list, ", ")))
	}
	return notes
}
