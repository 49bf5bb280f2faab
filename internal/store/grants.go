package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
)

// Grants are people's leave to go on without asking. What becomes of one is noted in the audit.
type Grants struct{ *db }

// Give stores a person's leave in place of others that are for the same.
func (gs Grants) Give(ctx context.Context, g guard.Grant, by AuditEntry) error {
	clients, err := namesOf(g.For)
	if err != nil {
		return doing(err, "keeping a leave")
	}
	err = gs.update(ctx, func(ctx context.Context, tx *tx) error {
		now := millis(tx.at)
		err := tx.exec(ctx, `UPDATE grants SET until = ?1 WHERE scope = ?2 AND name = ?3 AND
			target = ?4 AND clients = ?5 AND until > ?1`, now, g.Scope, g.Name, g.Target, clients)
		if err != nil {
			return err
		}
		err = tx.exec(ctx, `INSERT INTO grants
			(scope, name, target, times, clients, since, until, by)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, g.Scope, g.Name, g.Target, g.Times, clients,
			millis(g.From), millis(g.Until), g.By)
		if err != nil {
			return err
		}
		return tx.audit(ctx, ofGrant(AuditGranted, g, by))
	})
	return doing(err, "keeping a leave")
}

// namesOf are the clients of a grant as they are stored.
func namesOf(clients []string) (string, error) {
	if clients == nil {
		return "", nil
	}
	b, err := json.Marshal(clients)
	return string(b), err
}

// ofGrant is an entry about a grant.
func ofGrant(event AuditEvent, g guard.Grant, e AuditEntry) AuditEntry {
	e.Event, e.Text = event, g.String()
	if g.Scope == guard.ForSession {
		e.SessionID = g.Name
	}
	return e
}

// heldGrant is a grant in force.
type heldGrant struct {
	guard.Grant
	seq int64
}

// List lists the grants in force that cover actions of some of the owners, oldest first.
func (gs Grants) List(ctx context.Context, of Owners) ([]guard.Grant, error) {
	list, err := grants(ctx, gs.read, gs.now())
	var all []guard.Grant
	for _, h := range list {
		if of == nil || slices.ContainsFunc(of, h.IsFor) {
			all = append(all, h.Grant)
		}
	}
	return all, doing(err, "listing what may be done without asking")
}

func scanGrant(row scanner) (h heldGrant, err error) {
	var clients string
	err = row.Scan(&h.seq, &h.Scope, &h.Name, &h.Target, &h.Times, &h.Used, &clients,
		instant{&h.From}, instant{&h.Until}, &h.By)
	if err == nil && clients != "" {
		err = json.Unmarshal([]byte(clients), &h.For)
	}
	return h, err
}

func grants(ctx context.Context, q queryer, now time.Time) ([]heldGrant, error) {
	// +seq, so that SQLite uses the index on until, because most grants have ended
	return collect(ctx, q, scanGrant, `SELECT seq, scope, name, target, times, used, clients, since,
		until, by FROM grants WHERE since <= ? AND until > ? AND (times = 0 OR used < times)
		ORDER BY +seq`, millis(now), millis(now))
}

// Covering returns the leave under which something is done without asking, or nil if no grant
// covers it. It is used with the act: [Grants.Use], or the intent of a step.
func (gs Grants) Covering(
	ctx context.Context, covers func(guard.Grant) bool,
) (*agentloop.Leave, error) {
	list, err := grants(ctx, gs.read, gs.now())
	if err != nil {
		return nil, doing(err, "looking for leave to go on without asking")
	}
	for _, h := range list {
		if covers(h.Grant) {
			return &agentloop.Leave{ID: h.seq, By: h.By, Text: h.String()}, nil
		}
	}
	return nil, nil
}

// Use counts one use of the leave, which does what the entry says. It returns
// agentloop.ErrNoLeave if the leave has ended meanwhile, or was used as often as it holds.
func (gs Grants) Use(ctx context.Context, l agentloop.Leave, e AuditEntry) error {
	err := gs.update(ctx, func(ctx context.Context, tx *tx) error { return tx.use(ctx, l, e) })
	return doing(err, "using leave to go on without asking")
}

// use is [Grants.Use], in the transaction of the act.
func (t *tx) use(ctx context.Context, l agentloop.Leave, e AuditEntry) error {
	now := millis(t.at)
	used, err := collect(ctx, t, scanID, `UPDATE grants SET used = used + 1
		WHERE seq = ? AND since <= ? AND until > ? AND (times = 0 OR used < times)
		RETURNING CAST(seq AS TEXT)`, l.ID, now, now)
	if err != nil {
		return err
	}
	if len(used) == 0 {
		return agentloop.ErrNoLeave
	}
	e.Event, e.By = AuditUnasked, l.By
	e.Text = fmt.Sprintf("%s, by the leave for %s", e.Text, l.Text)
	return t.audit(ctx, e)
}

// End ends and returns the grants with the scope, the name and the target, or all if scope is "",
// as far as they cover actions of these owners alone.
func (gs Grants) End(
	ctx context.Context, l guard.Leave, of Owners, by AuditEntry,
) (ended []guard.Grant, err error) {
	err = gs.update(ctx, func(ctx context.Context, tx *tx) (err error) {
		ended, err = tx.end(ctx, by, func(g guard.Grant) bool {
			another := l.Scope != "" && (g.Scope != l.Scope || g.Name != l.Name ||
				l.Target != "" && g.Target != l.Target)
			return !another && onlyFor(g, of)
		})
		return err
	})
	return ended, doing(err, "ending what may be done without asking")
}

// end ends and returns those of the grants in force.
func (t *tx) end(ctx context.Context, by AuditEntry, which func(guard.Grant) bool) (
	ended []guard.Grant, err error) {
	held, err := grants(ctx, t, t.at)
	for _, h := range held {
		if err != nil || !which(h.Grant) {
			continue
		}
		ended = append(ended, h.Grant)
		err = errors.Join(t.audit(ctx, ofGrant(AuditGrantEnded, h.Grant, by)),
			t.exec(ctx, "UPDATE grants SET until = ? WHERE seq = ?", millis(t.at), h.seq))
	}
	return ended, err
}

// onlyFor reports whether the grant covers actions of no one but the owners.
func onlyFor(g guard.Grant, of Owners) bool {
	if g.For == nil {
		return of == nil
	}
	return !slices.ContainsFunc(g.For, func(client string) bool { return !of.Has(client) })
}
