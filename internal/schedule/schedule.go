// Package schedule begins tasks at times. A Scheduler looks at the schedules of the store, works
// out which of their times have come since it looked last, stores each of them as a tick, and has
// the run of each begun once.
//
// A tick is stored before its run begins, under a key that is unique, and the run begins under a
// key made of the tick: neither a crash between the two nor a second process begins it again.
package schedule

import (
	"fmt"
	"time"

	"github.com/netresearch/go-cron"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow |
	cron.Descriptor | cron.Extended | cron.DowOrDom).
	WithMinEveryInterval(time.Minute).WithMaxSearchYears(9) // 2100 is no leap year

// Times are the times of a schedule.
type Times struct {
	spec cron.Schedule
	zone *time.Location
}

// Parse reads when a schedule's times are: five fields of cron, or a word such as @daily, in the
// zone, which is this machine's if it is "". A zone in spec itself, TZ=Asia/Tokyo, comes first.
func Parse(spec, zone string) (Times, error) {
	t := Times{zone: time.Local}
	var err error
	if zone != "" {
		if t.zone, err = time.LoadLocation(zone); err != nil {
			return t, hint.Add(fmt.Errorf("there is no time zone %q", zone),
				"write one such as Europe/Berlin, or leave it out for this machine's")
		}
	}
	if t.spec, err = parser.Parse(spec); err != nil {
		return t, hint.Add(fmt.Errorf("%q says no times: %w", spec, err),
			`write minute, hour, day of the month, month and day of the week, such as `+
				`"0 8 * * 1-5" for 8:00 from Monday to Friday, or a word such as @daily`)
	}
	if fields, is := t.spec.(*cron.SpecSchedule); is {
		if fields.Location != time.Local {
			t.zone = fields.Location
		}
		fields.Location = time.UTC // Next knows of the zone
	}
	if t.Next(time.Now()).IsZero() {
		return t, hint.Add(fmt.Errorf("%q never comes", spec), "check day and month")
	}
	return t, nil
}

// Next is the first time after at, or zero if none comes within years. Where clocks are changed, a
// time that comes twice counts once, and one that is left out counts at the moment after the
// change. A schedule for every hour is for the hours that there are.
func (t Times) Next(at time.Time) time.Time {
	fields, are := t.spec.(*cron.SpecSchedule)
	if !are {
		return t.spec.Next(at).UTC()
	}
	at = at.In(t.zone)
	const everyHour = 1 << 63 // package cron sets this bit for a field that is "*"
	hourly := fields.Hour&everyHour != 0
	latest := shown(at) // that the clocks have shown
	if since, _ := at.ZoneBounds(); !hourly && !since.IsZero() {
		if before := shown(since.Add(-1)); before.After(latest) {
			latest = before
		}
	}
	next := fields.Next(latest)
	for _, until := at.ZoneBounds(); !next.IsZero(); _, until = at.ZoneBounds() {
		_, ahead := at.Zone()
		comes := next.Add(-time.Duration(ahead) * time.Second)
		switch {
		case comes.Before(at):
			return at.UTC() // it was left out
		case until.IsZero() || comes.Before(until):
			return comes
		}
		at = until
		if hourly {
			next = fields.Next(shown(at).Add(-1))
		}
	}
	return next
}

// shown is what the clocks of its zone show at the time, written as a time in UTC.
func shown(at time.Time) time.Time {
	_, ahead := at.Zone()
	return at.UTC().Add(time.Duration(ahead) * time.Second)
}

// Upcoming is when the schedule's run begins next, if a server is up then. last is its last tick,
// zero if none was. Intervals count from there, or from when the schedule was made.
func (t Times) Upcoming(one store.Schedule, last store.Tick, now time.Time) time.Time {
	if _, fixed := t.spec.(*cron.SpecSchedule); fixed {
		return t.Next(now)
	}
	at := t.Next(since(one, last, now))
	for !at.IsZero() && !at.After(now) {
		at = t.Next(at)
	}
	return at
}

// since is the time after which the times of a schedule have not been looked at.
func since(one store.Schedule, last store.Tick, now time.Time) time.Time {
	from := one.Created
	if !last.At.IsZero() {
		from = last.At
	}
	if from.Sub(now) > wasAhead {
		from = now.Add(-late)
	}
	return from
}

// due are the times after from, up to now, the newest most of them, and how many came before these.
func (t Times) due(from, now time.Time, most int) (list []time.Time, more int) {
	for at := t.Next(from); !at.IsZero() && !at.After(now); at = t.Next(at) {
		if len(list) == most {
			list = list[1:]
			more++
		}
		list = append(list, at)
	}
	return list, more
}

// keyOf is the key under which the run of a tick begins.
func keyOf(t store.Tick) string {
	return fmt.Sprintf("schedule %s %s", t.Schedule, t.At.UTC().Format(time.RFC3339))
}
