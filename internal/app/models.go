package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
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
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/verify"
	"github.com/taploop/taploop/internal/words"
)

// Models opens the models of a configuration.
type Models struct {
	set   *Settings
	words *texts
}

// NewModels returns the models of the configuration. None is opened yet.
func NewModels(s *Settings) *Models { return &Models{s, textsIn(s.Lang())} }

// Policies decide in runs, and answer in a person's place.
type Policies struct {
	Plain                    agentloop.Policy // puts no screen in words
	captioned, lastCaptioned agentloop.Policy
	captioner                *caption.Captioner
	transport                http.RoundTripper // of the models' clients, nil for the default one
	lang                     string            // of the texts for the model
	people                   string            // and of what a skill tells people
	close                    func() error
}

// Close closes the models, and finishes the recording.
func (p *Policies) Close() error { return p.close() }

// choose is the policy of a run.
func (p *Policies) choose(s runs.Settings) (agentloop.Policy, error) {
	chosen := p.Plain
	switch {
	case s.Captions:
		chosen = p.captioned
	case s.FinalCaption:
		chosen = p.lastCaptioned
	}
	if s.AnswerSchema != nil {
		chosen = verify.Asking(chosen, s.AnswerSchema, verifyIn(p.lang).Schema)
	}
	if s.Skill == nil {
		return chosen, nil
	}
	var plan skill.Plan
	if err := json.Unmarshal(s.Skill, &plan); err != nil {
		return nil, fmt.Errorf("reading the run's skill: %w", err)
	}
	task := plan.Skill.Task
	return skill.New(plan, chosen, words.For(p.lang, task), words.For(p.people, task)), nil
}

// Policies opens the models of the configuration. The caller closes them.
func (ms *Models) Policies() (p *Policies, err error) {
	c := ms.set.Conf
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
	spoken, err := ms.Dialect()
	if err != nil {
		return nil, Usage(err, "")
	}
	plain := policy.New(spoken, decider, ms.set.Log)
	return &Policies{
		Plain: plain, captioned: policy.WithCaptions(plain, captioner, ms.set.Log),
		lastCaptioned: policy.WithFinalCaption(plain, captioner, ms.set.Log), captioner: captioner,
		transport: transport, lang: ms.set.ModelLang(), people: c.Model.Lang,
		close: func() error { decider.Close(); helper.Close(); return finish() },
	}, nil
}

// Dialect is how the configured model is prompted and read.
func (ms *Models) Dialect() (dialect.Dialect, error) {
	o, err := ms.Prompting()
	if err != nil {
		return nil, err
	}
	return families.Known.New(ms.set.Conf.Model.Dialect, &o)
}

// Prompting returns the options of prompts, for any dialect.
func (ms *Models) Prompting() (o dialect.Options, err error) {
	m := ms.set.Conf.Model
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
	if o.Template, err = ReadTemplate(m.PromptTemplate, d.Profile().Lang); err != nil {
		return o, err
	}
	lacks, err := dialect.CheckTemplate(o.Template, d)
	if err != nil {
		return o, TemplateError(m.PromptTemplate, err)
	}
	return o, blind(m.PromptTemplate, lacks)
}

// blind returns an error if the template shows no screen or no task: no step could be decided.
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

// transport records or replays if the configuration says so. Nil means the client's own. The
// recording is complete when finish has returned.
func (ms *Models) transport(m config.Model) (
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
		r, err := model.NewRecorder(m.Record, shaping(m), nil)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}
	return nil, func() error { return nil }, nil
}

// Unrecorded returns an error if the file for a recording has one already.
func Unrecorded(file string) error {
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		return nil
	}
	return Usage(fmt.Errorf("%s holds a recording already, which would be replayed first", file),
		"name a new file, or delete this one")
}

// replayer replays a recording, and notes if its screens cannot be checked.
func (ms *Models) replayer(m config.Model) (*model.Replayer, error) {
	like := screen.Likeness{Tolerance: m.ReplayTolerance}
	for _, s := range m.ReplayMasks {
		mask, err := screen.ParseMask(s)
		if err != nil {
			return nil, Usage(err, "")
		}
		like.Masks = append(like.Masks, mask)
	}
	opts := model.ReplayOptions{Compare: policy.Compare(like), Settings: shaping(m)}
	file := cmp.Or(m.Replay, m.ReplayOrModel)
	if m.ReplayOrModel != "" {
		opts.OrModel = cmp.Or(m.Record, m.ReplayOrModel+".new")
		if err := Unrecorded(opts.OrModel); err != nil {
			return nil, err
		}
		opts.Parted = func(why error) {
			ms.set.note(ms.words.Parted, text.Line(why.Error()), text.Line(opts.OrModel))
		}
	}
	r, err := model.NewReplayer(file, &opts)
	if err == nil && r.Unseen() {
		ms.set.note(ms.words.Unseen, text.Line(file))
	}
	return r, err
}

// Open opens the client of one model. The caller calls end, which closes it and finishes the
// recording.
func (ms *Models) Open(m config.Model) (client *model.Client, end func() error, err error) {
	transport, finish, err := ms.transport(m)
	if err != nil {
		return nil, nil, err
	}
	if client, err = model.New(ms.deciding(m, transport)); err != nil {
		return nil, nil, errors.Join(err, finish())
	}
	return client, func() error { client.Close(); return finish() }, nil
}

func (ms *Models) deciding(m config.Model, t http.RoundTripper) *model.Options {
	return &model.Options{
		BaseURL: m.BaseURL, Name: m.Name, APIKey: m.APIKey, Temperature: &m.Temperature,
		Unset: m.BaseURL == ms.set.Conf.Model.BaseURL &&
			ms.set.Conf.Origin("model.base_url") == config.ByDefault,
		TopP: &m.TopP, FrequencyPenalty: &m.FrequencyPenalty, MaxTokens: m.MaxTokens,
		Extra: m.Extra, Timeout: m.Timeout, Retries: attempts(m.Retries), Transport: t,
		Log: ms.set.Log,
	}
}

func (ms *Models) describing(c config.Caption, t http.RoundTripper) *model.Options {
	return &model.Options{
		BaseURL: c.BaseURL, Name: c.Name, APIKey: c.APIKey, Extra: c.Extra, Timeout: c.Timeout,
		Retries: attempts(c.Retries), Transport: t, Env: "TAPLOOP_CAPTION_", Log: ms.set.Log,
	}
}

// attempts returns -1 for no retries: 0 means the default in model.Options.
func attempts(retries int) int {
	if retries == 0 {
		return -1
	}
	return retries
}
