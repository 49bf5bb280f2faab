package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/schedule"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

// fakeRuns begins nothing, and remembers what it was asked to begin.
type fakeRuns struct {
	begun  map[string]int // how often each key began a session
	ids    map[string]string
	busy   bool
	fail   error
	unsure atomic.Int32         // so often Begun fails
	until  map[string]time.Time // of the sessions that wait for their phone
	rank   string               // of the last that waits
	before hook                 // is called before a run begins, with the tick claimed
	after  hook                 // and after it began
}

// hook is a function to call once, set from another goroutine.
type hook struct{ atomic.Pointer[func()] }

func (h *hook) call() {
	if f := h.Swap(nil); f != nil {
		(*f)()
	}
}

func newRuns() *fakeRuns {
	return &fakeRuns{begun: map[string]int{}, ids: map[string]string{}, until: map[string]time.Time{}}
}

func (f *fakeRuns) Begin(ctx context.Context, s store.Schedule, key string, queue bool) (
	string, error) {
	f.before.call()
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case f.fail != nil:
		return "", f.fail
	case f.ids[key] != "":
		return f.ids[key], nil
	case f.busy && !queue:
		return "", errors.Join(schedule.ErrBusy, errors.New("session 1 has it"))
	}
	f.begun[key]++
	f.ids[key] = fmt.Sprint("session", len(f.ids))
	if f.busy {
		f.until[f.ids[key]] = time.Now().Add(time.Duration(s.QueueSeconds) * time.Second)
		f.rank = s.Priority
	}
	f.after.call()
	return f.ids[key], nil
}

func (f *fakeRuns) Begun(_ context.Context, _ store.Schedule, key string) (string, error) {
	if f.unsure.Add(-1) >= 0 {
		return "", errors.New("database is locked")
	}
	return f.ids[key], nil
}

func (f *fakeRuns) Waited(_ context.Context, id string) (done, late bool, err error) {
	until, waits := f.until[id]
	late = waits && !time.Now().Before(until)
	return late || !waits, late, nil
}

// world is a store with a scheduler on it, whose clock can jump.
type world struct {
	t      *testing.T
	dir    string
	opts   schedule.Options
	runs   *fakeRuns
	jumped atomic.Int64 // a time.Duration
	missed []schedule.Missed
	locked int // so often the first looks fail
	db     *store.Store
	crash  func() // ends the scheduler where it stands
	ended  chan struct{}
}

func newWorld(t *testing.T, dir string) *world {
	w := &world{t: t, dir: dir, runs: newRuns()}
	w.opts = schedule.Options{Runs: w.runs, Now: w.now,
		Tell: func(m schedule.Missed) { w.missed = append(w.missed, m) }}
	return w
}

// lockedStore is one that another process has locked at first.
type lockedStore struct {
	store.Schedules
	times int
}

func (s *lockedStore) Untold(ctx context.Context, since time.Time) ([]store.Tick, error) {
	if s.times--; s.times >= 0 {
		return nil, errors.New("database is locked")
	}
	return s.Schedules.Untold(ctx, since)
}

func (s *lockedStore) Passed(ctx context.Context, name string) error {
	if s.times--; s.times >= 0 {
		return errors.New("database is locked")
	}
	return s.Schedules.Passed(ctx, name)
}

func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.jumped.Load())) }

func (w *world) jump(d time.Duration) { w.jumped.Add(int64(d)) }

func (w *world) begin() {
	var err error
	w.db, err = store.Open(w.t.Context(), w.dir, &store.Options{Now: w.now})
	require.NoError(w.t, err)
	w.opts.Store = &lockedStore{Schedules: w.db.Schedules, times: w.locked}
	ctx, cancel := context.WithCancel(w.t.Context())
	ended := make(chan struct{})
	w.crash, w.ended = cancel, ended
	go func() { schedule.New(&w.opts).Run(ctx); close(ended) }()
}

func (w *world) stop() {
	w.crash()
	<-w.ended
	require.NoError(w.t, w.db.Close())
}

func (w *world) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// ticks are the states of all ticks, oldest first.
func (w *world) ticks() map[store.TickState]int {
	db, err := store.Open(w.t.Context(), w.dir, nil)
	require.NoError(w.t, err)
	defer db.Close()
	all, err := db.Schedules.List(w.t.Context())
	require.NoError(w.t, err)
	n := map[store.TickState]int{}
	for _, one := range all {
		list, err := db.Schedules.Ticks(w.t.Context(), one.Name, 0)
		require.NoError(w.t, err)
		for _, t := range list {
			n[t.State]++
		}
	}
	return n
}

func (w *world) told() (n int) {
	for _, m := range w.missed {
		n += m.Ticks
	}
	return n
}

