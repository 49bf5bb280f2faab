package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/caption"
	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/channel"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/model"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// deps is all that carries runs out, wired from a configuration.
type deps struct {
	store    *session.Store
	host     *device.Host
	manager  *runs.Manager
	url      string         // as in overrides
	channels []string       // through which every question can be answered
	closers  []func() error // in the order of opening
}

// overrides are what a command adds to the dependencies, or leaves out.
type overrides struct {
	console   runs.Console
	observe   func(runs.Event)
	url       string        // where people reach the server; "" when it serves no HTTP
	grace     time.Duration // how long a run goes on unattached; 0 means for ever
	handOver  bool          // see runs.Options
	storeOnly bool          // no run is to be carried out: models are opened only if one is
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
	if d.host, err = a.host(d.store); err != nil {
		return d, err
	}
	q := a.conf.Questions
	opts := &runs.Options{
		Store: d.store, Phones: phones{d.host}, Broker: a.broker(d.store), Console: o.console,
		ConsoleLang: a.lang(),
		Limits: agentloop.Limits{Steps: a.conf.Loop.MaxSteps, Time: a.conf.Loop.MaxTime,
			Settle: a.conf.Loop.SettleTimeout, Questions: q.PerRun},
		HandOver: o.handOver, KeepApps: a.conf.Loop.KeepApps, AskEarly: a.conf.AsksEarly(),
		OnTimeout: a.onTimeout(), Attention: q.Attention,
		OnUndecided: inquiry.OnTimeout(q.OnUndecided), Draft: channel.Mode(q.Draft),
		Lang: a.conf.Model.Lang, Observe: o.observe, DetachGrace: o.grace,
		Channels: d.channels, Log: a.log,
	}
	if m := channel.Mode(q.OnRefusal); m.IsModel() {
		opts.OnRefusal = m
	}
	if err := a.guardRuns(ctx, opts, !o.storeOnly); err != nil {
		return d, err
	}
	if !o.storeOnly {
		p, err := a.policies()
		if err != nil {
			return d, err
		}
		d.closers = append(d.closers, p.close)
		opts.NewPolicy, opts.Answerer = p.choose, p.captioner
		if opts.Deciders, err = a.deciders(p); err != nil {
			return d, err
		}
	} else {
		opts.NewPolicy = func(s runs.Settings) (agentloop.Policy, error) {
			p, err := a.policies() // they end with the process
			if err != nil {
				return nil, err
			}
			return p.choose(s)
		}
	}
	d.manager = runs.New(opts)
	d.closers = append(d.closers, d.manager.Close)
	return d, nil
}

// onTimeout is what silence to a question leads to.
func (a *app) onTimeout() inquiry.OnTimeout {
	if a.conf.Questions.OnTimeout == "auto" { // the channel's short name
		return inquiry.AskModel
	}
	return inquiry.OnTimeout(a.conf.Questions.OnTimeout)
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

// policies are what decides in runs, by what is put in words, and what answers in a person's place.
type policies struct {
	plain, captioned, lastCaptioned agentloop.Policy
	captioner                       *caption.Captioner
	transport                       http.RoundTripper // of the models' clients; nil is their own
	close                           func() error
}

// choose is the policy of a run.
func (p *policies) choose(s runs.Settings) (agentloop.Policy, error) {
	switch {
	case s.Captions:
		return p.captioned, nil
	case s.FinalCaption:
		return p.lastCaptioned, nil
	}
	return p.plain, nil
}

// policies opens the models of the configuration.
func (a *app) policies() (p *policies, err error) {
	c := a.conf
	transport, finish, err := a.openTransport(c.Model)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, finish())
		}
	}()
	decider, err := model.New(deciderOptions(c.Model, transport, a))
	if err != nil {
		return nil, err
	}
	helper, err := model.New(helperOptions(c.Caption, transport, a))
	if err != nil {
		return nil, err
	}
	captioner, err := caption.New(helper, &caption.Options{Lang: c.Caption.Lang})
	if err != nil {
		return nil, err
	}
	spoken, err := a.dialect()
	if err != nil {
		return nil, usageError{err}
	}
	o := &policy.Options{Log: a.log}
	plain := policy.New(spoken, decider, o)
	return &policies{
		plain: plain, captioned: policy.WithCaptions(plain, captioner, o),
		lastCaptioned: policy.WithFinalCaption(plain, captioner, o), captioner: captioner,
		transport: transport,
		close:     func() error { decider.Close(); helper.Close(); return finish() },
	}, nil
}

// dialect is how the configured model is prompted and read.
func (a *app) dialect() (dialect.Dialect, error) {
	o, err := a.prompting()
	if err != nil {
		return nil, err
	}
	return families.Known.New(a.conf.Model.Dialect, &o)
}

