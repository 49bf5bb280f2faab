//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// From the start of the program until a client that asks at once has its answer to initialize.
func BenchmarkColdStart(b *testing.B) {
	for _, overHTTP := range []bool{false, true} {
		name := "stdio"
		if overHTTP {
			name = "HTTP"
		}
		b.Run(name, func(b *testing.B) {
			w := newTestEnv(b, demoTask, "")
			w.run("sessions", "list") // makes the data folder
			for b.Loop() {
				p := greet(b, w, overHTTP)
				b.StopTimer()
				p.kill()
				b.StartTimer()
			}
		})
	}
}

func greet(b *testing.B, w *testEnv, overHTTP bool) *process {
	if overHTTP {
		p, url := w.serve()
		status, answer, _ := post(b, url, handshake, nil)
		require.Equal(b, 200, status, answer)
		return p
	}
	return shake(b, w.spawn("serve"))
}

func shake(b *testing.B, p *process) *process {
	_, err := io.WriteString(p.stdin, handshake+"\n")
	require.NoError(b, err)
	line, err := bufio.NewReader(p.stdout).ReadString('\n')
	require.NoError(b, err, p.stderr)
	require.Contains(b, line, "serverInfo")
	return p
}

// The same of taploop and of another MCP server, in turn: the command line in TAPLOOP_BENCH_PEER,
// which scripts/bench-peers sets.
func BenchmarkColdStartBesideAPeer(b *testing.B) {
	line := strings.Fields(os.Getenv("TAPLOOP_BENCH_PEER"))
	if len(line) == 0 {
		b.Skip("run: make bench-peers")
	}
	w := newTestEnv(b, demoTask, "")
	w.run("sessions", "list") // makes the data folder
	var ours, theirs []time.Duration
	for b.Loop() {
		began := time.Now()
		p := greet(b, w, false)
		ours = append(ours, time.Since(began))
		p.kill()
		began = time.Now()
		p = shake(b, w.spawnAs(func(cmd *exec.Cmd) {
			cmd.Path, cmd.Args = line[0], line
			cmd.Env = append(slices.Clip(cmd.Env), "PATH="+os.Getenv("PATH"))
		}))
		theirs = append(theirs, time.Since(began))
		p.kill()
	}
	b.ReportMetric(ms(median(ours)), "ms")
	b.ReportMetric(ms(median(theirs)), "peer-ms")
	b.ReportMetric(times(theirs, ours), "peer/ours")
	b.ReportMetric(0, "ns/op")
}

// A call that only attaches: ask_agent_wait with wait_seconds 0, of a run that goes on.
func BenchmarkAttach(b *testing.B) {
	for _, w := range []route{{false, legacy}, {false, modern}, {true, legacy}, {true, modern}} {
		b.Run(w.String(), func(b *testing.B) {
			bench := newTestEnv(b, demoTask, "")
			g := bench.holdAt("1/8")
			s := bench.open(w)
			begun := s.start(bench.task.Goal)
			g.await(b)
			args := map[string]any{"session_id": begun.SessionID, "wait_seconds": 0}
			for b.Loop() {
				s.call("ask_agent_wait", args)
			}
		})
	}
}

// What a thousand clients cost that have shaken hands and wait, each on a stream of its own.
func BenchmarkOpenSessions(b *testing.B) {
	const clients = 1000
	for b.Loop() {
		bench := newTestEnv(b, demoTask, "")
		p, url := bench.serve()
		post(b, url, handshake, nil) // what the first one needs is not what each needs
		before := resident(b, p)
		connections := &http.Transport{MaxIdleConnsPerHost: clients}
		for range clients {
			listenAs(b, connections, url)
		}
		grown := resident(b, p) - before
		b.ReportMetric(float64(before)/1024, "MiB/empty")
		b.ReportMetric(float64(grown)/clients, "KiB/session")
		b.ReportMetric(float64(before+grown)/1024, "MiB/1000sessions")
		connections.CloseIdleConnections()
		p.kill()
	}
}

// listenAs shakes hands and opens the stream for what the server has to say by itself.
func listenAs(b *testing.B, connections *http.Transport, url string) {
	_, _, got := post(b, url, handshake, nil)
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, url, nil)
	require.NoError(b, err)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", got.Get("Mcp-Session-Id"))
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	resp, err := (&http.Client{Transport: connections}).Do(r)
	require.NoError(b, err)
	require.Equal(b, 200, resp.StatusCode)
	b.Cleanup(func() { _ = resp.Body.Close() })
}

// resident is the memory of a process in KiB, as the system counts it.
func resident(b *testing.B, p *process) int {
	time.Sleep(time.Second) // for the collector, which also gives memory back
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(b, err)
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindStringSubmatch(string(text))
	require.NotNil(b, m, "%s", strings.TrimSpace(string(text)))
	n, err := strconv.Atoi(m[1])
	require.NoError(b, err)
	return n
}

func median(d []time.Duration) time.Duration { return slices.Sorted(slices.Values(d))[len(d)/2] }

func times(a, b []time.Duration) float64 { return float64(median(a)) / float64(median(b)) }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
