package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/guard/judge"
	guardphone "github.com/taploop/taploop/internal/guard/phone"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// guardRuns puts the guard's gate into the runs. If say is set it tells the person what the
// configuration has taken away from it.
// judging returns the judge of a run, or nil.
func guardRuns(
	ctx context.Context, set *Settings, o *runs.Options, say bool, judging func() *judge.Judge,
) error {
	p, err := set.Conf.GuardPolicy(set.Lang())
	if err != nil {
		return Usage(err, "")
	}
	if say {
		NoteGuard(set)
		list, err := o.Store.Grants.List(ctx)
		if err != nil {
			return err
		}
		for _, g := range list {
			set.note("%s%s", textsIn(set.Lang()).Unasked, text.Line(g.String()))
		}
	}
	if p == nil {
		return nil
	}
	o.NewGate = func(sess store.Session, run store.Run) agentloop.Gate {
		return guardphone.New(p, &guardphone.Options{Expires: set.Conf.Guard.Expires,
			Lang: set.Lang(), Granted: granted(o.Store, sess.ID, run.ID),
			Wish:  new(runs.Wish(run)),
			Judge: judging(), JudgeAll: set.Conf.Guard.Judge == config.Always})
	}
	return nil
}

// granted reports whether a person has given leave to do something unasked, and notes it in the
// audit.
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

// NoteGuard tells the person at the terminal what the guard does not do.
func NoteGuard(set *Settings) {
	for _, line := range guardNotes(set) {
		set.note("%s", line)
	}
}

func guardNotes(set *Settings) []string {
	say := textsIn(set.Lang())
	p, err := set.Conf.GuardPolicy(set.Lang())
	switch {
	case err != nil:
		return nil
	case p == nil:
		return []string{say.GuardOff}
	case !set.Conf.Guard.Enabled:
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
	return append(notes, misspelt(set, named)...)
}

// NoteMisspelt tells the person at the terminal which of the names look like those of actions, and
// are none.
func NoteMisspelt(set *Settings, names ...string) {
	for _, line := range misspelt(set, names) {
		set.note("%s", line)
	}
}

// misspelt notes names that belong to no action that the guard decides about, and that are in
// capitals or nearly such a name. Other names may be tools of servers.
func misspelt(set *Settings, named []string) (notes []string) {
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
		notes = append(notes, textsIn(set.Lang()).Misspelt+text.Line(strings.Join(list, ", ")))
	}
	return notes
}
