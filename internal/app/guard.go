package app

import (
	"context"
	"errors"
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
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/skill"
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
		list, err := o.Store.Grants.List(ctx, nil)
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
			Lang: set.Lang(),
			Leave: func(ctx context.Context, s guard.Subject, d guard.Decision) (
				*agentloop.Leave, error) {
				return leave(ctx, o.Store, sess, s, d)
			},
			Wish: new(runs.Wish(run)), Said: saidTo(o.Store, run),
			Judge: judging(), JudgeAll: set.Conf.Guard.Judge == config.Always,
			Replays: skill.PlanOf(run) != nil})
	}
	return nil
}

// saidTo returns what people have said to a run, in messages and in answers that they wrote
// themselves.
func saidTo(db *store.Store, run store.Run) func(context.Context) ([]string, error) {
	return func(ctx context.Context) (said []string, err error) {
		list, err := db.Audit.List(ctx, store.AuditFilter{SessionID: run.SessionID})
		for _, e := range list {
			switch {
			case e.RunID != run.ID || !inquiry.IsPerson(e.Authority):
			case e.Event == store.AuditSaid:
				said = append(said, e.Text)
			case e.Event == store.AuditAnswered && e.Text == "" && e.Answer != inquiry.Masked &&
				!strings.HasPrefix(e.Answer, "{"): // a decision about an action
				said = append(said, e.Answer)
			}
		}
		return said, err
	}
}

// ToolLeave reports whether a person has given leave for a call of a tool, and uses it.
func ToolLeave(db *store.Store, sessionID string) proxy.Leave {
	return func(ctx context.Context, client string, s guard.Subject, d guard.Decision) (
		_ bool, err error) {
		sess := store.Session{Client: client}
		if sessionID != "" {
			if sess, err = db.Session(ctx, sessionID); err != nil {
				return false, err
			}
		}
		l, err := leave(ctx, db, sess, s, d)
		if l == nil || err != nil {
			return false, err
		}
		err = db.Grants.Use(ctx, *l, store.AuditEntry{SessionID: sessionID, Text: l.Act})
		if errors.Is(err, agentloop.ErrNoLeave) { // another call was faster
			return false, nil
		}
		return err == nil, err
	}
}

// leave is a person's leave to do something unasked in the session, or in the one that has begun
// it, or nil.
func leave(
	ctx context.Context, db *store.Store, sess store.Session, s guard.Subject, d guard.Decision,
) (*agentloop.Leave, error) {
	l, err := db.Grants.Covering(ctx, func(g guard.Grant) bool {
		now := time.Now()
		return g.IsFor(sess.Client) && (g.Covers(now, sess.ID, s, d) ||
			sess.Parent != "" && g.Covers(now, sess.Parent, s, d))
	})
	if l != nil {
		l.Act = fmt.Sprintf("%s in %s (%s)", s.Action, s.App, d.Rule)
	}
	return l, err
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
