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

	"github.com/robfig/cron/v3"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/store"
)

var parser = cron.NewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow |
	cron.Descriptor)

// Times are the times of a schedule.
type Times struct {
	spec cron.Schedule
	zone *time.Location
}

// Parse reads when a schedule's times are: five fields of cron, or a word such as @daily, in the
// zone, which is this machine's if it is "".
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
	if t.Next(time.Now()).IsZero() {
		return t, hint.Add(fmt.Errorf("%q never comes", spec), "check day and month")
	}
	return t, nil
}

// Next is the first time after at, or zero if none comes within years. Where clocks are changed, a
// time that comes twice counts once, and one that is left out counts at the same distance from
// midnight, unless the schedule is for every hour.
func (t Times) Next(at time.Time) time.Time {
	next := t.spec.Next(at.In(t.zone))
	s, fields := t.spec.(*cron.SpecSchedule)
	if !fields || s.Hour&everyHour != 0 || next.IsZero() {
		return utc(next)
	}
	_, offset := at.In(t.zone).Zone()
	unchanged := t.spec.Next(at.In(time.FixedZone("", offset)))
	if unchanged.Before(next) && !t.exists(unchanged) {
		return utc(unchanged)
	}
	if before := next.Add(-time.Hour); before.Hour() == next.Hour() && before.Day() == next.Day() {
		return t.Next(next)
	}
	return utc(next)
}

// everyHour is the bit that package cron sets for a field that is "*".
const everyHour = 1 << 63

// exists reports whether the clocks of the zone show what at shows.
func (t Times) exists(at time.Time) bool {
	year, month, day := at.Date()
	return time.Date(year, month, day, at.Hour(), at.Minute(), 0, 0, t.zone).Hour() == at.Hour()
}

// utc is at in UTC, or zero.
func utc(at time.Time) time.Time {
	if at.IsZero() {
		return at
	}
	return at.UTC()
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
