package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/agents/goals"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
)

// deps is all that carries runs out, wired from a configuration.
type deps struct {
	store    *store.Store
	host     *device.Host
	phones   runs.Phones // of the host, for all who look at one
	manager  *runs.Manager
	goals    *goals.Goals   // nil when no goals of agents are worked on
	url      string         // as in overrides
	channels []string       // through which every question can be answered
	closers  []func() error // in the order of opening
}

// overrides are what a command adds to the dependencies, or leaves out.
type overrides struct {
	console  terminal.Lines
	observe  func(runs.Event)
	url      string        // where people reach the server; "" when it serves no HTTP
	grace    time.Duration // how long a run goes on unattached; 0 means for ever
	handOver bool          // see runs.Options
	// around gives the phones that are used in place of those of the host, for example with a mask
	// over every picture; nil leaves them as they are
	around    func(runs.Phones) runs.Phones
	host      *hosting // nil when no goals of agents are worked on
	storeOnly bool     // no run is to be carried out: models are opened only if one is
}

// open wires the dependencies. The caller closes them, which waits for all that runs.
func (a *app) open(ctx context.Context, o overrides) (d *deps, err error) {
	d = &deps{url: o.url, channels: []string{inquiry.ChannelCommandLine}}
	if o.url != "" {
		d.channels = []string{inquiry.ChannelPage, inquiry.ChannelCommandLine}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	if d.store, err = a.store(ctx, nil); err != nil {
		return d, err
	}
	d.closers = append(d.closers, d.store.Close)
	if d.host, err = a.host(d.store.Keyboards); err != nil {
		return d, err
	}
	d.phones = phones{d.host}
	if o.around != nil {
		d.phones = o.around(d.phones)
	}
	opts := a.runOptions(d, o)
	if err := a.guardRuns(ctx, opts, !o.storeOnly); err != nil {
		return d, err
	}
	if o.storeOnly {
		opts.NewPolicy = a.policyWhenNeeded
	} else if err := a.openModels(d, opts); err != nil {
		return d, err
	}
	if o.host != nil {
		if d.goals, err = a.goals(d, opts.Broker, o.host); err != nil {
			return d, err
		}
		opts.Goals = d.goals
	}
	d.manager = runs.New(opts)
	d.closers = append(d.closers, d.manager.Close)
	return d, nil
}

// runOptions are those of the configuration and the command, without guard and models.
func (a *app) runOptions(d *deps, o overrides) *runs.Options {
	q := a.conf.Questions
	opts := &runs.Options{
		Store: d.store, Phones: d.phones, Broker: a.broker(d.store),
		Options: asking.Options{Channels: d.channels, Attention: q.Attention,
			Draft: channel.Mode(q.Draft)},
		ConsoleLang: a.lang(),
		Limits: agentloop.Limits{Steps: a.conf.Loop.MaxSteps, Time: a.conf.Loop.MaxTime,
			Settle: a.conf.Loop.SettleTimeout, Questions: q.PerRun},
		HandOver: o.handOver, KeepApps: a.conf.Loop.KeepApps, AskEarly: a.conf.AsksEarly(),
		OnTimeout: a.onTimeout(), OnUndecided: inquiry.OnTimeout(q.OnUndecided),
		Lang: a.conf.Model.Lang, Observe: o.observe, DetachGrace: o.grace,
		Log: a.log,
	}
	if o.console != nil {
		opts.Console = terminal.New(o.console, a.lang())
	}
	if m := channel.Mode(q.OnRefusal); m.IsModel() {
		opts.OnRefusal = m
	}
	return opts
}

// openModels opens the models that act, answer and decide, and puts them into the runs.
func (a *app) openModels(d *deps, opts *runs.Options) error {
	p, err := a.models().policies()
	if err != nil {
		return err
	}
	d.closers = append(d.closers, p.close)
	opts.NewPolicy, opts.Answerer = p.choose, p.captioner
	opts.Deciders, err = a.models().deciders(p)
	return err
}

// policyWhenNeeded opens the models only for a run that is carried out after all.
func (a *app) policyWhenNeeded(s runs.Settings) (agentloop.Policy, error) {
	p, err := a.models().policies() // they end with the process
	if err != nil {
		return nil, err
	}
	return p.choose(s)
}

// onTimeout is what silence to a question leads to.
func (w *wiring) onTimeout() inquiry.OnTimeout {
	if w.conf.Questions.OnTimeout == "auto" { // the channel's short name
		return inquiry.AskModel
	}
	return inquiry.OnTimeout(w.conf.Questions.OnTimeout)
}

// with loads the configuration and lends its dependencies to use. They are closed when it returns,
// which waits for all that runs.
func (a *app) with(ctx context.Context, o overrides, use func(*deps) error) error {
	if err := a.load(); err != nil {
		return err
	}
	d, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	return closing(use(d), d.Close)
}

// closing closes and returns err, or else why that went wrong.
func closing(err error, done func() error) error { return cmp.Or(err, done()) }

// Close closes everything in reverse order.
func (d *deps) Close() error {
	var errs []error
	for _, c := range slices.Backward(d.closers) {
		errs = append(errs, c())
	}
	d.closers = nil
	return errors.Join(errs...)
}
