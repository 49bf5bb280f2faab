package session

import (
	"context"

	"github.com/taploop/taploop/guard"
)

// Grant keeps a person's leave to go on without asking, and notes it in the audit. It takes the
// place of those of its scope and name.
func (s *Store) Grant(ctx context.Context, g guard.Grant, by AuditEntry) error {
	by.Event, by.Text = AuditGranted, g.String()
	if g.Scope == guard.ForSession {
		by.SessionID = g.Name
	}
	err := s.update(ctx, func(ctx context.Context, tx *tx) error {
		now := millis(tx.at)
		err := tx.exec(ctx, `UPDATE grants SET until = ? WHERE scope = ? AND name = ? AND until > ?`,
			now, g.Scope, g.Name, now)
		if err != nil {
			return err
		}
		err = tx.exec(ctx, `INSERT INTO grants (scope, name, since, until, by)
			VALUES (?, ?, ?, ?, ?)`, g.Scope, g.Name, millis(g.From), millis(g.Until), g.By)
		if err != nil {
			return err
		}
		return tx.audit(ctx, by)
	})
	return doing(err, "keeping a leave")
}

// Grants lists those that hold now, oldest first.
func (s *Store) Grants(ctx context.Context) ([]guard.Grant, error) {
	list, err := grants(ctx, s.read, millis(s.now()))
	return list, doing(err, "listing what may be done without asking")
}

func grants(ctx context.Context, q queryer, now int64) ([]guard.Grant, error) {
	return collect(ctx, q, func(row scanner) (g guard.Grant, err error) {
		return g, row.Scan(&g.Scope, &g.Name, instant{&g.From}, instant{&g.Until}, &g.By)
	}, `SELECT scope, name, since, until, by FROM grants WHERE since <= ? AND until > ?
		ORDER BY seq`, now, now)
}

// EndGrants ends those of the scope and the name, all of them when scope is "", and returns which
// they were. Each is noted in the audit.
func (s *Store) EndGrants(
	ctx context.Context, scope guard.Scope, name string, by AuditEntry,
) (ended []guard.Grant, err error) {
	err = s.update(ctx, func(ctx context.Context, tx *tx) error {
		now := millis(tx.at)
		held, err := grants(ctx, tx, now)
		if err != nil {
			return err
		}
		for _, g := range held {
			if scope != "" && (g.Scope != scope || g.Name != name) {
				continue
			}
			ended = append(ended, g)
			e := by
			e.Event, e.Text = AuditGrantEnded, g.String()
			if g.Scope == guard.ForSession {
				e.SessionID = g.Name
			}
			if err := tx.audit(ctx, e); err != nil {
				return err
			}
		}
		return tx.exec(ctx, `UPDATE grants SET until = ? WHERE since <= ? AND until > ? AND
			(? = '' OR scope = ? AND name = ?)`, now, now, now, scope, scope, name)
	})
	return ended, doing(err, "ending what may be done without asking")
}
