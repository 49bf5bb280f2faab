// Package app makes the parts of the program from its configuration: phones, models, guard,
// proxies, runs and goals. From the bottom up: Settings holds what was configured, OpenStore and
// NewHost open the world outside of the process, Models and Upstream make single parts, and Open
// joins all of them. What serves them is in the package serve, a simulated phone in the package
// simulation.
package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"strings"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/model"
	"github.com/taploop/taploop/internal/words"
)

// Settings are a configuration with what the parts made from it report to. Conf is nil until Load.
type Settings struct {
	Options config.Options
	Version string // of the program
	Conf    *config.Loaded
	Log     *slog.Logger
	Note    func(format string, args ...any) // tells the person at the terminal, nil discards
	// Dial connects to the ADB server in place of the address that is configured, unless it is nil.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Load reads the configuration.
func (s *Settings) Load() error {
	conf, err := config.Load(&s.Options)
	if err == nil {
		conf, err = s.asRecorded(conf)
	}
	if err != nil {
		return Usage(err, "")
	}
	mode, err := channel.Parse(conf.Reply.Mode)
	if err != nil {
		return Usage(fmt.Errorf("reply.mode (from %s): %w", conf.Origin("reply.mode"), err), "")
	}
	conf.Reply.Mode = string(mode)
	s.Conf = conf
	return nil
}

// shaping are the settings that shape what a model is told, and how it is read.
func shaping(m config.Model) map[string]string {
	template := ""
	if b, err := files.Read(m.PromptTemplate); err == nil { // or nothing is asked
		template = fmt.Sprintf("sha256,%x", sha256.Sum256(b))
	}
	return map[string]string{model.TemplateSetting: template, "model.name": m.Name,
		"model.dialect": m.Dialect, "model.lang": m.Lang, "model.coordinates": m.Coordinates,
		"model.image_size": m.ImageSize}
}

// asRecorded is the configuration by which a cassette was recorded, if one is replayed. Where the
// model is asked behind it, what was set of the model stays.
func (s *Settings) asRecorded(conf *config.Loaded) (*config.Loaded, error) {
	file := cmp.Or(conf.Model.Replay, conf.Model.ReplayOrModel)
	if file == "" {
		return conf, nil
	}
	kept, err := model.CassetteSettings(file)
	if err != nil {
		return conf, nil // told when it is opened
	}
	opts := s.Options
	opts.Flags = maps.Clone(opts.Flags)
	for key := range shaping(conf.Model) {
		if v := kept[key]; v != "" && key != model.TemplateSetting && (conf.Model.Replay != "" ||
			conf.Origin(key) == config.ByDefault) {
			opts.Flags[key] = v
		}
	}
	return config.Load(&opts)
}

// With returns the settings loaded again with more flags.
func (s *Settings) With(more map[string]any) (*Settings, error) {
	with := *s
	with.Options.Flags = maps.Clone(s.Options.Flags)
	maps.Copy(with.Options.Flags, more)
	return &with, with.Load()
}

// ForModels returns a configuration for each model. A name is that of a profile, or the one by
// which the endpoint knows the model.
func (s *Settings) ForModels(names []string) (map[string]*config.Loaded, error) {
	models := map[string]*config.Loaded{}
	for _, name := range names {
		if strings.TrimSpace(name) == "" || models[name] != nil {
			return nil, Usage(fmt.Errorf("the model %q is empty or given twice", name),
				"name each model once, by its profile or as the endpoint knows it")
		}
		with, err := s.With(map[string]any{"model.name": name})
		if err != nil {
			return nil, err
		}
		if m := with.Conf.Model; m.Record+m.Replay+m.ReplayOrModel != "" {
			return nil, Usage(errors.New("models are measured, and a recording is set"),
				"leave model.record, model.replay and model.replay_or_model out")
		}
		models[name] = with.Conf
	}
	return models, nil
}

// Lang is the language of the person at the terminal.
func (s *Settings) Lang() string { return LangOf(s.Options.Getenv) }

// LangOf returns the language that the environment names for messages, or the default one.
func LangOf(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := getenv(name); v != "" {
			tag, _, _ := strings.Cut(v, ".") // zh_CN.UTF-8
			return words.Match(tag)
		}
	}
	return words.Default
}

// ModelLang is the language of what the deciding model reads: the configured one, or that in which
// its family was trained, or auto for that of each task.
func (s *Settings) ModelLang() string {
	m := s.Conf.Model
	if m.Lang != words.Auto {
		return m.Lang
	}
	return cmp.Or(families.Known.Lang(m.Dialect, m.Name), words.Auto)
}

// OnTimeout is what silence to a question leads to.
func (s *Settings) OnTimeout() inquiry.OnTimeout {
	if s.Conf.Questions.OnTimeout == "auto" { // the channel's short name
		return inquiry.AskModel
	}
	return inquiry.OnTimeout(s.Conf.Questions.OnTimeout)
}

func (s *Settings) note(format string, args ...any) {
	if s.Note != nil {
		s.Note(format, args...)
	}
}

// noteTraces tells the person at the terminal what kept traces from a collector, if no log does.
func (s *Settings) noteTraces(lost error) {
	if lost != nil && !s.Log.Enabled(context.Background(), slog.LevelWarn) {
		s.note(textsIn(s.Lang()).TracesLost, lost)
	}
}

// texts are what the parts tell the person at the terminal.
type texts struct {
	Parted, Unseen string // of a replay
	Stalled        string // of the data folder
	Unanswered     string
	TracesLost     string
	// what the configuration leaves of the guard
	GuardOff, GuardFloor, FloorLowered, Unasked, Misspelt string
}

var textsIn = words.Of[texts]("app")

// UsageError is the error of a call that cannot be carried out as it was written.
type UsageError struct{ error }

// Unwrap returns the error without the mark.
func (e UsageError) Unwrap() error { return e.error }

// Usage marks err as an error of the call, and hints at what to write instead unless that is "".
func Usage(err error, instead string) error {
	if instead != "" {
		err = hint.Add(err, instead)
	}
	return UsageError{err}
}
