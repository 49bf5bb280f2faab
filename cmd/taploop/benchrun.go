package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/lab/bench"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/text"
)

// benchRun carries out what is left of a bench.
type benchRun struct {
	*benchCmd
	app    *invocation
	dir    string
	book   *bench.Book
	plan   bench.Plan
	models map[string]*config.Loaded
	tasks  map[string]sandbox.Task

	adb  *adbserver.Server
	deps map[string]*app.Parts // by model

	mu      sync.Mutex
	total   int // runs of this start
	began   time.Time
	ended   int
	running map[bench.Key]int    // steps so far
	keys    map[string]bench.Key // by session
	broken  map[string]int       // runs in a row, by model
}

// givenUp is after how many broken runs in a row a model is not asked any more in this start.
const givenUp = 2

// errUnmeasured is what a start ends with that gave a model up. Why was said before.
const errUnmeasured = ended(exitModel)

// measure runs what has no result yet. When ctx ends, the runs that are under way are dropped.
func (b *benchRun) measure(ctx context.Context) (err error) {
	left := b.book.Left(b.plan)
	if len(left) == 0 {
		b.app.notef("all runs are done already; to measure anew, pass -o with another folder, or "+
			"delete %s", b.dir)
		return nil
	}
	b.app.notef("%d of %s to do, kept in %s", len(left), plural(len(b.plan.Runs()), "run"), b.dir)
	b.app.quiet()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.adb = adbserver.New()
	serveCtx, stop := context.WithCancel(context.WithoutCancel(ctx)) // the runs end first
	var serving sync.WaitGroup
	serving.Go(func() { _ = b.adb.Serve(serveCtx, ln) }) // what goes wrong shows in the runs
	defer serving.Wait()
	defer stop()
	if err := b.open(ctx, ln.Addr().String()); err != nil {
		return errors.Join(err, b.close())
	}
	b.total, b.began = len(left), time.Now()
	b.running = map[bench.Key]int{}
	b.keys = map[string]bench.Key{}
	b.broken = map[string]int{}
	defer statusOf(b.app.err).show("")
	return app.Closing(b.all(ctx, left), b.close)
}

// open wires the runs of each model. Their sessions are in the bench's folder, out of the way of
// others.
func (b *benchRun) open(ctx context.Context, adbAddr string) error {
	b.deps = map[string]*app.Parts{}
	for _, name := range b.plan.Models {
		set, err := b.app.With(map[string]any{"model.name": name, "adb.server": adbAddr,
			"data_dir": filepath.Join(b.dir, "data")})
		if err != nil {
			return err
		}
		d, err := app.Open(ctx, set, app.Options{Observe: b.observe})
		if err != nil {
			return err
		}
		b.deps[name] = d
	}
	return nil
}

