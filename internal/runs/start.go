package runs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// StartRequest is a task for a phone, or a goal for agents: these take Task, Client, Key, Parent, By
// and Settings.
type StartRequest struct {
	Kind     store.Kind // "" means store.OnPhone
	Task     string
	Serial   string // of the phone; "" means the only usable one
	MaxSteps int    // of this call; 0 means the configured maximum, which is never exceeded
	// leave the phone as it is; otherwise it goes to the home screen first, and unless
	// Options.KeepApps says otherwise the first app that the task opens is ended before
	KeepEnvironment bool
	Queue           bool   // wait for a phone that is busy, first come first served
	Supersede       bool   // first stop the client's own sessions that have the phone
	By              Actor  // who starts this one, and stops them
	Client          string // whom the session will belong to
	Key             string // chosen by the client; see Start
	Parent          string // the session that begins this one; "" is none
	Settings        Settings
}

// Start begins a session with its first run, and returns as soon as the run is stored. The run goes
// on by itself: see Wait. When the client has begun a session under the same Key before, nothing is
// begun, and the Status is that session's.
func (m *Manager) Start(ctx context.Context, r StartRequest) (Status, error) {
	if st, found, err := m.begun(ctx, r); found || err != nil {
		return st, err
	}
	st, err := m.begin(ctx, r)
	_, taken := errors.AsType[*store.KeyError](err)
	if taken || CodeOf(err) == DeviceBusy { // the same call may have been faster meanwhile
		if st, found, err := m.begun(ctx, r); found || err != nil {
			return st, err
		}
	}
	return st, err
}

func (m *Manager) begin(ctx context.Context, r StartRequest) (Status, error) {
	x, err := m.plan(r.Kind, plan{task: r.Task, maxSteps: r.MaxSteps, settings: r.Settings,
		home: !r.KeepEnvironment, fresh: !r.KeepEnvironment && !m.opts.KeepApps, by: r.By})
	if err != nil {
		return Status{}, err
	}
	if err := x.open(ctx, r.Serial); err != nil {
		return Status{}, err
	}
	if err := x.takePlace(ctx, r); err != nil {
		x.work.Close()
		return Status{}, err
	}
	if err := x.launch(r.Queue); err != nil {
		return Status{}, err
	}
	return m.Status(ctx, x.sess.ID)
}

// plan checks what can be checked before anything is touched, and makes a life of a run.
func (m *Manager) plan(k store.Kind, p plan) (*execution, error) {
	if err := m.checkOpen(); err != nil {
		return nil, err
	}
	if err := checkTask(p.task); err != nil {
		return nil, err
	}
	x := &execution{m: m, run: store.Run{Task: p.task}}
	return x, m.kindOf(k).plan(x, p)
}

// takePlace makes the session. Another call of the same client may take the phone between the end
// of the run that has it and this one: under Supersede that run's place is taken, too.
func (x *execution) takePlace(ctx context.Context, r StartRequest) error {
	const rounds = 10
	planned := x.run
	for round := 1; ; round++ {
		x.run = planned
		err := x.createSession(ctx, r)
		e, refused := errors.AsType[*Error](err)
		own := refused && e.Code == DeviceBusy && e.Holder != nil && e.Holder.SessionID != ""
		if !own || !r.Supersede || round == rounds || ctx.Err() != nil {
			return err
		}
	}
}

// createSession makes the session and its run, and takes the phone unless the run may wait for it.
func (x *execution) createSession(ctx context.Context, r StartRequest) error {
	m := x.m
	if r.Supersede {
		if err := x.supersede(ctx, x.sess.Serial, r); err != nil {
			return err
		}
	}
	begun := store.Session{Serial: x.sess.Serial, Device: x.sess.Device, Client: r.Client,
		StartKey: r.Key, Parent: r.Parent}
	if !r.Queue {
		if err := m.free(ctx, begun); err != nil {
			return err
		}
	}
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	x.run.Settings = encode(x.settings)
	sess, run, err := m.store.Begin(ctx, begun, x.run)
	if err != nil {
		return err
	}
	x.sess, x.run = sess, run
	if r.Queue {
		return nil
	}
	if err := x.lease(ctx); err != nil {
		return errors.Join(err, m.store.Delete(ctx, x.sess.ID))
	}
	return nil
}

