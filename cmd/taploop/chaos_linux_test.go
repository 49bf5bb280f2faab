package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/adbtest"
	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/apps"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/sandbox/ui"
	"github.com/taploop/taploop/internal/wait"
)

const (
	chaosTTL    = 2 * time.Second
	chaosMargin = 500 * time.Millisecond
	chaosTaps   = 3 // of each task
	chaosApp    = "com.blank"
)

// rough is a farm with faults: a PostgreSQL with a replica, each with a disk that can be full,
// workers that all see the same phones, each over lines of its own that can be cut and with a disk
// as well, fronts, a model and clients.
type rough struct {
	testEnv
	servers  [2]*pgtest.Server
	disks    [2]disk // of the servers
	primary  int     // which of them writes
	url      string  // of the database
	key      string  // the token of the clients
	random   *rand.Rand
	adb      *adbserver.Server
	phones   int
	anyPhone bool   // is what tasks want, in place of one after the other
	program  string // of the machines
	thinks   time.Duration
	workers  []*roughWorker
	fronts   []*process
	mu       sync.Mutex
	at       []string // where the fronts listen
	touches  []touchSeen
	answered map[int]int
	accepted []int
	stalls   []stallSeen
	pauses   map[string]int // of tasks, which a client has continued
}

// roughWorker is a worker and its lines.
type roughWorker struct {
	name    string
	started int
	db      []*faultyLine // to each server
	phones  *faultyLine
	disk    disk
	process *process
}

func newRough(t testing.TB, program string, seed uint64, phones, workers, fronts int) *rough {
	f := &rough{program: program, random: rand.New(rand.NewPCG(seed, 28)), phones: phones,
		answered: map[int]int{}, pauses: map[string]int{}, adb: adbserver.New()}
	f.t, f.dir = t, t.TempDir()
	f.watchClock()
	for i := range f.disks {
		f.disks[i] = disk{t, adbtest.Disk(t, 512<<20)}
		// The database is another user's.
		require.NoError(t, os.Chmod(filepath.Dir(f.disks[i].dir), 0o711))
	}
	f.servers[0] = pgtest.StartIn(t, f.disks[0].dir)
	f.servers[1] = f.servers[0].Replica(t, f.disks[1].dir)
	f.url = pgtest.URLOf("farm", f.servers[:]...)
	require.NoError(t, pgtest.Exec(t.Context(), f.servers[0].URL("postgres"),
		"CREATE DATABASE farm"))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f.servePhones(ln)
	model := httptest.NewServer(http.HandlerFunc(f.answer))
	t.Cleanup(model.Close)
	f.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.dir,
		"TAPLOOP_ADB_PATH=" + filepath.Join(f.dir, "no-adb"),
		"TAPLOOP_MODEL_BASE_URL=" + model.URL + "/v1", "TAPLOOP_MODEL_NAME=scripted",
		"TAPLOOP_STORE_URL=" + f.url, "TAPLOOP_DATA_DIR=" + filepath.Join(f.dir, "front"),
		"TAPLOOP_MODEL_LANG=en", "TAPLOOP_GUARD_ENABLED=false", "TAPLOOP_LOOP_SETTLE_TIMEOUT=50ms",
		"TAPLOOP_LEASE_TTL=" + chaosTTL.String(), "TAPLOOP_LEASE_MARGIN=" + chaosMargin.String()}
	f.key = f.token("client")
	f.at, f.fronts = make([]string, fronts), make([]*process, fronts)
	for i := range fronts {
		f.front(i)
	}
	f.watchLeases()
	for i := range workers {
		w := &roughWorker{name: fmt.Sprint("w", i), disk: disk{t, adbtest.Disk(t, 64<<20)}}
		for _, s := range f.servers {
			w.db = append(w.db, newFaultyLine(t, s.Dial, nil))
		}
		w.phones = newFaultyLine(t, func() (net.Conn, error) {
			return net.Dial("tcp", ln.Addr().String())
		}, func(int) func([]byte) { return f.see(w.name) })
		f.workers = append(f.workers, w)
		f.start(w)
	}
	for _, w := range f.workers {
		w.process.stderr.await(t, "(the phones are announced)")
	}
	return f
}

// servePhones has phones that show an empty page.
func (f *rough) servePhones(ln net.Listener) {
	blank := &apps.App{Package: chaosApp, Activity: ".Main", EN: "Blank", ZH: "Blank", Icon: "bag",
		Open: func(*apps.Task) *apps.Page {
			return &apps.Page{Activity: ".Main", View: func() *ui.View { return ui.Column() }}
		}}
	for i := range f.phones {
		p := sandbox.New(&sandbox.Options{AnimationScale: new(float64), Apps: []*apps.App{blank}})
		require.NoError(f.t, p.Apps.Launch(chaosApp))
		f.adb.Attach(serial(i), shell.New(p))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = f.adb.Serve(ctx, ln) })
	f.t.Cleanup(func() { cancel(); serving.Wait() })
}

