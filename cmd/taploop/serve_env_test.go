//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/sandbox"
)

// testEnv is a simulated phone, a scripted model and a data folder, for servers that a test starts
// as programs of their own.
type testEnv struct {
	t    testing.TB
	sim  *simulation.Simulation
	task sandbox.Task
	wire *wiretap
	life *activity // of the phone and the model
	dir  string
	env  []string

	mu    sync.Mutex
	gates []*thinkingPause

	asked atomic.Int64 // how often the model was asked something
}

// newTestEnv sets a task up. script is put in front of the rules that solve the tasks; env is more
// variables.
func newTestEnv(t testing.TB, taskID, script string, env ...string) *testEnv {
	phone := newPhone()
	task, ok := phone.Task(taskID)
	require.True(t, ok)
	task.Setup(phone)
	tasks := simulation.TasksScript()
	rules := "rules:\n" + script + strings.TrimPrefix(string(tasks[bytes.Index(tasks,
		[]byte("rules:\n")):]), "rules:\n")
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	sim, err := simulation.Start(ctx, phone, &simulation.Options{Script: []byte(rules)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sim.Close()) })
	if _, measures := t.(*testing.B); !measures {
		env = append([]string{"TAPLOOP_MODEL_IMAGE_SIZE=" + glanced}, env...)
	}
	life := newActivity()
	wire, dir := tap(t, sim.Addr, life, nil), t.TempDir()
	b := &testEnv{t: t, sim: sim, task: task, wire: wire, life: life, dir: dir}
	model := httptest.NewServer(b.model(t))
	t.Cleanup(model.Close)
	b.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_DATA_HOME=" + filepath.Join(dir, "data"),
		"XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"TAPLOOP_ADB_SERVER=" + wire.addr, "TAPLOOP_ADB_PATH=" + filepath.Join(dir, "no-adb"),
		"TAPLOOP_MODEL_BASE_URL=" + model.URL + "/v1", "TAPLOOP_MODEL_NAME=scripted",
		"TAPLOOP_SCHEMAS=full", // so that results are whole
		"TAPLOOP_MODEL_LANG=en", "TAPLOOP_LOOP_SETTLE_TIMEOUT=" + settles,
	}, env...)
	return b
}

// done checks that the phone is as the task wants it, and that it was touched as often as a run
// without any trouble does.
func (b *testEnv) done(touches int) {
	b.t.Helper()
	require.NoError(b.t, b.task.Check(b.sim.Phone))
	require.Len(b.t, b.wire.touches(), touches, "%q", b.wire.touches())
}

// thinkingPause makes the model think until it is opened.
type thinkingPause struct {
	about  string // what it has to be asked about
	life   *activity
	once   sync.Once
	begun  chan struct{} // closed when it thinks
	opened chan struct{}
	leave  sync.Once
	left   chan struct{} // closed when the asker has hung up before it was opened
}

// holdAt makes the model think when it is asked what to do after that step of the demo task.
func (b *testEnv) holdAt(step string) *thinkingPause {
	return b.holdOn("[" + demoTask + " " + step +
		"]")
}

// holdOn makes the model think when what it is asked has these words.
func (b *testEnv) holdOn(about string) *thinkingPause {
	g := &thinkingPause{about: about, life: b.life, begun: make(chan struct{}),
		opened: make(chan struct{}), left: make(chan struct{})}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gates = append(b.gates, g)
	return g
}

// await returns when the model thinks.
func (g *thinkingPause) await(t testing.TB) {
	t.Helper()
	g.life.await(t, g.begun, "the model is not asked about "+g.about)
}

// deserted returns when what the model thinks is waited for no longer.
func (g *thinkingPause) deserted(t testing.TB) {
	t.Helper()
	g.life.await(t, g.left, "the model is still waited for about "+g.about)
}

func (g *thinkingPause) open() { close(g.opened) }

// model is the scripted one behind the gates.
func (b *testEnv) model(t testing.TB) http.Handler {
	target, err := url.Parse(strings.TrimSuffix(b.sim.Model.BaseURL, "/v1"))
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // clients are killed
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		b.life.beat()
		if strings.HasSuffix(r.URL.Path, "/chat/completions") && !bytes.Contains(body, []byte(`\"labels\":`)) {
			b.asked.Add(1)
		}
		b.mu.Lock()
		gates := b.gates
		b.mu.Unlock()
		for _, g := range gates {
			if !bytes.Contains(body, []byte(g.about)) {
				continue
			}
			g.once.Do(func() { close(g.begun) })
			select {
			case <-g.opened:
			case <-r.Context().Done():
				g.leave.Do(func() { close(g.left) })
				return
			}
		}
		proxy.ServeHTTP(w, r)
	})
}

// modelRule is a rule of the scripted model: what it does when its prompt matches when, a regular
// expression, and the summary that the next prompt shows.
func modelRule(when, action, summary string) string {
	return fmt.Sprintf("- when: '%s'\n  reply: \"<THINK> x </THINK>\\n"+
		"explain:x\\taction:%s\\tsummary:[%s]\"\n", when, action, summary)
}

func writeFile(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }

func callOf(tool string) mcp.CallToolRequest {
	return mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: map[string]any{}}}
}

func textOf(r *mcp.CallToolResult) (all string) {
	for _, c := range r.Content {
		if x, ok := c.(mcp.TextContent); ok {
			all += x.Text + "\n"
		}
	}
	return all
}