func (w *world) add(spec string) {
	w.begin()
	require.NoError(w.t, w.db.Schedules.Add(w.t.Context(),
		store.Schedule{Name: "s", Spec: spec, Zone: "UTC", Task: "look at the mail"}))
}

// A thousand ticks over restarts, crashes, jumps of the clock and a midnight that is left out: none
// begins twice, and for each there is a run or a notice.
func TestNoTickBeginsTwiceOrIsLost(t *testing.T) {
	const ticks = 1000
	dir := storetest.Dir(t)
	seed := rand.Uint64()
	t.Log("seed", seed)
	chance := rand.New(rand.NewPCG(seed, 1))
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		cairo, err := time.LoadLocation("Africa/Cairo")
		require.NoError(t, err)
		w.jump(time.Date(2027, 4, 29, 3, 0, 0, 0, cairo).Sub(w.now()))
		w.add("*/5 * * * *")
		require.NoError(t, w.db.Schedules.Add(t.Context(), store.Schedule{Name: "nightly",
			Spec: "@daily", Zone: cairo.String(), Task: "look at the mail"}))
		first, reached := w.now(), w.now()
		var faults []int // each comes once in six rounds
		for reached.Sub(first) < time.Duration(ticks)*5*time.Minute {
			w.pass(time.Duration(chance.IntN(3600)) * time.Second)
			if len(faults) == 0 {
				faults = chance.Perm(6)
			}
			fault := faults[0]
			faults = faults[1:]
			switch fault {
			case 0:
				w.jump(time.Duration(chance.IntN(200)) * time.Minute)
			case 1:
				w.jump(-time.Duration(chance.IntN(100)) * time.Minute)
			case 2:
				w.stop()
				w.pass(time.Duration(chance.IntN(150)) * time.Minute)
				w.begin()
			case 3: // a crash before or after the run of a tick has begun
				at := &w.runs.before
				if chance.IntN(2) == 0 {
					at = &w.runs.after
				}
				at.Store(&w.crash)
				<-w.ended
				w.stop()
				w.pass(time.Duration(chance.IntN(90)) * time.Minute)
				w.begin()
			}
			if w.now().After(reached) {
				reached = w.now()
			}
		}
		reached = reached.Truncate(5 * time.Minute).Add(7 * time.Minute)
		w.pass(reached.Sub(w.now()))
		w.stop()
		n := w.ticks()
		total := 0
		for _, count := range n {
			total += count
		}
		want := int(reached.Truncate(5*time.Minute).Sub(first.Truncate(5*time.Minute)) /
			(5 * time.Minute))
		for at := first; at.Before(reached); at = at.Add(time.Minute) {
			if at.In(cairo).Day() != at.Add(time.Minute).In(cairo).Day() {
				want++
			}
		}
		require.Equal(t, want, total, "each time is a tick: %v", n)
		require.GreaterOrEqual(t, total, ticks)
		for key, times := range w.runs.begun {
			require.Equal(t, 1, times, key)
		}
		require.Len(t, w.runs.begun, n[store.TickStarted])
		require.Zero(t, n[store.TickClaimed], "%v", n)
		require.Equal(t, n[store.TickMissed], w.told(), "none is lost without a notice")
		require.Greater(t, n[store.TickStarted], ticks/10, "%v", n)
		require.Greater(t, n[store.TickMissed], ticks/100, "%v", n)
	})
}

func TestWhatIsMissedIsMadeUpForOnce(t *testing.T) {
	for _, c := range []struct {
		name            string
		skip            bool
		down            time.Duration
		started, missed int
	}{
		{"once", false, 5*time.Hour + 10*time.Minute, 1, 4},
		{"too late", false, 5*time.Hour + 59*time.Minute + 30*time.Second, 1, 4},
		{"skip", true, 5*time.Hour + 10*time.Minute, 0, 5},
		{"in time", true, 30 * time.Second, 0, 0},
		{"skip what has just been", true, time.Hour + 2*time.Second, 0, 1},
		{"in the very second", true, time.Hour + 300*time.Millisecond, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := storetest.Dir(t)
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, dir)
				w.opts.SkipLate = c.skip
				w.add("@hourly")
				w.stop()
				w.pass(c.down)
				w.begin()
				w.pass(10 * time.Second)
				w.stop()
				n := w.ticks()
				require.Equal(t, c.started, n[store.TickStarted])
				require.Equal(t, c.missed, n[store.TickMissed])
				require.Equal(t, c.missed, w.told())
				require.LessOrEqual(t, len(w.missed), 1, "in one notice")
			})
		})
	}
}

