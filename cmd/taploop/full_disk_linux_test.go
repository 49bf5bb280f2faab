package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/store"
)

// disk is a small one, as that with the data folder of a test's environment.
type disk struct {
	t   testing.TB
	dir string
}

func newDisk(t *testing.T, b *testEnv) disk {
	d := disk{t, adbtest.Disk(t, 8<<20)}
	b.env = append(b.env, "TAPLOOP_DATA_DIR="+d.data())
	return d
}

func (d disk) data() string { return filepath.Join(d.dir, "data") }

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

// crowd has the disk take no more files, however much room there is.
func (d disk) crowd() {
	d.t.Helper()
	require.NoError(d.t, os.Mkdir(d.rest(), 0o700))
	var err error
	for i := 0; err == nil; i++ {
		err = os.WriteFile(filepath.Join(d.rest(), strconv.Itoa(i)), nil, 0o600)
	}
	require.ErrorIs(d.t, err, syscall.ENOSPC)
}

func TestADiskThatTakesNoMoreFilesIsFull(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	p := b.spawn("sessions", "list")
	require.Zero(t, p.ends(), "%s", p.stderr)
	free, err := files.Free(d.data())
	require.NoError(t, err)
	require.NotZero(t, free)
	d.crowd()
	free, err = files.Free(d.data())
	require.NoError(t, err)
	require.Zero(t, free)
	p = b.spawn("run", b.task.Goal)
	require.Equal(t, exitError, p.ends(), "%s", p.stderr)
	require.Contains(t, p.stderr.String(), "the disk is full")
	p = b.spawn("doctor", "--json")
	said, err := io.ReadAll(p.stdout)
	require.NoError(t, err)
	require.Equal(t, exitError, p.ends(), "%s", p.stderr)
	require.Contains(t, string(said), `"data.full"`)
	require.NotContains(t, string(said), `"http.tokens"`, "which follows from that")
}

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
	require.Contains(t, said, "paused after")
	require.Contains(t, said, "the disk is full")
	require.Contains(t, strings.Join(strings.Fields(said), " "),
		"try: free some space on the disk that holds "+d.data())
	require.NotContains(t, said, "model's server")
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

// The disk fills while the run looks and asks, before the answer comes, and before a backup.
func TestADiskThatFillsIsNamedAtEveryMomentAndNothingIsLost(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	d := newDisk(t, b)
	full := func(d disk, said string) {
		t.Helper()
		require.Contains(t, said, "the disk is full")
		require.Contains(t, strings.Join(strings.Fields(said), " "),
			"try: free some space on the disk that holds "+d.dir)
	}
	g := b.holdAt("3/8")
	p := b.spawn("run", b.task.Goal)
	g.await(t)
	d.fill()
	g.open()
	require.Equal(t, exitError, p.ends(), "the question cannot be stored")
	full(d, p.stderr.String())
	require.Contains(t, p.stderr.String(), "paused after")
	d.empty()
	_, said, code := b.run("continue")
	require.Equal(t, exitWaiting, code, said)
	d.fill()
	list, said, code := b.run("inquiries", "--json")
	require.Zero(t, code, said)
	id := regexp.MustCompile(`"question_id": "(\S+)"`).FindStringSubmatch(list)
	require.Len(t, id, 2, list)
	for _, args := range [][]string{{"reply", id[1], "42"}, {"continue", "--reply", "42"},
		{"backup", filepath.Join(d.dir, "backup.tar")}, {"stop"}} {
		_, said, code := b.run(args...)
		require.Equal(t, exitError, code, "%s: %s", args, said)
		full(d, said)
	}
	elsewhere := filepath.Join(t.TempDir(), "backup.tar")
	_, said, code = b.run("backup", elsewhere)
	require.Zero(t, code, "it is there that there is room: %s", said)
	held, said, code := b.run("restore", elsewhere, "--data-dir", filepath.Join(t.TempDir(), "d"))
	require.Zero(t, code, said)
	require.Contains(t, held, "1 session, 4 steps, 4 pictures, 1 question")
	d.empty()
	other := disk{t, adbtest.Disk(t, 1<<20)}
	other.fill()
	_, said, code = b.run("backup", filepath.Join(other.dir, "backup.tar"))
	require.Equal(t, exitError, code, said)
	full(other, said)
	other.empty()
	left, err := os.ReadDir(other.dir)
	require.NoError(t, err)
	require.Empty(t, left)

	_, said, code = b.run("reply", id[1], "42")
	require.Zero(t, code, said)
	_, said, code = b.run("continue")
	require.Zero(t, code, said)
	b.done(tripTouches)
}

