package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

	"github.com/taploop/taploop/internal/pgtest"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
)

// BenchmarkManyPhones is one server with so many simulated phones, each with a run of nine steps at
// once and a model that thinks for a second. The phones and the model share the machine with it.
// of-ideal is the part that each run has of the speed of the one that is alone; the time of the
// processor is that of the server, and that of phones and model together.
func BenchmarkManyPhones(b *testing.B) {
	var alone time.Duration
	var empty float64
	for _, phones := range []int{1, 16, 24} {
		b.Run(strconv.Itoa(phones), func(b *testing.B) {
			var took, agents, others time.Duration
			for b.Loop() {
				f := newPhoneServer(b, phones)
				before := f.server.peak(b)
				agent, other := cpuOf(b, f.server.cmd.Process.Pid), cpuOf(b, os.Getpid())
				took += f.tapAll(phones)
				agents += cpuOf(b, f.server.cmd.Process.Pid) - agent
				others += cpuOf(b, os.Getpid()) - other
				peak := f.server.peak(b)
				b.ReportMetric(peak, "MiB")
				if phones == 1 {
					empty = before
				}
				b.ReportMetric((peak-empty)/float64(phones), "MiB/run")
				f.server.kill()
			}
			took /= time.Duration(b.N)
			if phones == 1 {
				alone = took
			}
			steps := float64(9 * phones * b.N)
			b.ReportMetric(float64(agents.Milliseconds())/steps, "cpu-ms/step")
			b.ReportMetric(float64(others.Milliseconds())/steps, "phone-and-model-ms/step")
			b.ReportMetric(took.Seconds(), "s/run")
			b.ReportMetric(alone.Seconds()/took.Seconds(), "of-ideal")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkFarm is one phone with its store in SQLite and in PostgreSQL in turn, with a model that
// answers at once, and twelve phones of three workers behind a front, with one that thinks for three
// seconds. of-ideal is the part that each of the twelve has of the speed of one of them alone. All
// that waits for a disk does so for memory if the temporary files are there.
func BenchmarkFarm(b *testing.B) {
	b.Run("step", func(b *testing.B) {
		server := pgtest.Start(b)
		took := map[string][]time.Duration{}
		on := map[string]*phoneServer{"sqlite": newPhoneServer(b, 1),
			"postgres": newPhoneFarm(b, 1, 0, server.URL("postgres"))}
		for _, f := range on {
			f.thinks = 0
			f.tapAll(1)
		}
		for b.Loop() {
			for name, f := range on {
				f.reset()
				took[name] = append(took[name], f.tapAll(1)/9)
			}
		}
		for name, all := range took {
			b.ReportMetric(ms(median(all)), name+"-ms/step")
		}
		b.ReportMetric(times(took["postgres"], took["sqlite"]), "postgres/sqlite")
		b.ReportMetric(0, "ns/op")
	})
	b.Run("12", func(b *testing.B) {
		server := pgtest.Start(b)
		f := newPhoneFarm(b, 12, 3, server.URL("postgres"))
		f.thinks = 3 * time.Second
		var alone, all []time.Duration
		for b.Loop() {
			f.reset()
			alone = append(alone, f.tapAll(1))
			f.reset()
			all = append(all, f.tapAll(12))
		}
		b.ReportMetric(median(all).Seconds(), "s/run")
		b.ReportMetric(times(alone, all), "of-ideal")
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkAllocationOfARun is all that a run of nine steps allocates from its start to its end.
func BenchmarkAllocationOfARun(b *testing.B) {
	f := newPhoneServer(b, 1)
	f.thinks = 0
	f.server.kill()
	self, err := os.Executable()
	require.NoError(b, err)
	for i := 0; b.Loop(); i++ {
		cmd := exec.Command(self, "run", f.task(0), "--serial", serial(0),
			"--data-dir", filepath.Join(f.dir, fmt.Sprint("data", i)))
		cmd.Env = append(slices.Clone(f.env), envCounted+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(b, err, "%s", out)
		lines := strings.Fields(string(out))
		n, err := strconv.ParseFloat(lines[len(lines)-1], 64)
		require.NoError(b, err, "%s", out)
		b.ReportMetric(n/1e6, "MB/run")
		f.reset()
	}
	b.ReportMetric(0, "ns/op")
}

// phoneServer is simulated phones behind one ADB server, a model for all of them, and a server of
// ours.
type phoneServer struct {
	testEnv
	phones []*sandbox.Simulator
	places [2][2]int // to be tapped in turn, in permille
	server *process
	client *mcpClient

	thinks time.Duration
	mu     sync.Mutex
	asked  map[string]int // how often, by the task's number
}

func serial(i int) string { return fmt.Sprintf("phone-%d", i) }

func (f *phoneServer) task(i int) string {
	return fmt.Sprintf("Tap the places in turn, number %d.", i)
}

func newPhoneServer(b *testing.B, phones int) *phoneServer {
	return newPhoneFarm(b, phones, 0, "sqlite:")
}

// newPhoneFarm is a server with phones and the store, or a front with so many workers that share
// the phones.
func newPhoneFarm(b *testing.B, phones, workers int, store string) *phoneServer {
	f := &phoneServer{thinks: time.Second}
	f.t, f.dir = b, b.TempDir()
	f.reset()
	model := httptest.NewServer(http.HandlerFunc(f.answer))
	b.Cleanup(model.Close)
	f.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.dir, "TAPLOOP_STORE_URL=" + store,
		"TAPLOOP_ADB_PATH=" + filepath.Join(f.dir, "no-adb"),
		"TAPLOOP_MODEL_BASE_URL=" + model.URL + "/v1", "TAPLOOP_MODEL_NAME=thoughtful",
		"TAPLOOP_MODEL_LANG=en"}
	for i := range workers {
		name := fmt.Sprint("w", i)
		addr := f.attach(b, i*phones/workers, (i+1)*phones/workers)
		f.spawnAs(func(c *exec.Cmd) {
			c.Env = append(slices.Clone(f.env), "TAPLOOP_ADB_SERVER="+addr,
				"TAPLOOP_FARM_NAME="+name, "TAPLOOP_DATA_DIR="+filepath.Join(f.dir, name))
		}, "serve", "--role", "worker", "-v").stderr.await(b, "(the phones are announced)")
	}
	f.env = append(f.env, "TAPLOOP_DATA_DIR="+filepath.Join(f.dir, "data"))
	role := "front"
	if workers == 0 {
		f.env = append(f.env, "TAPLOOP_ADB_SERVER="+f.attach(b, 0, phones))
		role = "both"
	}
	f.findPlaces(b)
	url := ""
	f.server, url = f.serve("--role", role)
	f.client = connect(b, legacy, over(b, url, nil))
	return f
}

// attach has phones with the numbers behind an ADB server, and returns its address.
func (f *phoneServer) attach(b *testing.B, from, to int) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	adb := adbserver.New()
	for i := from; i < to; i++ {
		p := sandbox.New(&sandbox.Options{AnimationScale: new(float64)})
		require.NoError(b, p.Apps.Launch("com.android.settings"))
		adb.Attach(serial(i), shell.New(p))
		f.phones = append(f.phones, p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	serving.Go(func() { _ = adb.Serve(ctx, ln) })
	b.Cleanup(serving.Wait)
	b.Cleanup(cancel)
	return ln.Addr().String()
}

// findPlaces finds a row of the settings, and the way back from its page.
func (f *phoneServer) findPlaces(b *testing.B) {
	p := f.phones[0]
	find := func(is func(*sandbox.Node) bool) [2]int {
		root := p.Screen.UITree()
		n := root.Find(is)
		require.NotNil(b, n)
		at, size := n.Center(), p.Display.Size()
		p.Touch.Tap(at.X, at.Y)
		return [2]int{1000 * at.X / size.X, 1000 * at.Y / size.Y}
	}
	f.places[0] = find(func(n *sandbox.Node) bool { return n.Text == "Display" })
	f.places[1] = find(func(n *sandbox.Node) bool { return n.Desc == "Navigate up" })
}

func (f *phoneServer) reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = map[string]int{}
}

var taskNumber = regexp.MustCompile(`in turn, number (\d+)\.`)

// answer is the model: eight taps, and the end.
func (f *phoneServer) answer(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil {
		_, _ = fmt.Fprint(w, `{"data": []}`)
		return
	}
	number := taskNumber.FindSubmatch(body)
	if number == nil {
		http.Error(w, "no task", http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	n := f.asked[string(number[1])]
	f.asked[string(number[1])]++
	f.mu.Unlock()
	time.Sleep(f.thinks)
	at := f.places[n%2]
	text := fmt.Sprintf("<THINK>next</THINK>\nexplain:the next place\taction:CLICK\tpoint:%d,%d\t"+
		"summary:tapped %d", at[0], at[1], n+1)
	if n == 8 {
		text = "<THINK>done</THINK>\nexplain:all tapped\taction:COMPLETE\treturn:done\tsummary:done"
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{
		"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}}})
}

// tapAll runs a task on so many phones at once, and returns how long they took on average.
func (f *phoneServer) tapAll(phones int) time.Duration {
	took := make([]time.Duration, phones)
	var wg sync.WaitGroup
	for i := range phones {
		wg.Go(func() {
			began := time.Now()
			end := f.client.follow(f.client.call("ask_agent_start_new_task", map[string]any{
				"task": f.task(i), "device_id": serial(i), "reset_environment": false,
				"wait_seconds": 0}))
			took[i] = time.Since(began)
			require.Equal(f.t, "COMPLETED", string(end.State), "%s", end.words)
			require.Equal(f.t, 9, end.Global)
		})
	}
	wg.Wait()
	var sum time.Duration
	for _, d := range took {
		sum += d
	}
	return sum / time.Duration(len(took))
}

// cpuOf is the processor's time that a process has used.
func cpuOf(b *testing.B, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(b, err)
	_, fields, _ := bytes.Cut(text, []byte(") "))
	var ticks time.Duration
	for _, field := range bytes.Fields(fields)[11:13] { // utime and stime
		n, err := strconv.Atoi(string(field))
		require.NoError(b, err)
		ticks += time.Duration(n)
	}
	return ticks * 10 * time.Millisecond // USER_HZ is 100
}

// peak is the most memory that the process had so far in MiB, as the system counts it.
func (p *process) peak(b *testing.B) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(b, err)
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	require.NotNil(b, m)
	n, err := strconv.ParseFloat(string(m[1]), 64)
	require.NoError(b, err)
	return n / 1024
}
