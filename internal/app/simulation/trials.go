package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
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
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// TrialOptions say how the runs of a benchmark are carried out.
type TrialOptions struct {
	Dir      string // of the results, with their sessions below it
	Models   []string
	Configs  map[string]*config.Loaded // by model
	Tasks    map[string]sandbox.Task   // by id
	Locale   string
	Size     image.Point
	MaxSteps int
	Observe  func(runs.Event)
	Page     func(ctx context.Context, db *store.Store, session, file string) error
}

// Trials carry out the runs of a benchmark, each on a new simulated phone.
type Trials struct {
	opts    TrialOptions
	adb     *adbserver.Server
	parts   map[string]*app.Parts // by model
	stop    context.CancelFunc
	serving sync.WaitGroup
}

// OpenTrials makes the parts of each model. The caller closes them.
func OpenTrials(ctx context.Context, set *app.Settings, o TrialOptions) (*Trials, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &Trials{opts: o, adb: adbserver.New(), parts: map[string]*app.Parts{}}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx)) // the runs end first
	t.stop = stop
	t.serving.Go(func() { _ = t.adb.Serve(serving, ln) }) // a failure shows in the runs
	for _, name := range o.Models {
		with, err := set.With(map[string]any{"model.name": name, "adb.server": ln.Addr().String(),
			"data_dir": filepath.Join(o.Dir, "data")})
		if err == nil {
			t.parts[name], err = app.Open(ctx, with, app.Options{Observe: o.Observe})
		}
		if err != nil {
			delete(t.parts, name)
			return nil, errors.Join(err, t.Close())
		}
	}
	return t, nil
}

// Close ends the runs, and then the phones.
func (t *Trials) Close() error {
	var errs []error
	for _, d := range t.parts {
		errs = append(errs, d.Close())
	}
	t.stop()
	t.serving.Wait()
	return errors.Join(errs...)
}

// A phone of the usual width in pixels has the usual density. Other phones show as much as it does.
const usualWidth, usualDensity = 1080, 420

// noAnswer is what a model is told that asks a person about a task that needs no one.
const noAnswer = "There is no answer. Go on with what the task says."

// Try carries a run out and checks the phone. It implements bench.Measurement.Try.
func (t *Trials) Try(ctx context.Context, k bench.Key, began func(string)) (bench.Trial, error) {
	task, d, o := t.opts.Tasks[k.Task], t.parts[k.Model], t.opts
	phone := sandbox.New(&sandbox.Options{Locale: o.Locale, Size: o.Size,
		Density: min(o.Size.X, o.Size.Y) * usualDensity / usualWidth})
	task.Setup(phone)
	serial := fmt.Sprintf("bench-%d-%s-%d", slices.Index(o.Models, k.Model)+1, k.Task, k.Round)
	t.adb.Attach(serial, shell.New(phone))
	defer t.adb.Detach(serial)
	mode := channel.NoReply
	if task.Reply != "" {
		mode = channel.PassToClient
	}
	started, id := time.Now(), ""
	st, err := d.Cases.PlayOut(ctx, app.Call(""), usecase.Start{Task: task.GoalIn(o.Locale),
		Reset: true, ReplyMode: string(mode),
		Running: usecase.Running{Device: serial, MaxSteps: o.MaxSteps}},
		func(st runs.Status) { id = st.Session.ID; began(id) },
		func(string) (string, error) { return cmp.Or(task.Reply, noAnswer), nil })
	wrong := err
	if err != nil && id != "" && ctx.Err() == nil { // a question that no one is here for
		var o *usecase.Outcome
		o, err = d.Cases.Stop(ctx, app.Call(""), usecase.Stop{SessionID: id, Mode: runs.Cancel})
		if err == nil {
			st, st.Reason = o.Status, agentloop.ActionNeedsApproval
		}
	}
	if err != nil || ctx.Err() != nil {
		return bench.Trial{}, err
	}
	r := t.result(k, st)
	r.StartedAt = started
	if err := task.Check(phone); err != nil {
		r.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	if wrong != nil {
		r.Problem = wrong.Error()
	}
	r.Passed = r.Problem == "" && r.Broken == ""
	r.Page = fmt.Sprintf("runs/%s.html", serial)
	return bench.Trial{Result: r, Hint: st.Hint},
		o.Page(ctx, d.Store, st.Session.ID, filepath.Join(o.Dir, r.Page))
}

// noMeasure are ends of runs that say nothing about the model.
var noMeasure = []agentloop.StopReason{agentloop.ModelError, agentloop.ModelKeyRefused,
	agentloop.DeviceDisconnected, agentloop.DeviceError, agentloop.InternalError,
	agentloop.ServerRestarted, agentloop.NotStarted, agentloop.UserPaused, agentloop.Cancelled}

// result is how a run ended, without the check.
func (t *Trials) result(k bench.Key, st runs.Status) bench.Result {
	u, m := st.Usage, t.opts.Configs[k.Model].Model
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
