package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// ErrGivenUp is returned by Measure if a model was given up. Why was said before.
var ErrGivenUp = errors.New("a model was given up")

// givenUp is after how many broken runs in a row a model is given up.
const givenUp = 2

// Trial is a run that was carried out, with a hint for one that is broken.
type Trial struct {
	Result
	Hint  string
	World bool // it is broken by a fault of the world that sets the tasks, and not of the model
}

// Measurement carries out what a plan has no results for yet.
type Measurement struct {
	Plan     Plan
	Book     *Book
	Parallel int
	// Try carries out one run, and calls began with its session. It may be called at once from
	// several goroutines. A result is ignored if ctx has ended.
	Try func(ctx context.Context, k Key, began func(session string)) (Trial, error)
	// Say tells a line to a person. Show tells the present state, "" if missing.
	Say  func(line string)
	Show func(state string)

	mu      sync.Mutex
	total   int // runs of this start
	began   time.Time
	ended   int
	running map[Key]int    // steps so far
	keys    map[string]Key // by session
	broken  map[string]int // runs in a row, by model, and the world's as ""
}

// Run carries the runs out, some at once, and returns the first error that is not a run's own. When
// ctx ends, the runs that are under way are dropped.
func (m *Measurement) Run(ctx context.Context, left []Key) error {
	m.total, m.began = len(left), time.Now()
	m.running, m.keys, m.broken = map[Key]int{}, map[string]Key{}, map[string]int{}
	defer m.Show("")
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan Key)
	var workers sync.WaitGroup
	for range m.Parallel {
		workers.Go(func() {
			for k := range next {
				if err := m.one(ctx, k); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, k := range left {
		if ctx.Err() != nil || m.isGivenUp(k.Model) {
			continue
		}
		select {
		case next <- k:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if slices.ContainsFunc(m.Plan.Models, m.isGivenUp) {
		return ErrGivenUp
	}
	return nil
}

func (m *Measurement) isGivenUp(model string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.broken[model] >= givenUp
}

// one carries a run out and writes its result down.
func (m *Measurement) one(ctx context.Context, k Key) error {
	if ctx.Err() != nil || m.isGivenUp(k.Model) {
		return nil
	}
	m.tell(func() { m.running[k] = 0 })
	defer m.tell(func() {
		delete(m.running, k)
		maps.DeleteFunc(m.keys, func(_ string, of Key) bool { return of == k })
	})
	r, err := m.Try(ctx, k, func(session string) { m.tell(func() { m.keys[session] = k }) })
	if ctx.Err() != nil {
		return nil // dropped
	}
	if err == nil {
		err = m.Book.Add(r.Result)
	}
	if err == nil && m.done(r) && r.World {
		err = errors.New("the world is not asked any more")
	}
	return err
}

// done says in a line how a run ended, and counts it. It reports whether it was one broken run too
// many.
func (m *Measurement) done(r Trial) (tooMany bool) {
	line := fmt.Sprintf("%s, %s, round %d: ", text.Line(r.Model), r.Task, r.Round)
	took := fmt.Sprintf("%d steps, %.1fs", r.Steps, r.Seconds)
	if r.Steps == 1 {
		took = fmt.Sprintf("1 step, %.1fs", r.Seconds)
	}
	switch {
	case r.Broken != "":
		line += "no measurement: " + text.Cut(text.Line(r.Broken), 300)
		if r.Hint != "" {
			line += "\n  try: " + text.Line(r.Hint)
		}
	case r.Passed:
		line += "done, " + took
	default:
		line += "not done, " + took
	}
	m.tell(func() {
		m.ended++
		whose := map[bool]string{false: r.Model}[r.World]
		if m.broken[whose]++; r.Broken == "" {
			m.broken[r.Model], m.broken[""] = 0, 0
		}
		m.Say(line)
		if tooMany = m.broken[whose] == givenUp; tooMany && !r.World {
			m.Say(text.Line(r.Model) + " is not asked any more")
		}
	})
	return tooMany
}

// Stepped notes how many steps the run of a session has made.
func (m *Measurement) Stepped(session string, n int) {
	m.tell(func() {
		if k, ok := m.keys[session]; ok {
			m.running[k] = n
		}
	})
}

// tell changes the state, and shows it.
func (m *Measurement) tell(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
	m.Show(m.state())
}

// Bar is a progress bar.
func Bar(done, all int) string {
	const columns = 20
	full := columns * done / max(all, 1)
	return strings.Repeat("█", full) + strings.Repeat("░", columns-full)
}

// state tells the runs under way, and how many are left. The caller holds mu.
func (m *Measurement) state() string {
	if len(m.running) == 0 {
		return ""
	}
	line := fmt.Sprintf("%s %d of %d", Bar(m.ended, m.total), m.ended, m.total)
	if m.ended > 0 {
		each := time.Since(m.began) / time.Duration(m.ended)
		line += fmt.Sprintf(", about %s left", (each * time.Duration(m.total-m.ended)).
			Round(time.Second))
	}
	var now []string
	for k, n := range m.running {
		now = append(now, fmt.Sprintf("%s %s, step %d", k.Model, k.Task, n+1))
	}
	slices.Sort(now)
	return line + ": " + strings.Join(now, "; ")
}
