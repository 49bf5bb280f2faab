package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/agentloop/policy"
	"github.com/taploop/taploop/caption"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/text"
)

// models opens the models of a configuration.
type models struct {
	conf  *config.Loaded
	log   *slog.Logger
	words texts
	notef func(format string, args ...any) // for the person at the terminal
}

func (a *app) models() *models {
	return &models{a.conf, a.log, wordsIn(a.lang()), a.notef}
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
func (ms *models) policies() (p *policies, err error) {
	c := ms.conf
	transport, finish, err := ms.transport(c.Model)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, finish())
		}
	}()
	decider, err := model.New(ms.deciding(c.Model, transport))
	if err != nil {
		return nil, err
	}
	helper, err := model.New(ms.describing(c.Caption, transport))
	if err != nil {
		return nil, err
	}
	captioner, err := caption.New(helper, &caption.Options{Lang: c.Caption.Lang})
	if err != nil {
		return nil, err
	}
	spoken, err := ms.dialect()
	if err != nil {
		return nil, usageError{err}
	}
	plain := policy.New(spoken, decider, ms.log)
	return &policies{
		plain: plain, captioned: policy.WithCaptions(plain, captioner, ms.log),
		lastCaptioned: policy.WithFinalCaption(plain, captioner, ms.log), captioner: captioner,
		transport: transport,
		close:     func() error { decider.Close(); helper.Close(); return finish() },
	}, nil
}

// dialect is how the configured model is prompted and read.
func (ms *models) dialect() (dialect.Dialect, error) {
	o, err := ms.prompting()
	if err != nil {
		return nil, err
	}
	return families.Known.New(ms.conf.Model.Dialect, &o)
}

// prompting is what the configuration says of prompts, in whatever dialect.
func (ms *models) prompting() (o dialect.Options, err error) {
	m := ms.conf.Model
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

// transport records or replays when the configuration says so; nil is the client's own. What
// was recorded is whole when finish has returned.
func (ms *models) transport(m config.Model) (
	t http.RoundTripper, finish func() error, err error,
) {
	switch {
	case m.Replay != "" || m.ReplayOrModel != "":
		r, err := ms.replayer(m)
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
func (ms *models) replayer(m config.Model) (*model.Replayer, error) {
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
			ms.notef(ms.words.Parted, text.Line(why.Error()), text.Line(opts.OrModel))
		}
	}
	r, err := model.NewReplayer(file, &opts)
	if err == nil && r.Unseen() {
		ms.notef(ms.words.Unseen, text.Line(file))
	}
	return r, err
}

// open opens the client of a model of its own. end closes it, and finishes what it records.
func (ms *models) open(m config.Model) (client *model.Client, end func() error, err error) {
	transport, finish, err := ms.transport(m)
	if err != nil {
		return nil, nil, err
	}
	if client, err = model.New(ms.deciding(m, transport)); err != nil {
		return nil, nil, errors.Join(err, finish())
	}
	return client, func() error { client.Close(); return finish() }, nil
}

func (ms *models) deciding(m config.Model, t http.RoundTripper) *model.Options {
	return &model.Options{
		BaseURL: m.BaseURL, Name: m.Name, APIKey: m.APIKey, Temperature: &m.Temperature,
		TopP: &m.TopP, FrequencyPenalty: &m.FrequencyPenalty, MaxTokens: m.MaxTokens,
		Extra: m.Extra, Timeout: m.Timeout, Retries: attempts(m.Retries), Transport: t, Log: ms.log,
	}
}

func (ms *models) describing(c config.Caption, t http.RoundTripper) *model.Options {
	return &model.Options{
		BaseURL: c.BaseURL, Name: c.Name, APIKey: c.APIKey, Extra: c.Extra, Timeout: c.Timeout,
		Retries: attempts(c.Retries), Transport: t, Env: "TAPLOOP_CAPTION_", Log: ms.log,
	}
}

// attempts says no retries as model.Options does: its 0 means the default.
func attempts(retries int) int {
	if retries == 0 {
		return -1
	}
	return retries
}