// Where what was missed is skipped, a server that is up begins each time, also after its clock was
// set back.
func TestAServerThatIsUpSkipsNoTime(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.opts.SkipLate = true
		w.add("@hourly")
		w.pass(90 * time.Minute)
		w.jump(-40 * time.Hour) // a time more than a day ahead counts again
		w.pass(3 * time.Hour)
		w.stop()
		require.Equal(t, map[store.TickState]int{store.TickStarted: 4}, w.ticks())
	})
}

// Runs may have begun on another machine at the times between a backup and its restore: these do not
// begin, and are told in one notice, if there were any.
func TestTimesBetweenABackupAndItsRestoreAreToldOnceAndBeginNothing(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		claimed    bool // as the backup is made
		locked     int
		missed     int
		begun      int // at 1:00, and at 4:00
	}{
		{name: "no time", spec: "0 12 * * *"},
		{name: "times", spec: "@hourly", missed: 2, begun: 2},
		{name: "a time that has just come", spec: "@hourly", claimed: true, missed: 3, begun: 2},
		{name: "an interval", spec: "@every 1h", missed: 2, begun: 2},
		{name: "locked", spec: "@hourly", locked: 2, missed: 2, begun: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, file := storetest.Dir(t), filepath.Join(t.TempDir(), "backup.tar")
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, dir)
				backUp := func() {
					_, err := w.db.Backup(t.Context(), file)
					require.NoError(t, err)
				}
				if c.claimed {
					w.runs.before.Store(&backUp)
				}
				w.add(c.spec)
				w.pass(90 * time.Minute)
				if !c.claimed {
					backUp()
				}
				w.stop()
				w.pass(2*time.Hour + 15*time.Minute)
				_, _, err := store.Restore(t.Context(), file, dir, true)
				require.NoError(t, err)
				require.NoError(t, os.Chtimes(filepath.Join(dir, "restored"), w.now(), w.now()))
				w.locked = c.locked
				w.begin()
				w.pass(20 * time.Minute)
				w.stop()
				n := w.ticks()
				require.Equal(t, c.missed, n[store.TickMissed], "%v", n)
				require.Zero(t, n[store.TickRestored], "%v", n)
				require.Len(t, w.runs.begun, c.begun, "%v", w.runs.begun)
				if c.missed == 0 {
					require.Empty(t, w.missed)
					return
				}
				require.Len(t, w.missed, 1, "in one notice")
				require.Equal(t, c.missed, w.missed[0].Ticks)
				require.Contains(t, w.missed[0].Why, "restored from a backup")
			})
		})
	}
}

func TestABusyPhoneIsWaitedForOrNot(t *testing.T) {
	dir, other := storetest.Dir(t), storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.runs.busy = true
		w.add("0 1 * * *")
		w.pass(time.Hour + 59*time.Minute)
		require.Equal(t, map[store.TickState]int{store.TickStarted: 1}, w.ticks())
		w.pass(2 * time.Minute)
		require.Equal(t, map[store.TickState]int{store.TickSkipped: 1}, w.ticks())
		require.Equal(t, "the phone was busy for 1h0m0s", w.missed[0].Why)
		w.stop()

		w = newWorld(t, other)
		w.runs.busy, w.opts.SkipBusy = true, true
		w.add("0 3 * * *")
		w.pass(time.Hour)
		w.stop()
		require.Equal(t, map[store.TickState]int{store.TickSkipped: 1}, w.ticks())
		require.Equal(t, 1, w.told())
		require.Equal(t, "the phone is busy session 1 has it", w.missed[0].Why, "one line")
		require.Empty(t, w.runs.begun)
	})
}

// Of a schedule at most one run waits for the phone.
func TestATimeWhoseRunWouldWaitBehindAnotherIsSkipped(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.runs.busy = true
		w.add("*/10 * * * *")
		w.pass(45 * time.Minute)
		require.Equal(t, map[store.TickState]int{store.TickStarted: 1, store.TickSkipped: 3},
			w.ticks())
		require.Len(t, w.runs.begun, 1)
		w.pass(20 * time.Minute) // the first has waited too long
		require.Equal(t, map[store.TickState]int{store.TickStarted: 1, store.TickSkipped: 5},
			w.ticks())
		w.stop()
		require.Equal(t, 5, w.told())
		require.Contains(t, w.missed[0].Why, "an earlier time still waits for the phone")
	})
}

