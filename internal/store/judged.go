package store

import (
	"context"
	"maps"
	"slices"
)

// Judged is what a judge said that touching labels of apps does. It does not interpret the words,
// except that "" is nothing that matters.
type Judged struct{ *db }

// Judged returns the remembered acts of these labels of the app, by label. Others are missing.
func (j Judged) Judged(
	ctx context.Context, app string, labels []string,
) (map[string]string, error) {
	among, list := j.engine.among("label", labels)
	rows, err := collect(ctx, j.read, func(row scanner) (r [2]string, err error) {
		return r, row.Scan(&r[0], &r[1])
	}, "SELECT label, act FROM judged WHERE app = ? AND "+among, app, list)
	acts := map[string]string{}
	for _, r := range rows {
		acts[r[0]] = r[1]
	}
	return acts, doing(err, "reading what labels of %q do", app)
}

// Remember adds acts of the app's labels. An act that is not "" stays.
func (j Judged) Remember(ctx context.Context, app string, acts map[string]string) error {
	err := j.update(ctx, func(ctx context.Context, tx *tx) error {
		for _, label := range slices.Sorted(maps.Keys(acts)) {
			err := tx.exec(ctx, `INSERT INTO judged (app, label, act, since) VALUES (?, ?, ?, ?)
				ON CONFLICT (app, label) DO UPDATE SET act = excluded.act, since = excluded.since
				WHERE judged.act = ''`, app, label, acts[label], millis(tx.at))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return doing(err, "remembering what labels of %q do", app)
}
