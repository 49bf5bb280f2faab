//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// activity tells when something happened last.
type activity struct {
	mu   sync.Mutex
	last time.Time
}

func newActivity() *activity { return &activity{last: time.Now()} }

func (p *activity) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
}

// Write implements io.Writer: what passes is a sign of life.
func (p *activity) Write(b []byte) (int, error) {
	p.beat()
	return len(b), nil
}

// still is for how long nothing has happened.
func (p *activity) still() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.last)
}

// await returns when done is closed, and fails the test when nothing has happened for too long.
func (p *activity) await(t testing.TB, done <-chan struct{}, what string) {
	t.Helper()
	p.beat() // the waiting begins now
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			require.Less(t, p.still(), patience, what)
		}
	}
}

// stopwatch measures how long a server takes for something, and for how much of it the machine held
// it up: for how long threads of the server, and of this test, had work to do and no processor to
// do it.
type stopwatch struct {
	p     *process
	began time.Time
	stop  chan struct{}
	held  chan time.Duration
}

func (p *process) stopwatch() *stopwatch {
	w := &stopwatch{p, time.Now(), make(chan struct{}), make(chan time.Duration, 1)}
	before := map[string]time.Duration{}
	delays(before, p.cmd.Process.Pid, os.Getpid())
	go func() { // ends with read
		after := map[string]time.Duration{}
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for going := true; going; {
			select {
			case <-tick.C:
			case <-w.stop:
				going = false
			}
			// Threads end, and what they waited is to count.
			delays(after, p.cmd.Process.Pid, os.Getpid())
		}
		var sum time.Duration
		for thread, d := range after {
			sum += d - before[thread]
		}
		w.held <- sum
	}()
	return w
}

// within fails the test when it took longer than the bound, not counting what the machine held up.
// It is called once.
func (w *stopwatch) within(bound time.Duration) {
	w.p.t.Helper()
	took := time.Since(w.began)
	close(w.stop)
	held := <-w.held
	require.Less(w.p.t, took, bound+held, "of which the machine held up %v", held)
}

// delays notes for how long each thread of the processes has waited for a processor. Only Linux
// tells.
func delays(by map[string]time.Duration, pids ...int) {
	for _, pid := range pids {
		// The pattern is well-formed.
		paths, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, path := range paths {
			text, err := os.ReadFile(path)
			var ran, waited int64
			if err != nil {
				continue // it has ended
			}
			if _, err := fmt.Fscan(strings.NewReader(string(text)), &ran, &waited); err == nil {
				by[path] = time.Duration(waited)
			}
		}
	}
}