// watchClock notes when the machine has no processor for what ought to run.
func (f *rough) watchClock() {
	ctx, cancel := context.WithCancel(context.Background())
	var watching sync.WaitGroup
	const pause = 5 * time.Millisecond
	watching.Go(func() {
		for began := time.Now(); wait.For(ctx, pause) == nil; began = time.Now() {
			if long := time.Since(began) - pause; long > pause {
				f.mu.Lock()
				f.stalls = append(f.stalls, stallSeen{time.Now(), long})
				f.mu.Unlock()
			}
		}
	})
	f.t.Cleanup(func() { cancel(); watching.Wait() })
}

// watchLeases has the database note who takes phones, and which worker has which name.
func (f *rough) watchLeases() {
	require.NoError(f.t, pgtest.Exec(f.t.Context(), f.url, `
		CREATE TABLE seen_leases (n BIGSERIAL, at DOUBLE PRECISION, serial TEXT, worker TEXT);
		CREATE TABLE seen_workers (id TEXT, name TEXT);
		CREATE FUNCTION see_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF NEW.serial <> NEW.worker THEN INSERT INTO seen_leases (at, serial, worker) VALUES
				(extract(epoch FROM clock_timestamp()), NEW.serial, NEW.worker); END IF;
			RETURN NULL; END $$;
		CREATE FUNCTION see_worker() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO seen_workers VALUES (NEW.id, NEW.name); RETURN NULL; END $$;
		CREATE TRIGGER see_first AFTER INSERT ON leases FOR EACH ROW EXECUTE FUNCTION see_lease();
		CREATE TRIGGER see_next AFTER UPDATE ON leases FOR EACH ROW
			WHEN (OLD.worker <> NEW.worker) EXECUTE FUNCTION see_lease();
		CREATE TRIGGER see AFTER INSERT ON workers FOR EACH ROW EXECUTE FUNCTION see_worker()`))
}

func (f *rough) front(i int) {
	p := f.spawnAs(func(c *exec.Cmd) {
		f.ofMachine(c, i)
		c.Env = append(c.Env, "TAPLOOP_DATA_DIR="+filepath.Join(f.dir, fmt.Sprint("front", i)))
	}, "serve", "--role", "front", "--http", "127.0.0.1:0", "-v")
	url := p.stderr.await(f.t, `(?m)^listening on (http://\S+/mcp)$`)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fronts[i], f.at[i] = p, strings.TrimSuffix(url, "/mcp")
}

// ofMachine makes the command one of a machine, whose clock may be another than that of others.
func (f *rough) ofMachine(c *exec.Cmd, clock int) {
	c.Path = f.program
	c.Env = append(slices.Clone(f.env), "TAPLOOP_TEST_CLOCK="+strings.Repeat(".", 1+clock%3))
}

func (f *rough) start(w *roughWorker) {
	w.started++
	name := fmt.Sprintf("%s-%d", w.name, w.started)
	w.process = f.spawnAs(func(c *exec.Cmd) {
		f.ofMachine(c, w.started+slices.Index(f.workers, w))
		c.Env = append(c.Env, "TAPLOOP_ADB_SERVER="+w.phones.addr,
			"TAPLOOP_FARM_NAME="+name, "TAPLOOP_DATA_DIR="+filepath.Join(w.disk.dir, "data"),
			fmt.Sprintf("TAPLOOP_STORE_URL=postgres://taploop@%s,%s/farm?sslmode=disable",
				w.db[0].addr, w.db[1].addr))
	}, "serve", "--role", "worker", "-v")
}

var (
	roughPhone = regexp.MustCompile(`phone-\d+`)
	roughTouch = regexp.MustCompile(`input tap (\d+) (\d+)\n?`)
	roughTask  = regexp.MustCompile(`Task number (\d+)\b`)
)

// place is where a task's step taps, in permille. No two are the same.
func place(task, step int) (x, y int) { return 50 + task%900, 200 + 10*(task/900) + 150*step }

