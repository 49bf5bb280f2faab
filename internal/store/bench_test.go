package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/store"
)

// BenchmarkStep is the journal's share of a step: Intent and Done with a frame of 1080x2400, all of
// it durable.
func BenchmarkStep(b *testing.B) {
	s := open(b, b.TempDir(), nil)
	r := started(b, s)
	j := s.Journal(r)
	st := step(b, 1, actions.Home{})
	ctx := context.Background()
	b.ReportAllocs()
	for i := range b.N {
		b.StopTimer()
		st.Index, st.Screen.Frame = i+1, picture(b, i)
		b.StartTimer()
		if err := j.Intent(ctx, st); err != nil {
			b.Fatal(err)
		}
		if err := j.Done(ctx, st, agentloop.Progress{Steps: i}); err != nil {
			b.Fatal(err)
		}
	}
}

// picture is a screen with rows of boxes, as a list has them.
func picture(t testing.TB, n int) *screen.Frame {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 1080, 2400))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{240, 240, 245, 255}), image.Point{},
		draw.Src)
	for y := 100; y < 2300; y += 120 {
		for x := 60; x < 1000; x += 30 + (x*y+n)%50 {
			box := image.Rect(x, y, x+20, y+60)
			draw.Draw(img, box, image.NewUniform(color.RGBA{uint8(x), uint8(y), uint8(n), 255}),
				image.Point{}, draw.Src)
		}
	}
	f, err := screen.NewFrame(img)
	require.NoError(t, err)
	return f
}

// BenchmarkAuditOfAQuestion is the story of one question in a long audit.
func BenchmarkAuditOfAQuestion(b *testing.B) {
	dir := b.TempDir()
	s := open(b, dir, nil)
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(b, err)
	_, err = db.Exec(`WITH RECURSIVE n (i) AS
		(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
		INSERT INTO audit (at, event, question_id, session_id)
			SELECT i, 'asked', 'q' || i, 's' || (i / 100) FROM n`)
	require.NoError(b, err)
	require.NoError(b, db.Close())
	for b.Loop() {
		list, err := s.Audit.List(b.Context(), store.AuditFilter{QuestionID: "q100000"})
		if err != nil || len(list) != 1 {
			b.Fatal(list, err)
		}
	}
}

// BenchmarkStepOfALongRun is what a step and a look at how the session stands cost behind 100 and
// behind 100,000 others, in turn.
func BenchmarkStepOfALongRun(b *testing.B) {
	step := map[int]func(){}
	for _, before := range []int{100, 100_000} {
		step[before] = stepBehind(b, before)
	}
	compare(b, "step", step)
}

// stepBehind takes a step in a run that has had so many.
func stepBehind(b *testing.B, before int) func() {
	dir := b.TempDir()
	s := open(b, dir, nil)
	r := started(b, s)
	st := step(b, 1, actions.Home{})
	st.Screen.Frame = nil
	j := s.Journal(r)
	require.NoError(b, j.Done(b.Context(), st, agentloop.Progress{Steps: 1}))
	fill(b, dir, `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		INSERT INTO steps (session_id, idx, run_id, local, fence, state, verb, decision, tries,
			phone, timing, calls, prompt_tokens, completion_tokens, started_at)
		SELECT session_id, i, run_id, i, fence, state, verb, decision, tries, phone, timing,
			calls, prompt_tokens, completion_tokens, started_at FROM steps, n`, before)
	fill(b, dir, "UPDATE sessions SET steps = ?", before)
	st.Index = before
	return func() {
		st.Index++
		require.NoError(b, j.Intent(b.Context(), st))
		require.NoError(b, j.Done(b.Context(), st, agentloop.Progress{Steps: st.Index}))
		v, err := s.Snapshot(b.Context(), r.SessionID, behind(st.Index-1))
		require.NoError(b, err)
		require.Equal(b, st.Index, v.Usage.Steps)
	}
}

// BenchmarkStartAmongSessions is a start among 10 and among 10,000 sessions, in turn: the store is
// opened, what was left behind is recovered, and a first run begins.
func BenchmarkStartAmongSessions(b *testing.B) {
	start := map[int]func(){}
	for _, before := range []int{10, 10_000} {
		dir := manySessions(b, before)
		start[before] = func() {
			s, err := store.Open(b.Context(), dir, nil)
			require.NoError(b, err)
			_, err = s.Runs.Recover(b.Context())
			require.NoError(b, err)
			r := started(b, s)
			require.NoError(b, s.Leases.Take(b.Context(), "emu-1", r.ID))
			_, err = s.Runs.Transition(b.Context(), r.ID, store.Change{To: store.Completed})
			require.NoError(b, err)
			require.NoError(b, s.Close())
		}
	}
	compare(b, "start", start)
}

