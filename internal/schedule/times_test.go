package schedule_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/schedule"
	"github.com/taploop/taploop/internal/store"
)

func TestTimesOfEveryFormComeWhenTheySay(t *testing.T) {
	for _, c := range []struct{ spec, from, want string }{
		{"0 8 * * 7", "2026-03-27T12:00:00Z", "2026-03-29T08:00:00Z 2026-04-05T08:00:00Z"},
		{"0 8 * * fri-MON", "2026-03-26T12:00:00Z", "2026-03-27T08:00:00Z 2026-03-28T08:00:00Z " +
			"2026-03-29T08:00:00Z 2026-03-30T08:00:00Z 2026-04-03T08:00:00Z"},
		{"0 22-1 * * *", "2026-03-27T12:00:00Z", "2026-03-27T22:00:00Z 2026-03-27T23:00:00Z " +
			"2026-03-28T00:00:00Z 2026-03-28T01:00:00Z 2026-03-28T22:00:00Z"},
		{"0 8 1 * 1", "2026-03-27T12:00:00Z", "2026-03-30T08:00:00Z 2026-04-01T08:00:00Z"},
		{"*/25 9 * jan,Dec *", "2026-03-27T12:00:00Z", "2026-12-01T09:00:00Z " +
			"2026-12-01T09:25:00Z 2026-12-01T09:50:00Z 2026-12-02T09:00:00Z"},
		{"0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00Z"},
		{"0 12 L * *", "2028-02-01T00:00:00Z", "2028-02-29T12:00:00Z 2028-03-31T12:00:00Z"},
		{"0 12 * * TUE#2", "2026-03-01T00:00:00Z", "2026-03-10T12:00:00Z 2026-04-14T12:00:00Z"},
		{"@weekly", "2026-03-27T12:00:00Z", "2026-03-29T00:00:00Z"},
		{"@every 90m", "2026-03-27T12:00:00Z", "2026-03-27T13:30:00Z"},
		{"TZ=Asia/Tokyo 0 8 * * *", "2026-03-27T12:00:00Z", "2026-03-27T23:00:00Z"},
		{"TZ=Australia/Lord_Howe 45 1 * * *", "2026-04-03T16:00:00Z", // half an hour back
			"2026-04-04T14:45:00Z 2026-04-05T15:15:00Z"},
	} {
		requireTimes(t, c.spec, "UTC", c.from, c.want)
	}
}

func TestIntervalsCountFromTheLastTick(t *testing.T) {
	made := time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		spec string
		last time.Duration // after made, 0 for no tick yet
		now  time.Duration
		want time.Duration
	}{
		{"@every 10m", 0, 3 * time.Minute, 10 * time.Minute},
		{"@every 10m", 10 * time.Minute, 19 * time.Minute, 20 * time.Minute},
		{"@every 10m", 10 * time.Minute, 47 * time.Minute, 50 * time.Minute}, // no server was up
		{"@every 10m", 10 * time.Minute, 20 * time.Minute, 30 * time.Minute},
		{"@hourly", 0, 5 * time.Minute, time.Hour},
	} {
		times, err := schedule.Parse(c.spec, "UTC")
		require.NoError(t, err)
		var last store.Tick
		if c.last > 0 {
			last.At = made.Add(c.last)
		}
		got := times.Upcoming(store.Schedule{Created: made}, last, made.Add(c.now))
		require.Equal(t, c.want, got.Sub(made), c)
	}
}

// requireTimes has a schedule's times come as they are wanted, after from.
func requireTimes(t *testing.T, spec, zone, from, want string) {
	t.Helper()
	times, err := schedule.Parse(spec, zone)
	require.NoError(t, err)
	at, err := time.Parse(time.RFC3339, from)
	require.NoError(t, err)
	for _, want := range strings.Fields(want) {
		at = times.Next(at)
		require.Equal(t, want, at.Format(time.RFC3339), spec)
	}
}

func TestClocksThatAreChangedLoseNoTime(t *testing.T) {
	const berlin = "Europe/Berlin"
	for _, c := range []struct{ zone, spec, from, want string }{
		{berlin, "30 2 * * *", "2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z 2026-10-26T01:30:00Z"},
		{berlin, "30 * * * *", "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z 2026-10-25T01:30:00Z"},
		{berlin, "30 2 * * *", "2026-03-28T00:00:00Z",
			"2026-03-28T01:30:00Z 2026-03-29T01:00:00Z 2026-03-30T00:30:00Z"},
		{berlin, "*/20 2 * * *", "2026-03-28T01:30:00Z",
			"2026-03-28T01:40:00Z 2026-03-29T01:00:00Z 2026-03-30T00:00:00Z"},
		{berlin, "30 * * * *", "2026-03-29T00:00:00Z", "2026-03-29T00:30:00Z 2026-03-29T01:30:00Z"},
		{berlin, "30 2 * * 0", "2026-03-27T00:00:00Z", "2026-03-29T01:00:00Z 2026-04-05T00:30:00Z"},
		{berlin, "0 8 * * 1-5", "2026-03-27T12:00:00Z", "2026-03-30T06:00:00Z 2026-03-31T06:00:00Z"},
		{berlin, "*/30 1-3 * * *", "2026-03-29T00:00:00Z", "2026-03-29T00:30:00Z 2026-03-29T01:00:00Z"},
		{"Africa/Cairo", "30 0 30 4 *", "2027-01-01T00:00:00Z", "2027-04-29T22:00:00Z"},
		{"Africa/Cairo", "*/15 * 30 4 *", "2027-04-29T00:00:00Z",
			"2027-04-29T22:00:00Z 2027-04-29T22:15:00Z"},
		{"Africa/Cairo", "@daily", "2027-04-28T22:00:00Z",
			"2027-04-29T22:00:00Z 2027-04-30T21:00:00Z"},
		{"Asia/Beirut", "0 0 28 3 *", "2027-01-01T00:00:00Z", "2027-03-27T22:00:00Z"},
		{"America/Havana", "0 0 14 3 *", "2027-01-01T00:00:00Z", "2027-03-14T05:00:00Z"},
		{"America/Santiago", "0 0 5 9 *", "2027-01-01T00:00:00Z", "2027-09-05T04:00:00Z"},
		{"Australia/Lord_Howe", "15 2 3 10 *", "2027-01-01T00:00:00Z", "2027-10-02T15:30:00Z"},
		{"Australia/Lord_Howe", "15 2 * 10 SUN#1", "2026-11-01T00:00:00Z",
			"2027-10-02T15:30:00Z 2028-09-30T15:30:00Z"},
	} {
		requireTimes(t, c.spec, c.zone, c.from, c.want)
	}
}