// see notes the touches on a connection of the worker to a phone.
func (f *rough) see(worker string) func([]byte) {
	var phone string
	var rest []byte
	return func(b []byte) {
		rest = append(rest, b...)
		if m := roughPhone.Find(rest); m != nil && phone == "" {
			phone = string(m)
		}
		all := roughTouch.FindAllSubmatchIndex(rest, -1)
		f.mu.Lock()
		for _, m := range all {
			x, _ := strconv.Atoi(string(rest[m[2]:m[3]]))
			y, _ := strconv.Atoi(string(rest[m[4]:m[5]]))
			px, py := (x*1000+1079)/1080, (y*1000+2399)/2400
			step := (py - 200) / 150
			f.touches = append(f.touches, touchSeen{time.Now(), phone, worker,
				px - 50 + 900*((py-200-150*step)/10), step})
		}
		f.mu.Unlock()
		if len(all) > 0 {
			rest = rest[all[len(all)-1][1]:]
		}
		rest = rest[max(0, len(rest)-200):]
	}
}

// answer is the model: it looks which touches of its task the phone has seen, and says the next.
func (f *rough) answer(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	m := roughTask.FindSubmatch(body)
	if err != nil || m == nil {
		_, _ = fmt.Fprint(w, `{"data": []}`)
		return
	}
	task, _ := strconv.Atoi(string(m[1]))
	if wait.For(r.Context(), f.thinks) != nil {
		return
	}
	f.mu.Lock()
	step := 0
	for _, t := range f.touches {
		if t.task == task {
			step = max(step, t.step+1)
		}
	}
	told := bytes.Contains(body, fmt.Appendf(nil, "colour-%d-", task))
	if told {
		f.answered[task] = 1
	}
	f.mu.Unlock()
	x, y := place(task, step)
	text := fmt.Sprintf("action:CLICK\tpoint:%d,%d\tsummary:tap %d", x, y, step)
	switch {
	case roughAsks(task) && step == 1 && !told:
		text = "action:INFO\tvalue:Which colour?\tsummary:ask"
	case step == chaosTaps:
		text = "action:COMPLETE\treturn:done\tsummary:done"
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
		"finish_reason": "stop", "message": map[string]any{"role": "assistant",
			"content": "<THINK>next</THINK>\nexplain:next\t" + text}}}})
}

func roughAsks(task int) bool { return task%4 == 1 }

// call sends a request to one of the fronts.
func (f *rough) call(ctx context.Context, n int, path, key string, body any) (m map[string]any,
	err error) {
	f.mu.Lock()
	base := f.at[n%len(f.at)]
	f.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, "POST", base+path, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+f.key)
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	err = json.NewDecoder(res.Body).Decode(&m)
	return m, errors.Join(err, res.Body.Close())
}

// note counts what a client had to do something about.
func (f *rough) note(what ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pauses[strings.TrimSpace(fmt.Sprintln(what...))]++
}

// codeIn is the code of the error in an answer, "no answer" if there was none.
func codeIn(m map[string]any) string {
	if m == nil {
		return "no answer"
	}
	e, _ := m["error"].(map[string]any)
	code, _ := e["code"].(string)
	return code
}

// wants is the phone that the task names.
func (f *rough) wants(task int) string {
	if f.anyPhone {
		return "any"
	}
	return serial(task % f.phones)
}

// client begins the task and follows it to its end, whatever fails meanwhile.
func (f *rough) client(ctx context.Context, task int) {
	key, n := fmt.Sprint("task-", task), task
	var id string
	for ; id == "" && ctx.Err() == nil; n++ {
		m, err := f.call(ctx, n, "/v1/sessions", key, map[string]any{
			"task":      fmt.Sprintf("Task number %d: tap the places in turn.", task),
			"device_id": f.wants(task), "queue": true, "wait_seconds": 0, "detached_ok": true,
			"reset_environment": false})
		if err == nil {
			id, _ = m["session_id"].(string)
		}
		if id == "" {
			f.note("beginning", codeIn(m))
			_ = wait.For(ctx, 200*time.Millisecond)
		}
	}
	f.mu.Lock()
	f.accepted = append(f.accepted, task)
	f.mu.Unlock()
	for ; ctx.Err() == nil; n++ {
		body := map[string]any{"wait_seconds": 2}
		m, err := f.call(ctx, n, "/v1/sessions/"+id+"/continue", "", body)
		state, _ := m["state"].(string)
		switch {
		case codeIn(m) == "INVALID_ARGUMENT": // there is nothing to continue
			return
		case state == "COMPLETED", state == "FAILED", state == "ABORTED", state == "CANCELLED":
			return
		case state == "WAITING_REPLY":
			m, err = f.call(ctx, n, "/v1/sessions/"+id+"/continue", "reply-"+id, map[string]any{
				"reply_from_client": fmt.Sprintf("colour-%d-", task), "wait_seconds": 0})
		case state == "PAUSED":
			f.note("paused", m["stop_reason"])
		}
		if err != nil || m["error"] != nil {
			f.note("following", codeIn(m))
		}
		_ = wait.For(ctx, 100*time.Millisecond)
	}
}