// supersede stops the client's sessions that have the phone or wait for it, the holder last. While
// one of somebody else does, it stops none and refuses the call, unless that may wait.
func (x *execution) supersede(ctx context.Context, serial string, r StartRequest) error {
	m := x.m
	all, err := m.lines.Holders(ctx, serial)
	if err != nil {
		return err
	}
	for _, h := range all {
		if h.Client != r.Client && !r.Queue {
			return busy(h.SeenBy(r.Client))
		}
	}
	for _, h := range slices.Backward(all) {
		if h.Client != r.Client {
			continue
		}
		if _, err := m.Stop(ctx, StopRequest{SessionID: h.SessionID, By: r.By}); err != nil {
			return err
		}
	}
	return nil
}

// lease takes the phone for a new run at once. When another was faster meanwhile, the run is over.
func (x *execution) lease(ctx context.Context) error {
	m := x.m
	err := m.lines.Take(ctx, x.sess.Serial, x.run.ID)
	if err == nil {
		return nil
	}
	if held, ok := errors.AsType[*store.BusyError](err); ok {
		err = busy(held.Hold.SeenBy(x.sess.Client))
	}
	s, done := m.states.use(x.sess.ID)
	defer done()
	ending{m: m, state: s, run: x.run, serial: x.sess.Serial, change: store.Change{
		To: store.Cancelled, Reason: agentloop.NotStarted, Err: errorText(err)}}.keep(ctx)
	return err
}

// Settings are how a run behaves. They are stored with it, so that it behaves the same after a
// restart.
type Settings struct {
	ReplyMode channel.Mode `json:"reply_mode,omitempty"` // "" means PassToClient
	Captions  bool         `json:"captions,omitempty"`   // each frame in words
	// the frame in words on which the run ends or asks
	FinalCaption bool `json:"final_caption,omitempty"`
	// goes on with no call attached, see Manager.Attach
	DetachedOK bool            `json:"detached_ok,omitempty"`
	Client     json.RawMessage `json:"client,omitempty"` // the caller's own, kept as given
	// the file of the MCP servers that agents have; it is never replaced by other settings
	Servers string `json:"mcp,omitempty"`
}

// storedSettings is the settings with what the Manager itself has to know again.
type storedSettings struct {
	Settings
	CallFrom int `json:"call_from"` // steps of the session before the present call
	// of the calls that began or resumed the session's runs, oldest first
	Keys []usedKey `json:"keys,omitempty"`
}

// with are the settings as a call changes them; nil keeps them.
func (s storedSettings) with(changed *Settings) Settings {
	if changed == nil {
		return s.Settings
	}
	now := *changed
	now.Servers = s.Servers
	return now
}

// encode is v, which holds Settings that were checked, as JSON.
func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encoding %T: %v", v, err)) // Client was checked to be JSON
	}
	return b
}

func settingsOf(r store.Run) (storedSettings, error) {
	var s storedSettings
	if len(r.Settings) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(r.Settings, &s); err != nil {
		return s, fmt.Errorf("reading the settings of run %s: %w", r.ID, err)
	}
	return s, nil
}

const maxTask = 20_000 // characters

func checkTask(task string) error {
	switch n := utf8.RuneCountInString(task); {
	case strings.TrimSpace(task) == "":
		return invalid("say in one or two sentences what is to be done, and in which app",
			"the task is empty")
	case !utf8.ValidString(task):
		return invalid("send the task as UTF-8", "the task is not text")
	case n > maxTask:
		return invalid("break the goal down into simpler tasks",
			"the task has %d characters (want at most %d)", n, maxTask)
	}
	return nil
}

// checkSettings fills in the reply mode and refuses what cannot be had here.
func (m *Manager) checkSettings(s Settings) (Settings, error) {
	var err error
	if s.ReplyMode, err = channel.Parse(string(s.ReplyMode)); err != nil {
		return s, Coded(InvalidArgument, err)
	}
	step, err := m.desk.Lacks(s.ReplyMode)
	switch {
	case err != nil:
		return s, err
	case step != nil:
		return s, invalid("use pass_to_client, or "+step.Provide,
			"reply mode %s needs %s, and there is none", s.ReplyMode, step.Needs)
	}
	if len(s.Client) > 0 && !json.Valid(s.Client) {
		return s, invalid("", "the client's own settings are not JSON")
	}
	return s, nil
}

// steps is the effective limit of a call: what was asked for, at most what is configured.
func (o *Options) steps(asked int) (int, error) {
	if asked < 0 {
		return 0, invalid("leave max_steps out for the configured maximum",
			"max_steps is %d (want at least 1)", asked)
	}
	most := o.Limits.Steps
	return min(cmp.Or(asked, most), most), nil
}
