package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/store"
)

// disk is a small one, as that with the data folder of a test's environment.
type disk struct {
	t   testing.TB
	dir string
}

func newDisk(t *testing.T, b *testEnv) disk {
	d := disk{t, adbtest.Disk(t, 8<<20)}
	b.env = append(b.env, "TAPLOOP_DATA_DIR="+filepath.Join(d.dir, "data"))
	return d
}

// rest is what takes all of the room.
func (d disk) rest() string { return filepath.Join(d.dir, "all the rest") }

func (d disk) fill() {
	d.t.Helper()
	f, err := os.Create(d.rest())
	require.NoError(d.t, err)
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	require.ErrorIs(d.t, err, syscall.ENOSPC)
}

func (d disk) empty() { require.NoError(d.t, os.Remove(d.rest())) }

func TestARunWhoseDiskIsFullEndsAndSaysSo(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	g := b.holdOn("[note-groceries 2/7]")
	p := b.spawn("run", b.task.Goal)
	g.await(t)
	d.fill()
	g.open()

	require.Equal(t, exitError, p.ends(), "%s", p.stderr)
	said := p.stderr.String()
	require.Contains(t, said, "INTERNAL_ERROR")
	require.Contains(t, said, "the disk is full")
	require.Contains(t, said, "try: free some space on the disk that holds the data folder")
	require.NotContains(t, said, "MODEL_ERROR")
	b.life.beat()
	p = b.spawn("run", b.task.Goal)
	require.Equal(t, exitError, p.ends(), "%s", p.stderr)
	require.Contains(t, p.stderr.String(), "the disk is full")

	d.empty()
	p = b.spawn("sessions", "list", "--state", "PAUSED", "--json")
	list, err := io.ReadAll(p.stdout)
	require.NoError(t, err)
	require.Zero(t, p.ends(), "%s", p.stderr)
	require.Equal(t, 1, strings.Count(string(list), "PAUSED"), "%s", list)
	p = b.spawn("continue")
	require.Zero(t, p.ends(), "%s", p.stderr)
	require.NoError(t, b.task.Check(b.sim.Phone))
}

func TestAProgramThatStartsOnAFullDiskSaysSo(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	_, said, code := b.run("sessions", "list")
	require.Zero(t, code, said)
	d.fill()
	for _, args := range [][]string{{"run", b.task.Goal}, {"serve", "--http"}, {"backup", "x.tar"},
		{"schedule", "add", "@daily", b.task.Goal}, {"token", "create"}} {
		_, said, code := b.run(args...)
		require.Equal(t, exitError, code, "%s: %s", args, said)
		require.Contains(t, said, "the disk is full", args)
		require.Contains(t, said, "free some space on the disk", args)
	}
	out, said, code := b.run("run", "--json", b.task.Goal)
	require.Equal(t, exitError, code, said)
	require.Contains(t, out, `"STORE_UNAVAILABLE"`)
	_, said, code = b.run("sessions", "list")
	require.Zero(t, code, "what is stored can be read: %s", said)
	out, _, code = b.run("doctor", "--json")
	require.Equal(t, exitError, code)
	require.Equal(t, 1, strings.Count(out, `"level": "broken"`), out)
	require.Contains(t, out, `"data.full"`)
}

func TestARecordingThatFillsTheDiskIsNoFaultOfTheModel(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	b.env = b.env[:len(b.env)-1] // the sessions are elsewhere
	g := b.holdOn("[note-groceries 2/7]")
	p := b.spawn("run", "--record", filepath.Join(filepath.Dir(d.rest()), "tape.json"), b.task.Goal)
	g.await(t)
	d.fill()
	g.open()

	require.Equal(t, exitError, p.ends(), "%s", p.stderr)
	require.Contains(t, p.stderr.String(), "INTERNAL_ERROR")
	require.Contains(t, p.stderr.String(), "no space left on device")
	require.Contains(t, p.stderr.String(), "try: free some space on the disk")
	require.NotContains(t, p.stderr.String(), "MODEL_ERROR")
}

func TestAServerWhoseDiskIsFullTellsAndPausesTheRunWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	g := b.holdOn("[note-groceries 2/7]")
	s := b.open(route{false, modern})
	begun := s.start(b.task.Goal)
	g.await(t)
	d.fill()
	g.open()

	shown := s.follow(begun) // as next says
	require.Equal(t, store.Paused, shown.State, "%s", shown.words)
	require.EqualValues(t, "INTERNAL_ERROR", shown.Reason)
	require.Contains(t, shown.words, "the disk is full")
	require.Contains(t, shown.words, "free some space")
	touches := len(b.wire.touches())

	d.empty()
	db, err := store.Open(t.Context(), filepath.Join(filepath.Dir(d.rest()), "data"), nil)
	require.NoError(t, err)
	defer db.Close()
	began := time.Now()
	for run := (store.Run{}); run.State != store.Paused; pause(10 * time.Millisecond) {
		run, err = db.LatestRun(t.Context(), begun.SessionID)
		require.NoError(t, err)
		require.Less(t, time.Since(began), patience, "%s", run.State)
	}
	_, held, err := db.Leases.Holder(t.Context(), simulation.DefaultSerial)
	require.NoError(t, err)
	require.False(t, held)
	require.Len(t, b.wire.touches(), touches)

	done := s.follow(s.call(shown.Next.Tool, shown.Next.Arguments))
	require.Equal(t, store.Completed, done.State, "%s", done.words)
	require.NoError(t, b.task.Check(b.sim.Phone))
}
