package schedule_test

import (
	"fmt"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/schedule"
)

// changing are zones whose clocks are changed in these years: one of each way in which they are in
// the next ones, and the odd ways that there were.
var changing = []struct {
	zones    []string
	from, to int
}{
	{[]string{"Africa/Cairo", "Africa/Casablanca", "America/Adak", "America/Anchorage",
		"America/Chicago", "America/Denver", "America/Halifax", "America/Havana",
		"America/Los_Angeles", "America/Miquelon", "America/New_York", "America/Nuuk",
		"America/Santiago", "America/St_Johns", "Antarctica/Troll", "Asia/Beirut", "Asia/Gaza",
		"Asia/Jerusalem", "Atlantic/Azores", "Australia/Adelaide", "Australia/Lord_Howe",
		"Australia/Sydney", "Europe/Athens", "Europe/Berlin", "Europe/Chisinau", "Europe/Dublin",
		"Europe/London", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Easter",
		"Pacific/Norfolk"}, 2026, 2029},
	{[]string{"America/Sao_Paulo", "America/Asuncion", "Antarctica/Casey", "Asia/Amman"},
		2016, 2019},
	{[]string{"Pacific/Apia"}, 2010, 2013}, // a day was left out
	{[]string{"Pacific/Kwajalein"}, 1993, 1994},
	{[]string{"America/Caracas", "Asia/Pyongyang"}, 2015, 2019}, // half an hour
	{[]string{"Asia/Kathmandu"}, 1985, 1987},                    // a quarter
}

// At each minute that clocks leave out or show twice there is one time a day: the first moment at
// which they have shown that minute or a later one.
func TestNoChangeOfAnyZonesClocksLosesATime(t *testing.T) {
	changes := 0
	for _, c := range changing {
		for _, name := range c.zones {
			zone, err := time.LoadLocation(name)
			require.NoError(t, err)
			at := time.Date(c.from, 1, 1, 0, 0, 0, 0, zone)
			_, before := at.Zone()
			for ; at.Year() < c.to; at = at.Add(time.Minute * 15) {
				_, now := at.Zone()
				if now != before {
					changes++
					requireEachMinute(t, at, time.Duration(now-before)*time.Second)
				}
				before = now
			}
		}
	}
	require.Greater(t, changes, 200)
}

// requireEachMinute looks at a change of the clocks by so much that came in the quarter of an hour
// before at.
func requireEachMinute(t *testing.T, at time.Time, by time.Duration) {
	t.Helper()
	from := at.Add(-50 * time.Hour).Truncate(time.Minute)
	walked := map[time.Time]time.Time{} // when the clocks had shown each minute or a later one
	reached := onTheWall(from)
	for now := from; now.Before(at.Add(50 * time.Hour)); now = now.Add(time.Minute) {
		for ; !reached.After(onTheWall(now)); reached = reached.Add(time.Minute) {
			walked[reached] = now.UTC()
		}
	}
	change := onTheWall(at).Add(-max(by, 0)).Truncate(15 * time.Minute)
	for minute := -20 * time.Minute; minute < by.Abs()+20*time.Minute; minute += time.Minute {
		wall := change.Add(minute)
		var want []time.Time
		for day := -1; day <= 1; day++ {
			when := walked[wall.AddDate(0, 0, day)]
			if n := len(want); n == 0 || !want[n-1].Equal(when) { // two days at one moment
				want = append(want, when)
			}
		}
		requireNext(t, fmt.Sprintf("%d %d * * *", wall.Minute(), wall.Hour()), at.Location(),
			want[0].Add(-time.Minute), want)
		requireNext(t, fmt.Sprintf("%d %d %d %d *", wall.Minute(), wall.Hour(), wall.Day(),
			wall.Month()), at.Location(), from, []time.Time{walked[wall]})
	}
}

// requireNext has the schedule's times come as they are wanted after from.
func requireNext(t *testing.T, spec string, zone *time.Location, from time.Time,
	want []time.Time) {
	t.Helper()
	times, err := schedule.Parse(spec, zone.String())
	require.NoError(t, err)
	for _, want := range want {
		if from = times.Next(from); !from.Equal(want) {
			require.Equal(t, want, from, "%s in %s", spec, zone)
		}
	}
}

// onTheWall is the minute that clocks in the zone of at show, written in UTC.
func onTheWall(at time.Time) time.Time {
	return time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC)
}
