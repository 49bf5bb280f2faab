package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/caption"
	"github.com/taploop/taploop/config"
	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/model"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// deps is all that carries runs out, wired from a configuration.
type deps struct {
	store   *session.Store
	host    *device.Host
	manager *runs.Manager
	url     string         // as in parts
	doors   []string       // through which every question can be answered
	closers []func() error // in the order of opening
}

// overrides are what a command adds to the works.
type overrides struct {
	console runs.Console
	observe func(runs.Event)
	url     string        // where people reach the server; "" when it serves no HTTP
	doors   []string      // through which every question can be answered, beside the command line
	grace   time.Duration // how long a run goes on with nobody attached; 0 means for ever
}

// open wires the works. The caller closes them, which waits for all that runs.
func (a *app) open(ctx context.Context, p overrides) (w *deps, err error) {
	w = &deps{url: p.url, doors: append(p.doors, inquiry.ChannelCommandLine)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if w.store, err = session.Open(ctx, a.conf.DataDir, nil); err != nil {
		return w, err
	}
	w.closers = append(w.closers, w.store.Close)
	if w.host, err = a.host(); err != nil {
		return w, err
	}
	w.closers = append(w.closers, w.host.Close)
	mind, answerer, err := w.policies(a)
	if err != nil {
		return w, err
	}
	q := a.conf.Questions
	w.manager = runs.New(&runs.Options{
		Store: w.store, Phones: phones{w.host}, NewPolicy: mind, Broker: a.broker(w.store), Answerer: answerer, Console: p.console,
		Limits:    agentloop.Limits{Steps: a.conf.Loop.MaxSteps, Time: a.conf.Loop.MaxTime, Settle: a.conf.Loop.SettleTimeout, Questions: q.PerRun},
		OnTimeout: inquiry.OnTimeout(q.OnTimeout), Attention: q.Attention, Lang: a.conf.Model.Lang, Observe: p.observe, DetachGrace: p.grace,
		Doors: w.doors, Log: a.log,
	})
	w.closers = append(w.closers, w.manager.Close)
	return w, nil
}

// Close closes everything in reverse order.
func (w *deps) Close() error {
	var errs []error
	for i := len(w.closers) - 1; i >= 0; i-- {
		errs = append(errs, w.closers[i]())
	}
	w.closers = nil
	return errors.Join(errs...)
}

// policies makes what decides in a run, and what answers in a person's place.
func (w *deps) policies(a *app) (func(runs.Settings) (agentloop.Policy, error), *caption.Captioner, error) {
	c := a.conf
	transport, err := w.transport(c.Model)
	if err != nil {
		return nil, nil, err
	}
	decider, err := model.New(deciderOptions(c.Model, transport, a))
	if err != nil {
		return nil, nil, err
	}
	helper, err := model.New(helperOptions(c.Caption, transport, a))
	if err != nil {
		return nil, nil, err
	}
	w.closers = append(w.closers, func() error { decider.Close(); helper.Close(); return nil })
	captioner, err := caption.New(helper, &caption.Options{Lang: c.Caption.Lang})
	if err != nil {
		return nil, nil, err
	}
	size, err := c.Model.PictureSize()
	if err != nil {
		return nil, nil, err
	}
	d, err := families.Known.New(c.Model.Dialect, &dialect.Options{Model: c.Model.Name, Lang: c.Model.Lang, ImageSize: size,
		FullSize: c.Model.ImageSize == config.FullSize, Quality: c.Model.ImageQuality})
	if err != nil {
		return nil, nil, usageError{err}
	}
	plain := policy.New(d, decider, &policy.Options{Log: a.log})
	each := policy.WithCaptions(plain, captioner, &policy.Options{Log: a.log})
	last := policy.WithFinalCaption(plain, captioner, &policy.Options{Log: a.log})
	return func(s runs.Settings) (agentloop.Policy, error) {
		switch {
		case s.Captions:
			return each, nil
		case s.FinalCaption:
			return last, nil
		}
		return plain, nil
	}, captioner, nil
}

// transport records or replays when the configuration says so; nil is the client's own.
func (w *deps) transport(m config.Model) (http.RoundTripper, error) {
	switch {
	case m.Record != "":
		r, err := model.NewRecorder(m.Record, nil)
		if err != nil {
			return nil, err
		}
		w.closers = append(w.closers, r.Close)
		return r, nil
	case m.Replay != "":
		return model.NewReplayer(m.Replay)
	}
	return nil, nil
}

func deciderOptions(m config.Model, t http.RoundTripper, a *app) *model.Options {
	return &model.Options{
		BaseURL: m.BaseURL, Name: m.Name, APIKey: m.APIKey, Temperature: &m.Temperature, TopP: &m.TopP,
		FrequencyPenalty: &m.FrequencyPenalty, MaxTokens: m.MaxTokens, Extra: m.Extra, Timeout: m.Timeout,
		Retries: attempts(m.Retries), Transport: t, Log: a.log,
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
