package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/hint"
)

// Schedule is a task that is begun at times.
type Schedule struct {
	Name    string    `json:"name"`
	Spec    string    `json:"spec"` // five fields of cron, or a word such as @daily
	Zone    string    `json:"zone,omitempty"`
	Task    string    `json:"task"`
	Serial  string    `json:"device_id,omitempty"` // "" for the only phone that can be used
	Client  string    `json:"client,omitempty"`    // whose its sessions are
	Created time.Time `json:"created_at"`

	// How its runs wait for the phone: where among those of the client, and how long at most.
	Priority     string `json:"priority,omitempty"`
	QueueSeconds int64  `json:"queue_seconds,omitempty"`
}

// TickState is what became of a tick.
type TickState string

// The states of a tick. All but TickClaimed are final.
const (
	TickClaimed TickState = "claimed" // somebody begins its run
	TickStarted TickState = "started"
	TickQueued  TickState = "queued"  // started, and its run waits for the phone: see Last
	TickMissed  TickState = "missed"  // no server was up
	TickSkipped TickState = "skipped" // the phone was busy
	TickFailed  TickState = "failed"  // the run could not be begun
)

// Tick is a time of a schedule that came. There is one row for each, so that its run begins once.
type Tick struct {
	Schedule  string    `json:"schedule"`
	At        time.Time `json:"at"`
	State     TickState `json:"state"`
	SessionID string    `json:"session_id,omitempty"`
	Why       string    `json:"why,omitempty"`
	owner     string
}

// Schedules are the tasks that are begun at times.
type Schedules struct{ *db }

const (
	scheduleColumns = "name, spec, zone, task, serial, client, created_at, priority, queue_seconds"
	tickColumns     = "schedule, at, state, session_id, why, owner"
)

func scanSchedule(row scanner) (s Schedule, err error) {
	return s, row.Scan(&s.Name, &s.Spec, &s.Zone, &s.Task, &s.Serial, &s.Client,
		instant{&s.Created}, &s.Priority, &s.QueueSeconds)
}

func scanTick(row scanner) (t Tick, err error) {
	return t, row.Scan(&t.Schedule, instant{&t.At}, &t.State, &t.SessionID, &t.Why, &t.owner)
}

// Add stores a schedule. There must be none of its name.
func (ss Schedules) Add(ctx context.Context, s Schedule) error {
	err := ss.update(ctx, func(ctx context.Context, tx *tx) error {
		n, err := affected(tx.ExecContext(ctx, `INSERT INTO schedules (`+scheduleColumns+`)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`,
			s.Name, s.Spec, s.Zone, s.Task, s.Serial, s.Client, millis(tx.at), s.Priority,
			s.QueueSeconds))
		if err == nil && n == 0 {
			err = hint.Add(fmt.Errorf("there is a schedule %q", s.Name),
				"choose another --name, or remove it first: taploop schedule remove "+s.Name)
		}
		return err
	})
	return doing(err, "adding a schedule")
}

// List returns the schedules by name.
func (ss Schedules) List(ctx context.Context) ([]Schedule, error) {
	list, err := collect(ctx, ss.read, scanSchedule,
		"SELECT "+scheduleColumns+" FROM schedules ORDER BY name")
	return list, doing(err, "listing schedules")
}

// Get returns the schedule of that name, or ErrNotFound.
func (ss Schedules) Get(ctx context.Context, name string) (Schedule, error) {
	list, err := collect(ctx, ss.read, scanSchedule,
		"SELECT "+scheduleColumns+" FROM schedules WHERE name = ?", name)
	if err == nil && len(list) == 0 {
		err = hint.Add(ErrNotFound, "taploop schedule list shows which there are")
	}
	if err != nil {
		return Schedule{}, doing(err, "schedule %q", name)
	}
	return list[0], nil
}

// Remove deletes a schedule with its ticks, or returns ErrNotFound. Runs that it has begun go on.
func (ss Schedules) Remove(ctx context.Context, name string) error {
	err := ss.update(ctx, func(ctx context.Context, tx *tx) error {
		n, err := affected(tx.ExecContext(ctx, "DELETE FROM schedules WHERE name = ?", name))
		if err == nil && n == 0 {
			err = hint.Add(ErrNotFound, "taploop schedule list shows which there are")
		}
		return err
	})
	return doing(err, "removing schedule %q", name)
}