// A schedule says how its runs wait, and a server that begins later looks as long as that.
func TestAScheduleSaysHowLongItsRunsWait(t *testing.T) {
	dir := storetest.Dir(t)
	for wait, why := range map[time.Duration]string{10 * time.Minute: "the phone was busy for 10m0s",
		30 * time.Hour: "the phone was busy for 30h0m0s"} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, dir)
			w.runs.busy = true
			w.begin()
			require.NoError(t, w.db.Schedules.Add(t.Context(), store.Schedule{Name: wait.String(),
				Spec: "0 1 2 1 *", Zone: "UTC", Task: "x", Priority: "low",
				QueueSeconds: int64(wait.Seconds())}))
			w.pass(25*time.Hour + wait - time.Minute)
			require.Empty(t, w.missed)
			require.Equal(t, "low", w.runs.rank)
			w.stop()
			w.begin()
			w.pass(2 * time.Minute)
			require.Len(t, w.missed, 1)
			require.Equal(t, why, w.missed[0].Why)
			require.NoError(t, w.db.Schedules.Remove(t.Context(), wait.String()))
			w.stop()
		})
	}
}

// A server that ends while a run waits for its phone leaves it to the next one to give up.
func TestAWaitOutlivesTheServer(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.runs.busy = true
		w.add("0 1 * * *")
		w.pass(time.Hour + 10*time.Minute)
		w.stop()
		w.begin()
		w.pass(55 * time.Minute)
		w.stop()
		require.Equal(t, map[store.TickState]int{store.TickSkipped: 1}, w.ticks())
		require.Equal(t, 1, w.told())
	})
}

// A clock that was ahead for weeks, or a schedule that cannot be read any more, ends no schedule.
func TestNothingKeepsASchedule(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.add("0 1,2 * * *")
		require.NoError(t, w.db.Schedules.Add(t.Context(),
			store.Schedule{Name: "a", Spec: "* * * * *", Zone: "No/Where", Task: "x"}))
		w.pass(time.Hour + time.Minute)
		require.Len(t, w.runs.begun, 1)
		const ahead = 40*24*time.Hour + 12*time.Hour
		w.jump(ahead)
		w.pass(time.Minute)
		told := w.told()
		require.Equal(t, 81, told)
		w.jump(-ahead)
		w.pass(time.Hour)
		w.stop()
		require.Len(t, w.runs.begun, 2, "the clock is right again")
		require.Equal(t, told, w.told())
	})
}

// A process that dies between a tick and its notice leaves the notice to the next one.
func TestAMissedTickIsToldAfterACrash(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.add("@hourly")
		w.stop()
		w.pass(5*time.Hour + 10*time.Minute)
		tell := w.opts.Tell
		w.opts.Tell = func(schedule.Missed) { w.crash() }
		w.begin()
		<-w.ended
		w.stop()
		require.Zero(t, w.told())
		w.opts.Tell = tell
		for range 2 {
			w.begin()
			w.pass(10 * time.Second)
			w.stop()
			require.Equal(t, w.ticks()[store.TickMissed], w.told())
			require.Len(t, w.missed, 1)
		}
		require.Equal(t, map[store.TickState]int{store.TickMissed: 4, store.TickStarted: 1},
			w.ticks())
	})
}

// What a server has left is taken up though the store is locked when the next one begins.
func TestWhatWasLeftIsTakenUpThoughTheStoreIsLockedAtFirst(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.add("*/5 * * * *")
		w.runs.before.Store(&w.crash)
		<-w.ended
		w.stop()
		require.Equal(t, map[store.TickState]int{store.TickClaimed: 1}, w.ticks())
		w.locked = 2
		w.runs.unsure.Store(1)
		w.begin()
		w.pass(time.Minute)
		w.stop()
		require.Equal(t, map[store.TickState]int{store.TickStarted: 1}, w.ticks())
	})
}

func TestARunThatCannotBeginIsTold(t *testing.T) {
	dir := storetest.Dir(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, dir)
		w.runs.fail = errors.New("no phone")
		w.add("0 1 * * *")
		w.pass(time.Hour)
		w.stop()
		require.Equal(t, map[store.TickState]int{store.TickFailed: 1}, w.ticks())
		require.Equal(t, "no phone", w.missed[0].Why)
	})
}

func TestTimesThatCannotBeAreRefused(t *testing.T) {
	for spec, says := range map[string]string{
		"": "says no times", "hello": "says no times", "* * * *": "says no times",
		"61 * * * *": "says no times", "0 0 30 2 *": "never comes",
		"* * * * * *": "says no times", "@every 5s": "says no times", "0 8 * * 8": "says no times",
		"0 0 31 4,6,9,11 *": "never comes", "TZ=Moon/Sea 0 8 * * *": "says no times",
	} {
		_, err := schedule.Parse(spec, "")
		require.ErrorContains(t, err, says, spec)
		require.NotEmpty(t, hint.Of(err))
	}
	_, err := schedule.Parse("@daily", "Moon/Sea")
	require.ErrorContains(t, err, `there is no time zone "Moon/Sea"`)
}
