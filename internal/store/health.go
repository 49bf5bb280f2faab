package store

import (
	"context"
	"errors"
	"time"
)

// Probe reports whether the store takes a write now.
func (d *db) Probe(ctx context.Context) error {
	err := d.updateUnsynced(ctx, func(ctx context.Context, tx *tx) error {
		return tx.exec(ctx, `INSERT INTO probes (name, at) VALUES ('ready', ?)
			ON CONFLICT (name) DO UPDATE SET at = excluded.at`, millis(tx.at))
	})
	return doing(err, "writing to the store")
}

// Load is what a store has under way.
type Load struct {
	Runs      map[State]int // that have not ended, by state
	Questions int           // that are open
	Oldest    time.Time     // when the oldest of these was asked, zero without one
}

// Load returns the work under way.
func (s *Store) Load(ctx context.Context) (Load, error) {
	l := Load{Runs: map[State]int{Queued: 0, Running: 0, Paused: 0, WaitingReply: 0,
		WaitingApproval: 0, WaitingTakeover: 0}}
	type count struct {
		state State
		n     int
	}
	all, err := collect(ctx, s.read, func(row scanner) (c count, err error) {
		return c, row.Scan(&c.state, &c.n)
	}, `SELECT state, count(*) FROM sessions WHERE state IN ('QUEUED', 'RUNNING',
		'WAITING_REPLY', 'WAITING_APPROVAL', 'WAITING_TAKEOVER', 'PAUSED') GROUP BY state`)
	for _, c := range all {
		l.Runs[c.state] = c.n
	}
	if err == nil {
		err = s.read.QueryRowContext(ctx, `SELECT count(*), coalesce(min(asked_at), 0)
			FROM questions WHERE status = 'pending'`).Scan(&l.Questions, instant{&l.Oldest})
	}
	return l, doing(err, "counting what is under way")
}

// Bytes returns the size of the database and of the pictures.
func (s *Store) Bytes() (int64, error) {
	ctx, stop := context.WithTimeout(context.Background(), s.opts.Patience)
	defer stop()
	pictures, err := s.frames.bytes(ctx)
	database, failed := s.engine.bytes(ctx, s.db)
	return pictures + database, doing(errors.Join(err, failed), "measuring the store")
}

// bytes is the size of all frames.
func (f *frames) bytes(ctx context.Context) (sum int64, err error) {
	for p, err := range f.List(ctx, "") {
		if err != nil {
			return 0, err
		}
		sum += p.Size
	}
	return sum, nil
}
