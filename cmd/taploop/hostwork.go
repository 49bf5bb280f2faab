package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
)

// hostWork is a session of agents, from its beginning or going on.
type hostWork struct {
	app     *app
	deps    *deps
	client  string // whom the session belongs to
	key     string // of the client's, that stands for a new session; "" for none
	by      runs.Actor
	lines   *hostLines
	servers []agents.ServerSettings
	sess    store.Session
	run     store.Run
	models  hostModels
}

func newHostWork(a *app, d *deps, lines *hostLines) *hostWork {
	return &hostWork{app: a, deps: d, lines: lines, by: operator(), models: hostModels{app: a,
		open: map[string]*agents.Priced{}}}
}

// What ends work besides itself: another process that has stopped or paused its run, and silence to
// a question of it.
var (
	errStoppedElsewhere = errors.New("another process stopped it")
	errUnanswered       = errors.New("nobody has answered in time (questions.attention)")
	errUndecided        = errors.New("nobody has decided in time (questions.attention)")
)

// hostEnd is how work ended, as programs are shown it.
type hostEnd struct {
	SessionID  string               `json:"session_id"`
	Goal       string               `json:"goal"`
	State      store.State          `json:"state"`
	StopReason agentloop.StopReason `json:"stop_reason"`
	Answer     string               `json:"answer,omitempty"`
	Message    string               `json:"message,omitempty"`
	Hint       string               `json:"hint,omitempty"`
	Next       string               `json:"next,omitempty"` // the command that goes on
	Usage      agents.Spent         `json:"usage"`
	Agents     []shownAgent         `json:"agents"`
}

// open connects to the servers. What it opened is ended with the function that it returns.
func (w *hostWork) open(ctx context.Context) (*agents.Host, func(), error) {
	var servers []agents.Server
	var open []*proxy.Proxy
	end := func() {
		var closing sync.WaitGroup
		for _, p := range open {
			closing.Go(p.Close)
		}
		closing.Wait()
		w.models.close()
	}
	for _, s := range w.servers {
		p, err := w.app.proxy(proxy.Options{Name: s.Name, Target: *w.app.mcpTarget(s),
			Session: w.sess.ID, Channels: w.deps.channels, Stdio: true,
			Wait: func(string, bool) time.Duration { return wholeQuestion }},
			w.deps.manager.Broker())
		if err != nil {
			end()
			return nil, nil, err
		}
		open = append(open, p)
		servers = append(servers, agents.Server{Name: s.Name, Proxy: p})
	}
	h := agents.New(ctx, w.options(), servers)
	return h, func() { h.Close(); end() }, nil
}

// wholeQuestion is longer than any question stays open.
const wholeQuestion = 10 * 365 * 24 * time.Hour

// mcpTarget is a server of a file.
func (w *wiring) mcpTarget(s agents.ServerSettings) *proxy.Target {
	t := newTarget(environment(w.opts.Environ))
	t.URL, t.Dir = s.URL, s.Dir
	if s.Command != "" {
		t.Command = append([]string{s.Command}, s.Args...)
	}
	for name, value := range s.Env {
		t.Env = append(t.Env, name+"="+value) // the last one counts
		if secretName.MatchString(name) {
			t.Secrets = append(t.Secrets, value)
		}
	}
	for name, value := range s.Headers {
		t.header(name, value)
	}
	return t.Target
}

func (w *hostWork) options() *agents.Options {
	c := w.app.conf.Host
	o := &agents.Options{Session: w.sess.ID, Roles: map[string]agents.Role{}, Model: w.models.get,
		Textual: c.Textual, Lang: w.app.conf.Model.Lang,
		Limits: agents.Limits{Rounds: c.MaxRounds, Calls: c.MaxCalls,
			Depth: cmp.Or(c.MaxDepth, -1), Time: c.MaxTime, Cost: c.MaxCost}}
	for name, r := range c.Roles {
		o.Roles[name] = agents.Role(r)
	}
	var hasMain bool
	if o.Main, hasMain = o.Roles["main"]; hasMain {
		delete(o.Roles, "main")
	}
	if o.Main.Roles == nil {
		for name := range o.Roles {
			o.Main.Roles = append(o.Main.Roles, name)
		}
	}
	o.Phones = &hostPhones{work: w, taken: map[string]bool{}}
	o.People = hostPeople{w}
	o.Journal = hostJournal{w.deps.store.Entries(w.run)}
	if w.lines != nil {
		o.Observe = w.lines.event
	}
	return o
}

// hostJournal is a session's, in the store.
type hostJournal struct{ *store.Entries }

func (j hostJournal) Append(ctx context.Context, e agents.Entry) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return j.Entries.Append(ctx, body)
}

