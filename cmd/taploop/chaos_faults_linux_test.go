package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/wait"
)

// outage is longer than a lease lasts for those who watch it.
const outage = chaosTTL + 2*chaosMargin

// faults are what happens to a farm. Each returns once it is over.
var faults = []struct {
	name string
	do   func(f *rough)
}{
	{"a worker is killed", func(f *rough) {
		w := f.worker()
		w.process.kill()
		f.pause(2 * outage)
		f.start(w)
	}},
	{"a front is killed", func(f *rough) {
		i := f.random.IntN(len(f.fronts))
		f.fronts[i].kill()
		f.pause(outage)
		f.front(i)
	}},
	{"the database is restarted", func(f *rough) {
		f.server().Kill(f.t)
		f.pause(outage)
		f.server().Up(f.t)
	}},
	{"the database fails over to its replica", func(f *rough) {
		former := f.server()
		former.Kill(f.t)
		f.pause(outage)
		f.primary = 1 - f.primary
		f.server().Promote(f.t)
		f.pause(outage)
		former.Follow(f.t, f.server())
	}},
	{"the disk of the database is full", func(f *rough) {
		f.fillFor(f.disks[f.primary])
		if s := f.server(); s.Ended() {
			s.Up(f.t)
		}
	}},
	{"the disk of a worker is full", func(f *rough) { f.fillFor(f.worker().disk) }},
	{"a worker stands still for longer than its lease", func(f *rough) {
		w := f.worker()
		require.NoError(f.t, w.process.cmd.Process.Signal(syscall.SIGSTOP))
		f.wait(outage + f.upTo(time.Second))
		require.NoError(f.t, w.process.cmd.Process.Signal(syscall.SIGCONT))
	}},
	{"a worker is cut off from the database", func(f *rough) { f.cutFor(f.worker().db...) }},
	{"a worker is cut off from the phones", func(f *rough) { f.cutFor(f.worker().phones) }},
	{"a worker is cut off from all", func(f *rough) {
		w := f.worker()
		f.cutFor(append(w.db, w.phones)...)
	}},
	{"a phone drops its connections", func(f *rough) {
		require.NoError(f.t, f.adb.DropConnections(serial(f.random.IntN(f.phones))))
	}},
}

// revive starts what has ended by itself, as a service manager does.
func (f *rough) revive() {
	for i, p := range f.fronts {
		if p.over() {
			f.front(i)
		}
	}
	for _, w := range f.workers {
		if w.process.over() {
			f.start(w)
		}
	}
}

func (p *process) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// server is the database that writes.
func (f *rough) server() *pgtest.Server { return f.servers[f.primary] }

func (f *rough) worker() *roughWorker { return f.workers[f.random.IntN(len(f.workers))] }

func (f *rough) upTo(d time.Duration) time.Duration {
	return time.Duration(f.random.Int64N(int64(d)))
}

func (f *rough) wait(d time.Duration) { require.NoError(f.t, wait.For(f.t.Context(), d)) }

// pause waits for up to that long.
func (f *rough) pause(most time.Duration) { f.wait(time.Duration(f.random.Int64N(int64(most)))) }

// cutFor cuts the lines, for longer than a lease or for less.
func (f *rough) cutFor(lines ...*faultyLine) {
	for _, l := range lines {
		l.set(true)
	}
	f.pause(2 * outage)
	for _, l := range lines {
		l.set(false)
	}
}

// fillFor leaves no room on the disk, for longer than a lease or for less.
func (f *rough) fillFor(d disk) {
	d.fill()
	f.pause(2 * outage)
	d.empty()
}

// clients keep so many tasks going, until there were all or the returned function is told that it
// is enough. That waits for the last.
func (f *rough) clients(ctx context.Context, many, all int) (finish func(enough bool) (tasks int)) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	next, over := 0, false
	for range many {
		wg.Go(func() {
			for {
				mu.Lock()
				task, stop := next, over || next == all || ctx.Err() != nil
				if !stop {
					next++
				}
				mu.Unlock()
				if stop {
					return
				}
				f.client(ctx, task)
			}
		})
	}
	return func(enough bool) int {
		mu.Lock()
		over = over || enough
		mu.Unlock()
		wg.Wait()
		return next
	}
}

// history reads what phones, store and model have seen.
func (f *rough) history(ctx context.Context) *history {
	rows := func(statement string) [][][]byte {
		list, err := pgtest.Query(ctx, f.url, statement)
		require.NoError(f.t, err)
		return list
	}
	number := func(task []byte) int {
		m := roughTask.FindSubmatch(task)
		require.NotNil(f.t, m, "%s", task)
		n, err := strconv.Atoi(string(m[1]))
		require.NoError(f.t, err)
		return n
	}
	seen := map[int]*taskSeen{}
	for _, n := range f.accepted {
		seen[n] = &taskSeen{number: n, touches: chaosTaps, asks: roughAsks(n)}
	}
	for _, r := range rows("SELECT task, state FROM runs") {
		if t := seen[number(r[0])]; t != nil {
			t.state = string(r[1])
			t.sessions++
		}
	}
	for _, r := range rows(`SELECT r.task FROM questions q JOIN runs r ON r.id = q.run_id
		WHERE q.status = 'answered' AND q.applied_at > 0`) {
		if t := seen[number(r[0])]; t != nil {
			t.answers++
		}
	}
	f.mu.Lock()
	h := &history{touches: f.touches, answered: f.answered, stalls: slices.Clone(f.stalls)}
	f.mu.Unlock()
	for _, t := range seen {
		h.tasks = append(h.tasks, *t)
	}
	for _, r := range rows(`SELECT l.at, l.serial, coalesce(w.name, l.worker) FROM seen_leases l
		LEFT JOIN (SELECT DISTINCT id, name FROM seen_workers) w ON w.id = l.worker ORDER BY l.n`) {
		at, err := strconv.ParseFloat(string(r[0]), 64)
		require.NoError(f.t, err)
		worker := string(r[2])
		for _, w := range f.workers { // without the number of its process
			if len(worker) > len(w.name) && worker[:len(w.name)+1] == w.name+"-" {
				worker = w.name
			}
		}
		h.holds = append(h.holds, holdSeen{time.UnixMicro(int64(at * 1e6)), string(r[1]), worker})
	}
	return h
}

