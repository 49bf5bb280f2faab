package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/agents/goals"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/telemetry"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/usecase"
)

// Parts carry runs out.
type Parts struct {
	Store    *store.Store
	Host     *device.Host
	Phones   runs.Phones // of the farm, for all who look at one
	Farm     *Farm       // over the phones of the host
	Manager  *runs.Manager
	Judge    *Judge          // nil under Options.StoreOnly
	Cases    *usecase.Cases  // over the Manager
	UseCases usecase.Options // of Cases
	Goals    *goals.Goals    // nil without Options.Host
	URL      string          // as in Options
	Channels []string        // through which every question can be answered
	closers  []func() error  // in the order of opening
	labels   *model.Client   // says what labels of screens do, nil if none does
}

// Options are what a command adds to the parts, or leaves out.
type Options struct {
	Store    *store.Store // one that is open, which is closed with the parts; nil opens it
	Phones   *store.Store // whose leases and names of phones hold, nil for Store
	Console  terminal.Lines
	Observe  func(runs.Event)
	Told     func(report string) // see runs.Options
	Expected terminal.Replies    // see asking.Options
	URL      string              // where people reach the server, "" if it serves no HTTP
	Grace    time.Duration       // how long a run continues without a client, 0 means for ever
	HandOver bool                // see runs.Options
	Reunite  bool                // alike
	Drained  func()              // called when a person has drained this worker
	Waits    bool                // who follows a run waits for a phone that has gone away
	// Around returns the phones that take the place of the host's, for example with a mask over
	// every picture. Nil keeps the host's.
	Around    func(runs.Phones) runs.Phones
	Privacy   usecase.Privacy // of what clients are sent
	Host      *Hosting        // nil if no goals of agents are worked on
	StoreOnly bool            // no run is to be carried out: models are opened only if one is
}