// work carries the work out, stores how it ended, and tells that. said is for the first agent.
func (w *hostWork) work(ctx context.Context, said string) (hostEnd, error) {
	h, closeHost, err := w.open(ctx)
	if err != nil {
		return hostEnd{}, errors.Join(err, w.pause(ctx, agentloop.NotStarted, err))
	}
	journal, err := w.deps.store.Entries(w.run).All(ctx)
	if err != nil {
		closeHost()
		return hostEnd{}, errors.Join(err, w.pause(ctx, agentloop.NotStarted, err))
	}
	w.lines.begin(w.sess.ID, h)
	working, cancel := context.WithCancelCause(ctx)
	var helpers sync.WaitGroup
	helpers.Go(func() { w.watch(working, cancel) })
	if w.lines != nil {
		helpers.Go(func() { w.questions(working) })
	}
	answer, err := h.Work(working, w.run.Task, said, journal)
	cancel(nil)
	helpers.Wait()
	closeHost()
	return w.end(context.WithoutCancel(ctx), h, answer, err)
}

// watch ends the work when another process stops or pauses the run, and when nobody answers what
// it asks and nobody is at a terminal.
func (w *hostWork) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	began := time.Now()
	for wait.For(ctx, sweepEvery) == nil {
		run, err := w.deps.store.Runs.Get(ctx, w.run.ID)
		if err == nil && (run.State != store.Running || run.Fence != w.run.Fence) {
			cancel(errStoppedElsewhere)
			return
		}
		if w.lines == nil || w.lines.person != nil {
			continue
		}
		if err := w.silence(ctx, began); err != nil {
			cancel(err)
			return
		}
	}
}

// silence is nil while every question of the agents is waited for, each as long as people are
// given, since this life began.
func (w *hostWork) silence(ctx context.Context, began time.Time) error {
	open, err := w.deps.manager.Broker().List(ctx,
		inquiry.Filter{SessionID: w.sess.ID, Status: inquiry.Pending})
	if err != nil {
		w.app.log.WarnContext(ctx, "looking at the questions", "error", err)
	}
	for _, q := range open {
		since := began
		if q.AskedAt.After(began) {
			since = q.AskedAt
		}
		switch {
		case time.Since(since) < w.app.conf.Questions.Attention || q.OnTimeout != inquiry.Pause:
		case q.Kind == inquiry.KindApproval:
			return errUndecided
		default:
			return errUnanswered
		}
	}
	return nil
}

// questions asks at the terminal what waits for a person, in the session and those of its phones,
// one after the other, or says where it can be answered, until ctx ends.
func (w *hostWork) questions(ctx context.Context) {
	events := w.deps.manager.Broker().Subscribe()
	defer events.Close()
	known := map[string]bool{}
	for {
		open, err := w.deps.manager.Asked(ctx, w.sess)
		if err != nil && ctx.Err() == nil {
			w.lines.line("%s", text.Line(err.Error()))
		}
		for _, q := range open {
			if !known[q.ID] {
				known[q.ID] = true
				w.question(ctx, q)
			}
		}
		for e := (inquiry.Event{}); e.Type != inquiry.Created && e.Type != inquiry.Lost; {
			if e, err = events.Next(ctx); err != nil {
				return
			}
		}
	}
}

func (w *hostWork) question(ctx context.Context, q inquiry.Question) {
	if !w.lines.asks() {
		w.lines.waits(q)
		return
	}
	err := w.deps.manager.AskHere(ctx, q, nil)
	w.lines.asked()
	if err != nil && ctx.Err() == nil { // it stays open
		w.lines.waits(q)
	}
}

// pause stores that the work is at rest.
func (w *hostWork) pause(ctx context.Context, why agentloop.StopReason, because error) error {
	ctx = context.WithoutCancel(ctx)
	c := store.Change{To: store.Paused, From: []store.State{store.Running},
		Fence: w.run.Fence, Reason: why}
	if because != nil {
		c.Err = text.Line(because.Error())
	}
	run, err := w.deps.store.Runs.Transition(ctx, w.run.ID, c)
	if err == nil {
		w.run = run
	}
	return err
}

// end stores how the work ended, and tells it.
func (w *hostWork) end(ctx context.Context, h *agents.Host, answer string, err error) (
	hostEnd, error) {
	e := hostEnd{SessionID: w.sess.ID, Goal: w.run.Task, Usage: h.Spent()}
	switch {
	case err == nil:
		run, failed := w.deps.store.Runs.Transition(ctx, w.run.ID, store.Change{
			To: store.Completed, From: []store.State{store.Running}, Fence: w.run.Fence,
			Reason: agentloop.TaskCompleted, Answer: answer})
		if failed != nil {
			return e, failed
		}
		w.run = run
	case errors.Is(err, errStoppedElsewhere) || errors.Is(err, store.ErrFenced):
		run, failed := w.deps.store.Runs.Get(ctx, w.run.ID)
		if failed != nil {
			return e, failed
		}
		w.run = run
	default:
		reason, remedy := reasonOf(err)
		e.Hint = remedy
		if reason == agentloop.UserPaused {
			err = nil
		}
		if failed := w.pause(ctx, reason, err); failed != nil {
			return e, errors.Join(err, failed)
		}
	}
	e.State, e.StopReason = w.run.State, w.run.StopReason
	e.Answer, e.Message = w.run.Answer, w.run.Error
	if !w.run.State.Terminal() {
		e.Next = "taploop host --resume " + w.sess.ID
	} else if err := w.withdraw(ctx); err != nil {
		return e, err
	}
	var failed error
	e.Agents, _, failed = shownAgents(ctx, w.deps.store, w.run)
	return e, failed
}