// tell logs the runs that have not ended, and the leases.
func (f *rough) tell() {
	for _, statement := range []string{
		`SELECT concat_ws(' ', id, task, state, owner, fence, stop_reason, error) FROM runs
			WHERE state <> 'COMPLETED'`,
		"SELECT concat_ws(' ', serial, run_id, worker, token, renewals) FROM leases",
		"SELECT concat_ws(' ', id, name, phones) FROM workers",
		"SELECT concat_ws(' ', run_id, status, applied_at) FROM questions WHERE applied_at = 0"} {
		list, err := pgtest.Query(f.t.Context(), f.url, statement)
		require.NoError(f.t, err)
		for _, r := range list {
			f.t.Logf("%s", r[0])
		}
	}
}

// chaosFor is how long faults go on. Without it there are none.
func chaosFor(t *testing.T) time.Duration {
	long, _ := time.ParseDuration(os.Getenv("TAPLOOP_TEST_CHAOS"))
	if long == 0 {
		t.Skip("make chaos")
	}
	return long
}

// TestWorkersAreReplacedUnderLoad has twelve phones do tasks, 1,000 of them in TAPLOOP_TEST_CHAOS
// of ten minutes, while one worker after the other is drained and another one begins in its place.
func TestWorkersAreReplacedUnderLoad(t *testing.T) {
	t.Parallel()
	all := int(chaosFor(t).Seconds() * 1000 / 600)
	const phones, workers = 12, 3
	program, err := exec.LookPath("taploop")
	require.NoError(t, err)
	f := newRough(t, program, 1, phones, workers, 2)
	f.anyPhone, f.thinks = true, 200*time.Millisecond
	finish := f.clients(t.Context(), 2*phones, all)
	for _, w := range f.workers {
		f.wait(outage)
		_, said, code := f.run("farm", "drain", fmt.Sprintf("%s-%d", w.name, w.started))
		require.Zero(t, code, said)
		require.Zero(t, w.process.ends(), "%s", w.process.stderr)
		f.start(w)
		w.process.stderr.await(t, "(the phones are announced)")
	}
	began := time.Now()
	require.Equal(t, all, finish(false))
	h := f.history(t.Context())
	t.Logf("%d tasks, the last %v after the last worker; a run waited for another worker for %v",
		all, time.Since(began).Round(time.Second), h.handover())
	require.NotZero(t, h.handover(), "runs were handed over")
	require.Less(t, h.handover(), 15*time.Second, "a lease")
	require.Empty(t, h.wrongs())
}

// TestAFarmUnderFaults has clients begin task after task while machines are killed, stand still and
// lose each other, for TAPLOOP_TEST_CHAOS. TAPLOOP_TEST_SEED repeats the order of the faults.
func TestAFarmUnderFaults(t *testing.T) {
	t.Parallel()
	long := chaosFor(t)
	const phones, workers = 4, 3
	seed := rand.Uint64()
	if given, err := strconv.ParseUint(os.Getenv("TAPLOOP_TEST_SEED"), 10, 64); err == nil {
		seed = given
	}
	t.Log("TAPLOOP_TEST_SEED", seed)
	program, err := exec.LookPath("taploop")
	require.NoError(t, err)
	if long >= time.Minute { // it takes one to build the other
		program = programWhoseClockIsSet(t)
	}
	f := newRough(t, program, seed, phones, workers, 2)
	f.anyPhone = seed%2 == 0
	f.thinks = 100 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	finish := f.clients(ctx, phones+2, math.MaxInt)
	began, done := time.Now(), 0
	for time.Since(began) < long {
		for _, i := range f.random.Perm(len(faults)) {
			if time.Since(began) >= long {
				break
			}
			t.Logf("%6.1fs %s", time.Since(began).Seconds(), faults[i].name)
			faults[i].do(f)
			f.revive()
			f.pause(chaosTTL / 2)
			done++
		}
	}
	hung := time.AfterFunc(patience, cancel)
	tasks := finish(true)
	if !hung.Stop() {
		f.tell()
		t.Fatalf("tasks do not end; TAPLOOP_TEST_SEED=%d; continued by their clients: %v", seed,
			f.pauses)
	}
	h := f.history(ctx)
	t.Logf("%d faults, %d tasks, %d touches, %d leases in %v; continued by their clients: %v", done,
		tasks, len(h.touches), len(h.holds), time.Since(began).Round(time.Second), f.pauses)
	require.Len(t, h.tasks, tasks)
	require.Empty(t, h.wrongs(), fmt.Sprint("TAPLOOP_TEST_SEED=", seed))
}
