package store

import (
	"context"
	"errors"
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

// The states of a tick. All but TickClaimed and TickRestored are final.
const (
	TickClaimed TickState = "claimed" // somebody begins its run
	TickStarted TickState = "started"
	TickQueued  TickState = "queued"  // started, and its run waits for the phone: see Last
	TickMissed  TickState = "missed"  // no server was up
	TickSkipped TickState = "skipped" // the phone was busy
	TickFailed  TickState = "failed"  // the run could not be begun
	// Up to this time, runs may have begun after the backup from which the store was restored.
	// Which times came until then is for package schedule to say.
	TickRestored TickState = "restored"
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
	n, err := ss.exec(ctx, `INSERT INTO schedules (`+scheduleColumns+`)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING`, s.Name, s.Spec, s.Zone,
		s.Task, s.Serial, s.Client, millis(ss.now()), s.Priority, s.QueueSeconds)
	if err == nil && n == 0 {
		err = hint.Add(fmt.Errorf("there is a schedule %q", s.Name),
			"choose another --name, or remove it first: taploop schedule remove "+s.Name)
	}
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
	row := ss.read.QueryRowContext(ctx,
		"SELECT "+scheduleColumns+" FROM schedules WHERE name = ?", name)
	s, err := oneRow(row, scanSchedule, "schedule", name)
	if errors.Is(err, ErrNotFound) {
		err = hint.Add(err, listSchedules)
	}
	return s, err
}

const listSchedules = "taploop schedule list shows which there are"

// Remove deletes a schedule with its ticks, or returns ErrNotFound. Runs that it has begun go on.
func (ss Schedules) Remove(ctx context.Context, name string) error {
	n, err := ss.exec(ctx, "DELETE FROM schedules WHERE name = ?", name)
	if err == nil && n == 0 {
		err = hint.Add(ErrNotFound, listSchedules)
	}
	return doing(err, "removing schedule %q", name)
}

// Last returns the schedule's latest tick, which is zero if none has come yet.
func (ss Schedules) Last(ctx context.Context, name string) (Tick, error) {
	row := ss.read.QueryRowContext(ctx, `SELECT schedule, at, CASE WHEN EXISTS (SELECT 1
		FROM sessions s WHERE s.id = session_id AND s.state = 'QUEUED') THEN ? ELSE state END,
		session_id, why, owner FROM ticks WHERE schedule = ? ORDER BY at DESC LIMIT 1`,
		TickQueued, name)
	last, err := oneRow(row, scanTick, "the last tick of", name)
	if errors.Is(err, ErrNotFound) {
		return Tick{}, nil
	}
	return last, err
}

// Note stores a tick that no other process has stored. It reports false if one has, or if the
// schedule is gone. A tick that was stored as missed can be claimed: a clock that was ahead has
// been set back, and its time comes after all. One that was stored as restored is settled.
func (ss Schedules) Note(ctx context.Context, t Tick) (mine bool, err error) {
	mine, err = ss.own(ctx, `INSERT INTO ticks (`+tickColumns+`)
		SELECT name, ?, ?, ?, ?, ? FROM schedules WHERE name = ?
		ON CONFLICT (schedule, at) DO UPDATE SET state = excluded.state, why = excluded.why,
			owner = excluded.owner, told_at = 0
		WHERE ticks.state = 'restored' OR ticks.state = 'missed' AND excluded.state = 'claimed'`,
		millis(t.At), t.State, t.SessionID, t.Why, ss.owner.ID, t.Schedule)
	return mine, doing(err, "storing a tick of %q", t.Schedule)
}

// Settle stores what became of a tick that was claimed.
func (ss Schedules) Settle(ctx context.Context, t Tick) error {
	_, err := ss.exec(ctx, `UPDATE ticks SET state = ?, session_id = ?, why = ?
		WHERE schedule = ? AND at = ?`, t.State, t.SessionID, t.Why, t.Schedule, millis(t.At))
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
		var taken bool
		taken, err = ss.own(ctx, `UPDATE ticks SET owner = ?
			WHERE schedule = ? AND at = ? AND state = 'claimed' AND owner = ?`,
			ss.owner.ID, t.Schedule, millis(t.At), t.owner)
		if taken {
			left = append(left, t)
		}
	}
	return left, doing(err, "looking for ticks that were left behind")
}

// own reports whether the statement made a tick this process's, which others see to be there.
func (ss Schedules) own(ctx context.Context, query string, args ...any) (mine bool, err error) {
	err = ss.update(ctx, func(ctx context.Context, tx *tx) error {
		if err := tx.shared(ctx); err != nil {
			return err
		}
		n, err := affected(tx.ExecContext(ctx, query, args...))
		mine = n > 0
		return err
	})
	return mine && err == nil, err
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
	_, err := ss.exec(ctx, `UPDATE ticks SET told_at = ? WHERE schedule = ? AND at BETWEEN ? AND ?
		AND state IN ('missed', 'skipped', 'failed')`, millis(ss.now()), name, millis(first),
		millis(last))
	return doing(err, "storing that ticks of %q were told", name)
}

// Passed stores that the schedule's times before the restore of the store are stored as ticks.
func (ss Schedules) Passed(ctx context.Context, name string) error {
	_, err := ss.exec(ctx, "DELETE FROM ticks WHERE schedule = ? AND state = ?", name, TickRestored)
	return doing(err, "storing that ticks of %q have passed", name)
}

// Ticks returns the newest ticks of a schedule, newest first; limit 0 means all.
func (ss Schedules) Ticks(ctx context.Context, name string, limit int) ([]Tick, error) {
	w := where{args: []any{name}}
	list, err := collect(ctx, ss.read, scanTick, "SELECT "+tickColumns+` FROM ticks
		WHERE schedule = ? ORDER BY at DESC LIMIT ?`, w.limited(limit)...)
	return list, doing(err, "reading the ticks of %q", name)
}