func (b *benchRun) close() error {
	var errs []error
	for _, d := range b.deps {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// all carries the runs out, some at once, and ends with the first error that is not a run's own.
func (b *benchRun) all(ctx context.Context, left []bench.Key) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan bench.Key)
	var workers sync.WaitGroup
	for range b.Parallel {
		workers.Go(func() {
			for k := range next {
				if err := b.one(ctx, k); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, k := range left {
		if ctx.Err() != nil || b.isGivenUp(k.Model) {
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
	if slices.ContainsFunc(b.plan.Models, b.isGivenUp) {
		return errUnmeasured
	}
	return nil
}

func (b *benchRun) isGivenUp(model string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.broken[model] >= givenUp
}

// A phone of the usual width in pixels has the usual density; others show as much as it does.
const usualWidth, usualDensity = 1080, 420

// one carries a run out on a new phone and writes its result down.
func (b *benchRun) one(ctx context.Context, k bench.Key) error {
	if ctx.Err() != nil || b.isGivenUp(k.Model) {
		return nil
	}
	b.tell(func() { b.running[k] = 0 })
	defer b.tell(func() {
		delete(b.running, k)
		maps.DeleteFunc(b.keys, func(_ string, of bench.Key) bool { return of == k })
	})
	task, d := b.tasks[k.Task], b.deps[k.Model]
	phone := sandbox.New(&sandbox.Options{Locale: b.Locale, Size: b.size,
		Density: min(b.size.X, b.size.Y) * usualDensity / usualWidth})
	task.Setup(phone)
	serial := fmt.Sprintf("bench-%d-%s-%d", slices.Index(b.plan.Models, k.Model)+1, k.Task, k.Round)
	b.adb.Attach(serial, shell.New(phone))
	defer b.adb.Detach(serial)
	mode := channel.NoReply
	if task.Reply != "" {
		mode = channel.PassToClient
	}
	started := time.Now()
	st, err := app.PlayOut(ctx, d.Manager, runs.StartRequest{Task: task.GoalIn(b.Locale),
		Serial: serial, MaxSteps: int(b.MaxSteps), Settings: runs.Settings{ReplyMode: mode}},
		func(st runs.Status) { b.tell(func() { b.keys[st.Session.ID] = k }) },
		func(string) (string, error) { return task.Reply, nil })
	if ctx.Err() != nil {
		return nil // dropped
	}
	if err != nil {
		return err
	}
	r := b.result(k, st)
	r.StartedAt = started
	if err := task.Check(phone); err != nil {
		r.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	r.Passed = r.Problem == "" && r.Broken == ""
	r.Page = fmt.Sprintf("runs/%s.html", serial)
	if err := exportPage(ctx, d.Store, st.Session.ID, filepath.Join(b.dir, r.Page)); err != nil {
		return err
	}
	if err := b.book.Add(r); err != nil {
		return err
	}
	b.done(r, st)
	return nil
}

// noMeasure are ends of runs that say nothing of the model.
var noMeasure = []agentloop.StopReason{agentloop.ModelError, agentloop.ModelKeyRefused,
	agentloop.DeviceDisconnected, agentloop.DeviceError, agentloop.InternalError,
	agentloop.ServerRestarted, agentloop.NotStarted, agentloop.UserPaused, agentloop.Cancelled}

// result is how a run ended, without the check.
func (b *benchRun) result(k bench.Key, st runs.Status) bench.Result {
	u, m := st.Usage, b.models[k.Model].Model
	r := bench.Result{Key: k, StopReason: string(st.Reason), Answer: st.Run.Answer,
		Claimed: st.Reason == agentloop.TaskCompleted, Steps: u.Steps, Calls: u.Calls,
		Questions: st.Run.Progress.Questions, PromptTokens: u.PromptTokens,
		CompletionTokens: u.CompletionTokens, Seconds: u.Work().Seconds(),
		ModelSeconds: u.Timing.Decide.Seconds(), SessionID: st.Session.ID,
		Cost: (m.PromptPrice*float64(u.PromptTokens) +
			m.ReplyPrice*float64(u.CompletionTokens)) / 1e6}
	if slices.Contains(noMeasure, st.Reason) {
		r.Broken = strings.TrimSpace(fmt.Sprintf("%s %s", st.Reason, st.Message))
	}
	return r
}

// done says in a line how a run ended, and counts it.
func (b *benchRun) done(r bench.Result, st runs.Status) {
	line := fmt.Sprintf("%s, %s, round %d: ", text.Line(r.Model), r.Task, r.Round)
	switch {
	case r.Broken != "":
		line += "no measurement: " + text.Cut(text.Line(r.Broken), 300)
		if st.Hint != "" {
			line += "\n  try: " + text.Line(st.Hint)
		}
	case r.Passed:
		line += fmt.Sprintf("done, %s, %.1fs", plural(r.Steps, "step"), r.Seconds)
	default:
		line += fmt.Sprintf("not done, %s, %.1fs", plural(r.Steps, "step"), r.Seconds)
	}
	b.tell(func() {
		b.ended++
		if b.broken[r.Model]++; r.Broken == "" {
			b.broken[r.Model] = 0
		}
		b.app.notef("%s", line)
		if b.broken[r.Model] == givenUp {
			b.app.notef("%s is not asked any more", text.Line(r.Model))
		}
	})
}

// observe counts the steps of the runs.
func (b *benchRun) observe(e runs.Event) {
	if e.Kind != agentloop.Stepped {
		return
	}
	b.tell(func() {
		if k, ok := b.keys[e.SessionID]; ok {
			b.running[k] = e.Step.Index
		}
	})
}

// tell changes what is known of the present, and shows it.
func (b *benchRun) tell(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	statusOf(b.app.err).show(b.present())
}

// bar is a progress bar.
func bar(done, all int) string {
	const columns = 20
	full := columns * done / max(all, 1)
	return strings.Repeat("█", full) + strings.Repeat("░", columns-full)
}

// present is what is being done, with how much there is to do. The caller holds mu.
func (b *benchRun) present() string {
	if len(b.running) == 0 {
		return ""
	}
	line := fmt.Sprintf("%s %d of %d", bar(b.ended, b.total), b.ended, b.total)
	if b.ended > 0 {
		each := time.Since(b.began) / time.Duration(b.ended)
		line += fmt.Sprintf(", about %s left", (each * time.Duration(b.total-b.ended)).
			Round(time.Second))
	}
	var now []string
	for k, n := range b.running {
		now = append(now, fmt.Sprintf("%s %s, step %d", k.Model, k.Task, n+1))
	}
	slices.Sort(now)
	return line + ": " + strings.Join(now, "; ")
}