// reasonOf is why work that ended with the error is paused, and what can be done about it.
func reasonOf(err error) (agentloop.StopReason, string) {
	for _, e := range endings {
		if errors.Is(err, e.err) {
			return e.reason, e.hint
		}
	}
	if m, ok := errors.AsType[*model.Error](err); ok {
		if m.Kind == model.Unauthorized {
			return agentloop.ModelKeyRefused, hint.Of(err)
		}
		return agentloop.ModelError, hint.Of(err)
	}
	if errors.Is(err, context.Canceled) {
		return agentloop.UserPaused, ""
	}
	return agentloop.InternalError, hint.Of(err)
}

// withdraw takes the session's open questions back.
func (w *hostWork) withdraw(ctx context.Context) error {
	b := w.deps.manager.Broker()
	open, err := b.List(ctx, inquiry.Filter{SessionID: w.sess.ID, Status: inquiry.Pending})
	for _, q := range open {
		err = errors.Join(err, b.Withdraw(ctx, q.ID, "the work has ended"))
	}
	return err
}

// hostModels are the models of roles, each opened once.
type hostModels struct {
	app  *app
	mu   sync.Mutex
	open map[string]*agents.Priced
	ends []func() error
}

// get is the model with the name: a profile of models, or one of the endpoint; "" is the configured
// one.
func (m *hostModels) get(name string) (agents.Priced, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p := m.open[name]; p != nil {
		return *p, nil
	}
	conf := m.app.conf
	if name != "" {
		all, err := m.app.named([]string{name})
		if err != nil {
			return agents.Priced{}, err
		}
		conf = all[name]
	}
	client, end, err := m.app.models().open(conf.Model)
	if err != nil {
		return agents.Priced{}, err
	}
	m.ends = append(m.ends, end)
	p := &agents.Priced{Model: client, Prompt: conf.Model.PromptPrice, Reply: conf.Model.ReplyPrice}
	m.open[name] = p
	return *p, nil
}

func (m *hostModels) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, end := range m.ends {
		if err := end(); err != nil {
			m.app.log.Warn("the recording of a model", "error", err)
		}
	}
	m.ends = nil
}

// hostPeople asks people what agents want to know.
type hostPeople struct{ *hostWork }

// Ask implements agents.People. The question is in the inbox like any other.
func (p hostPeople) Ask(ctx context.Context, key, question string, choices []string) (
	string, error) {
	b := p.deps.manager.Broker()
	q := inquiry.Question{Kind: inquiry.KindInquiry, Client: p.client, SessionID: p.sess.ID, Key: key,
		Task: p.run.Task, Text: question, Body: &inquiry.Ask{Options: choices, FreeText: len(choices) > 0},
		OnTimeout: inquiry.Pause}
	switch p.app.conf.Questions.OnTimeout {
	case string(inquiry.GoOn), string(inquiry.GiveUp): // the agent is told that no answer came
		q.OnTimeout = inquiry.GoOn
	}
	q.Secret = q.AsksForSecret()
	for _, name := range p.deps.channels {
		q.Channels = append(q.Channels, inquiry.Channel{Name: name})
	}
	asked, err := b.Open(ctx, q)
	if errors.Is(err, inquiry.ErrKeyTaken) {
		var list []inquiry.Question
		list, err = b.List(ctx, inquiry.Filter{Client: &p.client, Key: key})
		if len(list) > 0 {
			asked = list[0]
		}
	}
	if err != nil {
		if errors.Is(err, inquiry.ErrInvalid) {
			return "the question could not be asked: " + text.Line(err.Error()), nil
		}
		return "", err
	}
	if asked, err = b.Wait(ctx, asked.ID); err != nil {
		return "", err
	}
	if used, err := b.Apply(ctx, asked.ID, asked.Fence); err == nil {
		asked = used
	}
	return answerOf(asked), nil
}

// answerOf is what became of a question, for the model.
func answerOf(q inquiry.Question) string {
	switch r := q.Resolution; {
	case q.Secret:
		return "the person answered with a secret, which is not shown to agents"
	case q.Status == inquiry.Answered && r.Type == inquiry.TypeDelegate:
		return "the person leaves it to you"
	case q.Status == inquiry.Answered:
		return "the person answers: " + r.Response.String()
	case q.Status == inquiry.Refused:
		return "the person refuses to answer"
	}
	return "no answer came in time"
}