// prompting is what the configuration says of prompts, in whatever dialect.
func (a *app) prompting() (o dialect.Options, err error) {
	m := a.conf.Model
	o = dialect.Options{Model: m.Name, Lang: m.Lang, Quality: m.ImageQuality}
	if m.ImageSize != config.Auto {
		fit, err := screen.ParseFit(m.ImageSize)
		if err != nil {
			return o, fmt.Errorf("model.image_size: %w", err)
		}
		o.Fit = &fit
	}
	if m.Coordinates != config.Auto {
		c, err := screen.ParseCoordinates(m.Coordinates)
		if err != nil {
			return o, fmt.Errorf("model.coordinates: %w", err)
		}
		o.Coordinates = &c
	}
	if m.PromptTemplate == "" {
		return o, nil
	}
	d, err := families.Known.New(m.Dialect, &o)
	if err != nil {
		return o, err
	}
	if o.Template, err = readTemplate(m.PromptTemplate, d.Profile().Lang); err != nil {
		return o, err
	}
	lacks, err := dialect.CheckTemplate(o.Template, d)
	if err != nil {
		return o, templateError(m.PromptTemplate, err)
	}
	return o, blind(m.PromptTemplate, lacks)
}

// blind is the error of a template without which no step can be decided: one that shows no screen
// or no task.
func blind(file string, lacks []dialect.Lack) error {
	var without []string
	for _, l := range lacks {
		if l.Variable == ".Picture" || l.Variable == ".Task" {
			without = append(without, fmt.Sprintf("%s (%s)", l.Variable, l.Means))
		}
	}
	if without == nil {
		return nil
	}
	return hint.Add(fmt.Errorf("the template %s: it does not show %s", file,
		strings.Join(without, " and ")), "taploop prompt check "+text.Line(file))
}

// openTransport records or replays when the configuration says so; nil is the client's own. What
// was recorded is whole when finish has returned.
func (a *app) openTransport(m config.Model) (
	t http.RoundTripper, finish func() error, err error,
) {
	switch {
	case m.Replay != "" || m.ReplayOrModel != "":
		r, err := a.replayer(m)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	case m.Record != "":
		r, err := model.NewRecorder(m.Record, nil)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}
	return nil, func() error { return nil }, nil
}

// replayer plays a cassette, and says what of it is not checked.
func (a *app) replayer(m config.Model) (*model.Replayer, error) {
	like := screen.Likeness{Tolerance: m.ReplayTolerance}
	for _, s := range m.ReplayMasks {
		mask, err := screen.ParseMask(s)
		if err != nil {
			return nil, usageError{err}
		}
		like.Masks = append(like.Masks, mask)
	}
	opts := model.ReplayOptions{Compare: policy.Compare(like)}
	file := cmp.Or(m.Replay, m.ReplayOrModel)
	if m.ReplayOrModel != "" {
		opts.OrModel = cmp.Or(m.Record, m.ReplayOrModel+".new")
		if err := unrecorded(opts.OrModel); err != nil {
			return nil, err
		}
		opts.Parted = func(why error) {
			a.notef(wordsIn(a.lang()).parted, text.Line(why.Error()), text.Line(opts.OrModel))
		}
	}
	r, err := model.NewReplayer(file, &opts)
	if err == nil && r.Unseen() {
		a.notef(wordsIn(a.lang()).unseen, text.Line(file))
	}
	return r, err
}

// openModel opens the client of a model of its own. end closes it, and finishes what it records.
func (a *app) openModel(m config.Model) (client *model.Client, end func() error, err error) {
	transport, finish, err := a.openTransport(m)
	if err != nil {
		return nil, nil, err
	}
	if client, err = model.New(deciderOptions(m, transport, a)); err != nil {
		return nil, nil, errors.Join(err, finish())
	}
	return client, func() error { client.Close(); return finish() }, nil
}

func deciderOptions(m config.Model, t http.RoundTripper, a *app) *model.Options {
	return &model.Options{
		BaseURL: m.BaseURL, Name: m.Name, APIKey: m.APIKey, Temperature: &m.Temperature,
		TopP: &m.TopP, FrequencyPenalty: &m.FrequencyPenalty, MaxTokens: m.MaxTokens,
		Extra: m.Extra, Timeout: m.Timeout, Retries: attempts(m.Retries), Transport: t, Log: a.log,
	}
}

func helperOptions(c config.Caption, t http.RoundTripper, a *app) *model.Options {
	return &model.Options{
		BaseURL: c.BaseURL, Name: c.Name, APIKey: c.APIKey, Extra: c.Extra, Timeout: c.Timeout,
		Retries: attempts(c.Retries), Transport: t, Env: "TAPLOOP_CAPTION_", Log: a.log,
	}
}

// attempts says no retries as model.Options does: its 0 means the default.
func attempts(retries int) int {
	if retries == 0 {
		return -1
	}
	return retries
}
