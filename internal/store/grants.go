package store

import (
	"context"
	"time"

	"github.com/taploop/taploop/internal/guard"
)

// Grants are people's leave to go on without asking. What becomes of one is noted in the audit.
type Grants struct{ *db }

// Give stores a person's leave in place of others with its scope and name.
func (gs Grants) Give(ctx context.Context, g guard.Grant, by AuditEntry) error {
	err := gs.update(ctx, func(ctx context.Context, tx *tx) error {
		now := millis(tx.at)
		err := tx.exec(ctx, `UPDATE grants SET until = ?1
			WHERE scope = ?2 AND name = ?3 AND until > ?1`, now, g.Scope, g.Name)
		if err != nil {
			return err
		}
		err = tx.exec(ctx, `INSERT INTO grants (scope, name, since, until, by)
			VALUES (?, ?, ?, ?, ?)`, g.Scope, g.Name, millis(g.From), millis(g.Until), g.By)
		if err != nil {
			return err
		}
		return tx.audit(ctx, ofGrant(AuditGranted, g, by))
	})
	return doing(err, "keeping a leave")
}

// ofGrant is an entry about a grant.
func ofGrant(event AuditEvent, g guard.Grant, e AuditEntry) AuditEntry {
	e.Event, e.Text = event, g.String()
	if g.Scope == guard.ForSession {
		e.SessionID = g.Name
	}
	return e
}

// List lists the grants in force, oldest first.
func (gs Grants) List(ctx context.Context) ([]guard.Grant, error) {
	list, err := grants(ctx, gs.read, gs.now())
	return list, doing(err, "listing what may be done without asking")
}

func grants(ctx context.Context, q queryer, now time.Time) ([]guard.Grant, error) {
	// +seq, so that SQLite uses the index on until, because most grants have ended
	return collect(ctx, q, func(row scanner) (g guard.Grant, err error) {
		return g, row.Scan(&g.Scope, &g.Name, instant{&g.From}, instant{&g.Until}, &g.By)
	}, `SELECT scope, name, since, until, by FROM grants WHERE since <= ? AND until > ?
		ORDER BY +seq`, millis(now), millis(now))
}

// End ends and returns the grants with the scope and name, or all if scope is "".
func (gs Grants) End(
	ctx context.Context, scope guard.Scope, name string, by AuditEntry,
) (ended []guard.Grant, err error) {
	err = gs.update(ctx, func(ctx context.Context, tx *tx) error {
		now := millis(tx.at)
		ended = nil
		held, err := grants(ctx, tx, tx.at)
		if err != nil {
			return err
		}
		for _, g := range held {
			if scope != "" && (g.Scope != scope || g.Name != name) {
				continue
			}
			ended = append(ended, g)
			if err := tx.audit(ctx, ofGrant(AuditGrantEnded, g, by)); err != nil {
				return err
			}
		}
		return tx.exec(ctx, `UPDATE grants SET until = ? WHERE since <= ? AND until > ? AND
			(? = '' OR scope = ? AND name = ?)`, now, now, now, scope, scope, name)
	})
	return ended, doing(err, "ending what may be done without asking")
}
