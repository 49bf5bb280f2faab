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
	"github.com/taploop/taploop/internal/lab/world"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/sandbox/adbserver"
	"github.com/taploop/taploop/internal/sandbox/shell"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

// noBehaviour are the settings of a model that do not change what it replies, or are named
// elsewhere.
var noBehaviour = []string{"model.base_url", "model.name", "model.api_key", "model.api_key_file",
	"model.api_key_env", "model.timeout", "model.retries", "model.prompt_price",
	"model.reply_price"}

// ModelOf is the configured model with the settings that decide what it replies.
func ModelOf(conf *config.Loaded) bench.Model {
	m := bench.Model{BaseURL: conf.Model.BaseURL, Name: conf.Model.Name, Settings: map[string]any{}}
	for _, v := range conf.Values() {
		key, ok := strings.CutPrefix(v.Path, "model.")
		if ok && !slices.Contains(noBehaviour, v.Path) && !strings.HasPrefix(key, "re") {
			m.Settings[key] = v.Value
		}
	}
	return m
}

// TrialOptions say how the runs of a benchmark are carried out.
type TrialOptions struct {
	Dir      string // of the results, with their sessions below it
	Models   []string
	Configs  map[string]*config.Loaded // by model
	Tasks    map[string]sandbox.Task   // by id, of simulated phones
	World    world.World               // nil for simulated phones
	Serial   string                    // the world's device
	Locale   string
	Size     image.Point
	MaxSteps int
	Observe  func(runs.Event)
	Page     func(ctx context.Context, db *store.Store, session, file string) error
}

// Trials carry out the runs of a benchmark, each on a new simulated phone or on a world's device.
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
		change := map[string]any{"model.name": name, "data_dir": filepath.Join(o.Dir, "data")}
		if o.World == nil {
			change["adb.server"] = ln.Addr().String()
			change["guard.enabled"] = false // such phones come to no harm, and no person is asked
		}
		with, err := set.With(change)
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
func (t *Trials) Close() (err error) {
	for _, d := range t.parts {
		err = errors.Join(err, d.Close())
	}
	t.stop()
	t.serving.Wait()
	return err
}

// A phone of the usual width in pixels has the usual density. Other phones show as much as it does.
const usualWidth, usualDensity = 1080, 420

// noAnswer answers a model that asks a person about a task that needs no one.
const noAnswer = "There is no answer. Go on with what the task says."

// stage is where one run takes place.
type stage struct {
	serial, goal string
	people       bool // somebody answers questions
	answer       func(question string) (string, error)
	// check names the part that is missing, or "". Its error says why that is not known.
	check func(answer string) (string, error)
	leave func() error
}

// simulated is a stage with a new phone.
func (t *Trials) simulated(k bench.Key, serial string) stage {
	task, o := t.opts.Tasks[k.Task], t.opts
	phone := sandbox.New(&sandbox.Options{Locale: o.Locale, Size: o.Size, More: task.Grade > 0,
		Density: min(o.Size.X, o.Size.Y) * usualDensity / usualWidth})
	task.Setup(phone)
	t.adb.Attach(serial, shell.New(phone))
	return stage{serial: serial, goal: task.GoalIn(o.Locale), people: task.Reply != "",
		answer: func(string) (string, error) { return cmp.Or(task.Reply, noAnswer), nil },
		check: func(string) (string, error) {
			if err := task.Check(phone); err != nil {
				return strings.ReplaceAll(err.Error(), "\n", "; "), nil
			}
			return "", nil
		},
		leave: func() error { t.adb.Detach(serial); return nil }}
}

// of is a stage on the world's device.
func (t *Trials) of(ctx context.Context, w world.World, k bench.Key) (stage, error) {
	n := k.Round - 1
	s := stage{serial: t.opts.Serial, people: true,
		answer: func(question string) (string, error) {
			answer, err := w.Ask(ctx, question)
			if errors.Is(err, world.ErrNoUser) {
				return noAnswer, nil
			}
			if err != nil {
				err = fault{err}
			}
			return answer, err
		},
		check: func(answer string) (string, error) {
			if err := w.Report(ctx, answer); err != nil {
				return "", err
			}
			score, reason, err := w.Score(ctx, k.Task, n)
			if err != nil || score == 1 {
				return "", err
			}
			said := fmt.Sprintf("the world scores it %.2g. %s", score, reason)
			return strings.TrimSpace(said), nil
		},
		leave: func() error { return w.End(context.WithoutCancel(ctx), k.Task, n) }}
	var err error
	s.goal, err = w.Begin(ctx, k.Task, n)
	return s, err
}

// fault is an error of the world's server.
type fault struct{ error }

// Try carries a run out and checks the phone. It implements bench.Measurement.Try.
func (t *Trials) Try(ctx context.Context, k bench.Key, began func(string)) (r bench.Trial,
	err error) {
	name := fmt.Sprintf("bench-%d-%s-%d", slices.Index(t.opts.Models, k.Model)+1, k.Task, k.Round)
	var at stage
	if t.opts.World == nil {
		at = t.simulated(k, name)
	} else if at, err = t.of(ctx, t.opts.World, k); err != nil {
		r.Result = bench.Result{Key: k, Broken: err.Error()}
		r.World = true
		return r, ctx.Err()
	}
	defer func() { err = errors.Join(err, at.leave()) }()
	return t.play(ctx, k, at, name, began)
}

// play carries a run out on a stage.
func (t *Trials) play(ctx context.Context, k bench.Key, at stage, name string,
	began func(string)) (bench.Trial, error) {
	d, o := t.parts[k.Model], t.opts
	mode := channel.NoReply
	if at.people {
		mode = channel.PassToClient
	}
	started, id := time.Now(), ""
	st, err := d.Cases.PlayOut(ctx, app.Call(""), usecase.Start{Task: at.goal, Reset: true,
		ReplyMode: string(mode),
		Running:   usecase.Running{Device: at.serial, MaxSteps: o.MaxSteps}},
		func(st runs.Status) { id = st.Session.ID; began(id) }, at.answer)
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
	r.Problem, err = at.check(st.Run.Answer)
	if wrong != nil {
		r.Problem = wrong.Error()
	}
	if f, is := errors.AsType[fault](wrong); is {
		err = f
	}
	if err != nil && r.Broken == "" { // none else can fail there
		r.Broken = err.Error()
	}
	r.Passed = r.Problem == "" && r.Broken == ""
	r.Page = fmt.Sprintf("runs/%s.html", name)
	return bench.Trial{Result: r, Hint: st.Hint, World: err != nil && r.Broken == err.Error()},
		o.Page(ctx, d.Store, st.Session.ID, filepath.Join(o.Dir, r.Page))
}

// noMeasure are ends of runs that say nothing about the model.
var noMeasure = []agentloop.StopReason{agentloop.ModelError, agentloop.ModelKeyRefused,
	agentloop.DeviceDisconnected, agentloop.DeviceError, agentloop.InternalError,
	agentloop.StoreUnavailable, agentloop.ServerRestarted, agentloop.NotStarted,
	agentloop.UserPaused, agentloop.Cancelled}

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
	if v := st.Run.Progress.Verification; v != nil {
		r.Verdict = v.Verdict
	}
	if slices.Contains(noMeasure, st.Reason) {
		r.Broken = strings.TrimSpace(fmt.Sprintf("%s %s", st.Reason, st.Message))
	}
	return r
}