// The store of a server that is up is open when its disk fills.
func TestAServerWhoseDiskIsFullTakesNoAnswerAndNoTaskAndTakesThemLater(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, demoTask, "")
	d := newDisk(t, b)
	s := b.open(route{false, modern})
	asked := s.follow(s.start(b.task.Goal))
	require.NotNil(t, asked.Question, "%s", asked.words)
	answer := map[string]any{"session_id": asked.SessionID, "reply_from_client": "42"}
	d.fill()
	for tool, args := range map[string]map[string]any{"ask_agent_continue": answer,
		"ask_agent_start_new_task": {"task": b.task.Goal, "queue": true}} {
		refused := s.refused("STORE_UNAVAILABLE", tool, args)
		require.Contains(t, refused.words, "the disk is full", tool)
		require.Contains(t, refused.words, "free some space on the disk that holds "+d.dir, tool)
	}
	d.empty()
	done := s.follow(s.call("ask_agent_continue", answer))
	require.Equal(t, store.Completed, done.State, "%s", done.words)
	b.done(tripTouches)
}

func TestAProgramThatStartsOnAFullDiskSaysSo(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	_, said, code := b.run("sessions", "list")
	require.Zero(t, code, said)
	d.fill()
	for _, args := range [][]string{{"run", b.task.Goal}, {"serve", "--http"},
		{"backup", filepath.Join(d.dir, "x.tar")},
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

func TestAnOlderSchemaOnAFullDiskIsToldTheDisk(t *testing.T) {
	t.Parallel()
	b := newTestEnv(t, "note-groceries", "")
	d := newDisk(t, b)
	_, said, code := b.run("sessions", "list")
	require.Zero(t, code, said)
	db, err := os.OpenFile(filepath.Join(d.data(), "taploop.db"), os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = db.WriteAt([]byte{0, 0, 0, 25}, 60) // the user version, see SQLite's file format
	require.NoError(t, err)
	require.NoError(t, db.Close())
	d.fill()
	elsewhere := filepath.Join(t.TempDir(), "b.tar")
	for _, args := range [][]string{{"sessions", "list"}, {"backup", elsewhere}} {
		_, said, code = b.run(args...)
		require.Equal(t, exitError, code, "%s: %s", args, said)
		require.Contains(t, said, "the older schema 25, and cannot be brought to", args)
		require.Contains(t, said, "the disk is full", args)
		require.Contains(t, said, "try: free some space on the disk that holds "+d.data(), args)
	}
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
	require.Contains(t, p.stderr.String(), "paused after")
	require.Contains(t, p.stderr.String(), "no space left on device")
	require.Contains(t, p.stderr.String(), "try: free some space on the disk")
	require.NotContains(t, p.stderr.String(), "model's server")
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
	require.EqualValues(t, "STORE_UNAVAILABLE", shown.Reason)
	require.Contains(t, shown.words, "the disk is full")
	require.Contains(t, shown.words, "free some space")
	refused := s.refused("STORE_UNAVAILABLE", "ask_agent_start_new_task",
		map[string]any{"task": b.task.Goal})
	require.Contains(t, refused.words, "the disk is full")
	require.Contains(t, refused.words, "free some space on the disk that holds "+d.dir)
	touches := len(b.wire.touches())

	d.empty()
	db, err := store.Open(t.Context(), d.data(), nil)
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