// Open makes the parts. The caller closes them.
func Open(ctx context.Context, s *Settings, o Options) (d *Parts, err error) {
	d = &Parts{URL: o.URL, Channels: []string{inquiry.ChannelCommandLine}}
	if o.URL != "" {
		d.Channels = []string{inquiry.ChannelPage, inquiry.ChannelCommandLine}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.Store = o.Store; d.Store == nil {
		if d.Store, err = OpenStore(ctx, s, nil); err != nil {
			return d, err
		}
	}
	d.OnClose(d.Store.Close)
	if d.Host, err = NewHost(s, cmp.Or(o.Phones, d.Store)); err != nil {
		return d, err
	}
	traces := telemetry.Open(ctx, &telemetry.Options{Getenv: s.Options.Getenv, Version: s.Version,
		Log: s.Log})
	d.OnClose(func() error { s.noteTraces(traces.Close()); return nil })
	d.Farm = NewFarm(s, d.Store, d.Host, o.Around)
	d.Phones = d.Farm
	opts := runOptions(s, d, o)
	opts.Observe = Both(o.Observe, traces.Observe)
	if err := guardRuns(ctx, s, opts, !o.StoreOnly, judging(s, d)); err != nil {
		return d, err
	}
	if o.StoreOnly {
		opts.NewPolicy = NewModels(s).policyWhenNeeded
	} else if err := d.openModels(s, opts); err != nil {
		return d, err
	}
	if o.Host != nil {
		if d.Goals, err = newGoals(s, opts, o.Host); err != nil {
			return d, err
		}
		opts.Goals = d.Goals
	}
	d.Manager = runs.New(opts)
	d.OnClose(d.Manager.Close)
	d.openCases(s, o)
	return d, nil
}

// Both returns an observer of runs that calls first, unless it is nil, and then second.
func Both(first, second func(runs.Event)) func(runs.Event) {
	return func(e runs.Event) {
		if first != nil {
			first(e)
		}
		second(e)
	}
}

// openCases creates the use cases over all that is open.
func (d *Parts) openCases(s *Settings, o Options) {
	d.UseCases = usecase.Options{Runs: d.Manager, Skills: skill.Folder(s.Conf.Skills.Dir),
		SkillTools: s.Conf.Skills.Tools, MostSkills: s.Conf.Skills.MaxTools,
		UseSkills: usecase.SkillUse(s.Conf.Skills.Use), Goals: o.Host != nil,
		Questions: d.Manager.Broker(), Store: d.Store,
		Leases: d.Store.Leases, Phones: d.Phones, ReplyMode: channel.Mode(s.Conf.Reply.Mode),
		OnTimeout: s.OnTimeout(), Drafts: s.Conf.Questions.Draft != "",
		MaxSteps: s.Conf.Loop.MaxSteps, Privacy: o.Privacy, Channels: d.Channels, Log: s.Log}
	if o.Waits {
		d.UseCases.Reconnect = s.Conf.Device.Reconnect
	}
	d.Cases = usecase.New(&d.UseCases)
}

// runOptions returns the options of runs, without guard and models.
func runOptions(s *Settings, d *Parts, o Options) *runs.Options {
	q := s.Conf.Questions
	opts := &runs.Options{
		Store: d.Store, Phones: d.Phones, Neighbours: d.Farm.neighbours(),
		Broker: NewBroker(s, d.Store),
		Asking: asking.Options{Channels: d.Channels, Attention: q.Attention,
			Draft: channel.Mode(q.Draft)},
		ConsoleLang: s.Lang(),
		Limits: agentloop.Limits{Steps: s.Conf.Loop.MaxSteps, Time: s.Conf.Loop.MaxTime,
			Settle: s.Conf.Loop.SettleTimeout, Questions: q.PerRun},
		HandOver: o.HandOver, Reunite: o.Reunite, KeepApps: s.Conf.Loop.KeepApps,
		AskEarly: s.Conf.AsksEarly(), AskEarlyAlways: s.Conf.Loop.AskEarly == config.On,
		OnTimeout: s.OnTimeout(), OnUndecided: inquiry.OnTimeout(q.OnUndecided),
		Lang: s.ModelLang(), DetachGrace: o.Grace,
		Log: s.Log, Told: o.Told,
	}
	if len(o.Expected) > 0 {
		opts.Asking.Expected = func(q inquiry.Question) (inquiry.Reply, bool) {
			r, ok := o.Expected.To(q)
			by := Operator()
			r.Channel, r.Authority, r.By = by.Channel, by.Authority, by.Name
			return r, ok
		}
	}
	if o.Console != nil {
		opts.Asking.Console = terminal.New(o.Console, s.Lang())
	}
	if m := channel.Mode(q.OnRefusal); m.IsModel() {
		opts.Asking.OnRefusal = m
	}
	return opts
}

// openModels opens the models that act, answer and decide, and puts them into the runs.
func (d *Parts) openModels(s *Settings, opts *runs.Options) error {
	ms := NewModels(s)
	p, err := ms.Policies()
	if err != nil {
		return err
	}
	d.OnClose(p.Close)
	opts.NewPolicy, opts.Asking.Answerer = p.choose, p.captioner
	if opts.NewVerifier, err = ms.verifiers(p, d); err != nil {
		return err
	}
	if opts.Asking.Deciders, err = ms.deciders(p); err != nil {
		return err
	}
	judging, err := ms.openFor("", "", p, d)
	if err != nil {
		return err
	}
	d.Judge = &Judge{judging, s.ModelLang()}
	d.labels, err = ms.labeller(p, d)
	return err
}

// policyWhenNeeded opens the models for a run that is carried out after all.
func (ms *Models) policyWhenNeeded(s runs.Settings) (agentloop.Policy, error) {
	p, err := ms.Policies() // closed by the end of the process
	if err != nil {
		return nil, err
	}
	return p.choose(s)
}

// With loads the settings and lends the parts to use. It closes them when use returns.
func With(ctx context.Context, s *Settings, o Options, use func(*Parts) error) error {
	if err := s.Load(); err != nil {
		return err
	}
	d, err := Open(ctx, s, o)
	if err != nil {
		return err
	}
	return Closing(use(d), d.Close)
}

// Closing calls done. It returns err, or else the error of done.
func Closing(err error, done func() error) error { return cmp.Or(err, done()) }

// OnClose has Close call f before what was opened earlier is closed.
func (d *Parts) OnClose(f func() error) { d.closers = append(d.closers, f) }

// Close closes everything in reverse order, and waits for all that runs.
func (d *Parts) Close() (err error) {
	for _, c := range slices.Backward(d.closers) {
		err = errors.Join(err, c())
	}
	d.closers = nil
	return err
}
