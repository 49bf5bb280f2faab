//go:build unix

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/store"
)

func TestAServerBeginsWhatIsScheduled(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	out, said, code := b.run("schedule", "add", "0 8 * * 1-5", b.task.Goal)
	require.Zero(t, code, said)
	require.Regexp(t, `(?m)^next: \d{4}-`, said)
	require.Contains(t, said, "no server is up")
	name := out[:len(out)-1]
	_, said, code = b.run("schedule", "add", "0 8 * * 1-5", b.task.Goal)
	require.Equal(t, exitError, code)
	require.Contains(t, said, "there is a schedule")
	_, said, code = b.run("schedule", "add", "8 o'clock", b.task.Goal)
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, `try: write minute, hour, day of the month`)
	_, said, code = b.run("schedule", "add", "@daily", strings.Repeat("tap ", 6000))
	require.Equal(t, exitUsage, code)
	require.Contains(t, said, "want at most 20000")
	out, said, code = b.run("schedule", "list")
	require.Zero(t, code, said)
	require.Regexp(t, `(?m)^`+name+` +0 8 \* \* 1-5 +\d{4}-\d\d-\d\d \d\d:\d\d +- +- +`, out)
	_, said, code = b.run("schedule", "remove", name)
	require.Zero(t, code, said)
	for _, wrong := range []string{"--priority=urgent", "--queue-for=0s", "--queue-for=169h"} {
		_, said, code = b.run("schedule", "add", "@daily", b.task.Goal, wrong)
		require.Equal(t, exitUsage, code, "%s: %s", wrong, said)
	}
	out, said, code = b.run("schedule", "add", "@daily", b.task.Goal, "--priority=low",
		"--queue-for=90m", "--name=patient")
	require.Zero(t, code, said)
	require.Equal(t, "patient\n", out)
	out, _, _ = b.run("schedule", "list", "--json")
	require.Contains(t, out, `"priority": "low"`)
	require.Contains(t, out, `"queue_seconds": 5400`)
	require.NotContains(t, said, "can be used now")
	for phone, told := range map[string]bool{b.sim.Serial: false, "nosuch": true, "api>=99": true,
		"any": false} {
		_, said, code = b.run("schedule", "add", "@daily", b.task.Goal, "--name=p", "--phone", phone)
		require.Zero(t, code, said)
		const warning = "is no phone that can be used now; it may come later"
		require.Equal(t, told, strings.Contains(said, warning), said)
		_, said, code = b.run("schedule", "remove", "p")
		require.Zero(t, code, said)
	}
	_, said, code = b.run("schedule", "remove", "patient")
	require.Zero(t, code, said)
	_, said, code = b.run("schedule", "remove", name)
	require.Equal(t, exitError, code, said)

	// A quarter of an hour ago three times came, and no server was up.
	db, err := store.Open(t.Context(), filepath.Join(b.dir, "data", "taploop"), &store.Options{
		Now: func() time.Time { return time.Now().Add(-15*time.Minute - 30*time.Second) }})
	require.NoError(t, err)
	require.NoError(t, db.Schedules.Add(t.Context(),
		store.Schedule{Name: "groceries", Spec: "*/5 * * * *", Task: b.task.Goal}))
	require.NoError(t, db.Close())
	p, _ := b.serve()
	p.stderr.await(t, `msg="schedule started" schedule=groceries session=(\w+)`)
	p.stderr.await(t, `msg="schedule missed" schedule=groceries ticks=(\d)`)
	p.stderr.await(t, `msg="run ended" .*state=COMPLETED`)
	require.NoError(t, b.task.Check(b.sim.Phone))
	out, said, code = b.run("schedule", "list", "--json")
	require.Zero(t, code, said)
	var list []listedSchedule
	require.NoError(t, json.Unmarshal([]byte(out), &list))
	require.Len(t, list, 1)
	require.Equal(t, store.TickStarted, list[0].Last.State)
	require.NotEmpty(t, list[0].Last.SessionID)

	p.kill()
	out, said, code = b.run("schedule", "run", "groceries", "--json")
	require.Zero(t, code, said)
	require.Contains(t, out, `"state": "COMPLETED"`)
}

// A schedule's run ends untouched when its phone is busy for longer than the schedule says.
func TestAScheduledRunWaitsAsLongAsItsScheduleSays(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	held := b.holdAt("2/8")
	has := b.spawn("run", b.task.Goal, "--json")
	held.await(t)
	db, err := store.Open(t.Context(), filepath.Join(b.dir, "data", "taploop"), &store.Options{
		Now: func() time.Time { return time.Now().Add(-5 * time.Minute) }})
	require.NoError(t, err)
	require.NoError(t, db.Schedules.Add(t.Context(), store.Schedule{Name: "groceries",
		Spec: "*/5 * * * *", Task: b.task.Goal, QueueSeconds: 1}))
	require.NoError(t, db.Close())
	p, _ := b.serve()
	p.stderr.await(t, `msg="schedule missed" schedule=groceries ticks=1 .*`+
		`why="the phone was busy for 1s"`)
	held.open()
	require.Equal(t, exitWaiting, has.ends(), "it asks for the size: %s", has.stderr)
}