// BenchmarkListAmongSessions is the lists of sessions among 10 and among 10,000, in turn.
func BenchmarkListAmongSessions(b *testing.B) {
	list := map[int]func(){}
	client := "ann"
	for _, before := range []int{10, 10_000} {
		s := open(b, manySessions(b, before), nil)
		list[before] = func() {
			for _, f := range []store.Filter{{Limit: 9}, {Owners: store.Owners{client}, Limit: 9},
				{State: store.Completed, Limit: 9}, {Owners: store.Owners{client}, Serial: "emu-1", Limit: 1},
				{Owners: store.Owners{client}, State: store.Failed}, {Waiting: true, Limit: 1}} {
				_, err := s.Sessions(b.Context(), f)
				require.NoError(b, err)
			}
		}
	}
	compare(b, "list", list)
}

// compare takes turns in doing something small and something large, and reports the medians and how
// many times longer the large takes.
func compare(b *testing.B, what string, do map[int]func()) {
	took := map[int][]time.Duration{}
	sizes := slices.Sorted(maps.Keys(do))
	for b.Loop() {
		for _, n := range sizes {
			began := time.Now()
			do[n]()
			took[n] = append(took[n], time.Since(began))
		}
	}
	var medians []float64
	for _, n := range sizes {
		slices.Sort(took[n])
		m := float64(took[n][len(took[n])/2].Microseconds()) / 1000
		medians = append(medians, m)
		b.ReportMetric(m, fmt.Sprintf("ms/%s@%d", what, n))
	}
	b.ReportMetric(medians[1]/medians[0], "ratio")
	b.ReportMetric(0, "ns/op")
}

// manySessions fills a folder: each session with a run that has ended and ten steps, one in 100
// paused, one in 1,000 waiting.
func manySessions(b *testing.B, n int) (dir string) {
	dir = b.TempDir()
	s, err := store.Open(b.Context(), dir, nil)
	require.NoError(b, err)
	r := started(b, s)
	st := step(b, 1, actions.Home{})
	require.NoError(b, s.Journal(r).Done(b.Context(), st, agentloop.Progress{Steps: 1}))
	_, err = s.Runs.Transition(b.Context(), r.ID, store.Change{To: store.Completed})
	require.NoError(b, err)
	require.NoError(b, s.Close())
	numbers := "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
	fill(b, dir, numbers+`INSERT INTO sessions (id, serial, device, client, created_at, updated_at)
		SELECT printf('s%031d', i), serial, device, 'ann', created_at + i, updated_at + i
		FROM sessions, n`, n)
	fill(b, dir, numbers+`INSERT INTO runs (id, session_id, seq, task, state, course, settings,
			created_at, updated_at, ended_at, waiting_at)
		SELECT printf('r%031d', i), printf('s%031d', i), 1, task,
			CASE WHEN i % 100 = 0 THEN 'PAUSED'
			WHEN i % 1000 = 1 THEN 'WAITING_REPLY' ELSE state END, course, settings, created_at + i,
			updated_at + i, iif(i % 100 = 0 OR i % 1000 = 1, 0, ended_at + i), i % 1000 = 1
		FROM runs, n`, n)
	fill(b, dir, numbers+`, k (j) AS (SELECT 1 UNION ALL SELECT j + 1 FROM k WHERE j < 10)
		INSERT INTO steps (session_id, idx, run_id, local, fence, state, verb, decision, tries,
			phone, timing, calls, started_at)
		SELECT printf('s%031d', i), j, printf('r%031d', i), j, fence, state, verb, decision, tries,
			phone, timing, calls, started_at FROM steps, n, k`, n)
	for i := range n {
		require.NoError(b,
			os.Mkdir(filepath.Join(dir, "frames", fmt.Sprintf("s%031d", i+1)), 0o700))
	}
	return dir
}

// fill runs a statement past the store.
func fill(b *testing.B, dir, statement string, args ...any) {
	b.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db"))
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Exec(statement, args...)
	require.NoError(b, err)
}

// BenchmarkNewFolder is what the first command of all waits for: a data folder with all migrations.
func BenchmarkNewFolder(b *testing.B) {
	for b.Loop() {
		s, err := store.Open(b.Context(), b.TempDir(), nil)
		require.NoError(b, err)
		require.NoError(b, s.Close())
	}
}