// Last returns the schedule's latest tick. It is false if none has come yet.
func (ss Schedules) Last(ctx context.Context, name string) (Tick, bool, error) {
	list, err := collect(ctx, ss.read, scanTick, `SELECT schedule, at, CASE WHEN EXISTS (SELECT 1
		FROM sessions s WHERE s.id = session_id AND s.state = 'QUEUED') THEN ? ELSE state END,
		session_id, why, owner FROM ticks WHERE schedule = ? ORDER BY at DESC LIMIT 1`,
		TickQueued, name)
	if err != nil || len(list) == 0 {
		return Tick{}, false, doing(err, "reading the ticks of %q", name)
	}
	return list[0], true, nil
}

// Note stores a tick that no other process has stored. It reports false if one has, or if the
// schedule is gone. A tick that was stored as missed can be claimed: a clock that was ahead has
// been set back, and its time comes after all.
func (ss Schedules) Note(ctx context.Context, t Tick) (mine bool, err error) {
	err = ss.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.shared(ctx); err != nil {
			return err
		}
		n, err := affected(tx.ExecContext(ctx, `INSERT INTO ticks (`+tickColumns+`)
			SELECT name, ?, ?, ?, ?, ? FROM schedules WHERE name = ?
			ON CONFLICT (schedule, at) DO UPDATE SET state = excluded.state, why = excluded.why,
				owner = excluded.owner, told_at = 0
			WHERE ticks.state = 'missed' AND excluded.state = 'claimed'`, millis(t.At), t.State,
			t.SessionID, t.Why, ss.owner.ID, t.Schedule))
		mine = n > 0
		return err
	})
	return mine, doing(err, "storing a tick of %q", t.Schedule)
}

// Settle stores what became of a tick that was claimed.
func (ss Schedules) Settle(ctx context.Context, t Tick) error {
	err := ss.update(ctx, func(ctx context.Context, tx *tx) error {
		return tx.exec(ctx, `UPDATE ticks SET state = ?, session_id = ?, why = ?
			WHERE schedule = ? AND at = ?`, t.State, t.SessionID, t.Why, t.Schedule, millis(t.At))
	})
	return doing(err, "storing what became of a tick of %q", t.Schedule)
}

// Left returns the ticks that were claimed by processes which have died since, and claims them.
// What this process has claimed, and not settled, it returns again.
func (ss Schedules) Left(ctx context.Context) (left []Tick, err error) {
	list, err := collect(ctx, ss.read, scanTick, "SELECT "+tickColumns+` FROM ticks
		WHERE state = 'claimed' ORDER BY at`)
	for _, t := range list {
		if err != nil || t.owner != ss.owner.ID && ss.owner.Alive(t.owner) {
			continue
		}
		taken := false
		err = ss.update(ctx, func(ctx context.Context, tx *tx) error {
			if err := tx.shared(ctx); err != nil {
				return err
			}
			n, err := affected(tx.ExecContext(ctx, `UPDATE ticks SET owner = ?
				WHERE schedule = ? AND at = ? AND state = 'claimed' AND owner = ?`,
				ss.owner.ID, t.Schedule, millis(t.At), t.owner))
			taken = n > 0
			return err
		})
		if taken && err == nil {
			left = append(left, t)
		}
	}
	return left, doing(err, "looking for ticks that were left behind")
}

// Untold returns the ticks since then that no run began for, of processes that died before they
// told of them, oldest first.
func (ss Schedules) Untold(ctx context.Context, since time.Time) ([]Tick, error) {
	list, err := collect(ctx, ss.read, scanTick, "SELECT "+tickColumns+` FROM ticks
		WHERE state IN ('missed', 'skipped', 'failed') AND at >= ? AND told_at = 0
		ORDER BY schedule, at`, millis(since))
	list = slices.DeleteFunc(list, func(t Tick) bool { return ss.owner.Alive(t.owner) })
	return list, doing(err, "looking for ticks that were not told")
}

// Told stores that people were told of a schedule's ticks from the first to the last.
func (ss Schedules) Told(ctx context.Context, name string, first, last time.Time) error {
	err := ss.update(ctx, func(ctx context.Context, tx *tx) error {
		return tx.exec(ctx, `UPDATE ticks SET told_at = ? WHERE schedule = ? AND at BETWEEN ? AND ?
			AND state IN ('missed', 'skipped', 'failed')`, millis(tx.at), name, millis(first),
			millis(last))
	})
	return doing(err, "storing that ticks of %q were told", name)
}

// Ticks returns the newest ticks of a schedule, newest first; limit 0 means all.
func (ss Schedules) Ticks(ctx context.Context, name string, limit int) ([]Tick, error) {
	w := where{"schedule = ?", []any{name}}
	list, err := collect(ctx, ss.read, scanTick, "SELECT "+tickColumns+" FROM ticks WHERE "+
		w.sql+" ORDER BY at DESC LIMIT ?", w.limited(limit)...)
	return list, doing(err, "reading the ticks of %q", name)
}
