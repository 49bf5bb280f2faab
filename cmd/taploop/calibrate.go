package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/lab/bench"
	"github.com/taploop/taploop/internal/lab/calibrate"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

type calibrateCmd struct {
	Model   string `key:"model.name" help:"The model: the name of a profile, or a model's name at the endpoint; the default is the configured one." placeholder:"NAME"`
	BaseURL string `key:"model.base_url" help:"OpenAI-compatible endpoint." placeholder:"URL"`
	Lang    string `key:"model.lang" help:"Language of the prompts: zh, en, auto." placeholder:"LANG"`
	Targets whole  `short:"n" default:"24" from:"8" to:"72" help:"How many targets the model is asked to tap, with a call for each." placeholder:"N"`
	Write   bool   `help:"Write what was found into the configuration file without asking."`
	JSON    bool   `help:"Print the report as JSON on stdout."`
}

// Run asks the model for targets on drawn screens, prints how it replies, and writes that into the
// configuration when a person wants it.
func (c *calibrateCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	r, err := c.measure(ctx, a)
	if r.Asked == 0 {
		return err
	}
	shown := shownCalibration{Model: a.Conf.Model.Name, Report: r}
	var edit *config.Edit
	if r.Sure && err == nil {
		edit, err = profileOf(&a.Settings, r)
	}
	if edit != nil {
		shown.File = edit.Path
		shown.Diff = udiff.Unified(edit.Path, edit.Path, string(edit.Before), string(edit.After))
	}
	if !c.JSON {
		err = errors.Join(err, c.print(a, shown))
	}
	if edit != nil && shown.Diff != "" {
		var failed error
		shown.Written, failed = c.write(ctx, a, edit)
		err = errors.Join(err, failed)
	}
	if c.JSON {
		err = errors.Join(err, printJSON(a.out, shown))
	}
	if err == nil && !r.Sure {
		err = ended(exitModel)
	}
	return err
}

// measure asks the model.
func (c *calibrateCmd) measure(ctx context.Context, a *invocation) (r calibrate.Report, err error) {
	prompt, err := app.NewModels(&a.Settings).Prompting()
	if err == nil {
		_, err = app.NewModels(&a.Settings).Dialect()
	}
	if err != nil {
		return r, app.Usage(err, "")
	}
	screens, err := simulation.DrawTargets(int(c.Targets))
	if err != nil {
		return r, err
	}
	a.quiet()
	asked, end, err := app.NewModels(&a.Settings).Open(a.Conf.Model)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, end()) }()
	live := tty.StatusOf(a.err)
	defer live.Show("")
	return calibrate.Run(ctx, calibrate.Options{Model: asked, Table: families.Known,
		Dialect: a.Conf.Model.Dialect, Prompt: prompt, Screens: screens,
		Asking: func(done, all int) {
			live.Show(fmt.Sprintf("%s %d of %d: asking %s", bench.Bar(done, all), done, all,
				a.Conf.Model.Name))
		}})
}

// profileOf is what was found as a change of the configuration file: of the model that the file
// has, of the profile that was named, or of a new profile for a model that was named otherwise.
func profileOf(s *app.Settings, r calibrate.Report) (*config.Edit, error) {
	path, _ := config.Path(&s.Options)
	set := map[string]string{"dialect": r.Dialect, "coordinates": r.Coordinates,
		"image_size": r.ImageSize}
	if r.Dialect != r.Prompted && !strings.HasPrefix(r.Coordinates, "pixels") {
		delete(set, "image_size") // the asked dialect's, not that of the other one
	}
	m := s.Conf.Model
	passing := func(key string) bool { // from the environment or the command line
		from := s.Conf.Origin(key)
		return from != config.ByDefault && from != s.Conf.File
	}
	switch {
	case s.Conf.Profile != "":
		return config.NewEdit(path, []string{"models", s.Conf.Profile}, set)
	case passing("model.name"):
		set["name"] = m.Name
		if passing("model.base_url") {
			set["base_url"] = m.BaseURL
		}
		return config.NewEdit(path, []string{"models", m.Name}, set)
	}
	return config.NewEdit(path, []string{"model"}, set)
}

// write writes the change, if it is to be written.
func (c *calibrateCmd) write(ctx context.Context, a *invocation, edit *config.Edit) (bool, error) {
	if !c.Write && (c.JSON || !tty.Attended(a.in, a.err)) {
		a.notef("nothing was written; --write writes it")
		return false, nil
	}
	if !c.Write {
		person, closeTTY := tty.Person(a.in, a.err)
		defer closeTTY()
		answer, err := person.Ask(ctx, "Write this into "+text.Line(edit.Path)+"? [y/N] ", false)
		if err != nil {
			return false, err
		}
		if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
			a.notef("nothing was written")
			return false, nil
		}
	}
	if err := edit.Write(); err != nil {
		return false, err
	}
	a.notef("wrote %s", text.Line(edit.Path))
	for _, key := range []string{"dialect", "coordinates", "image_size"} {
		from := a.Conf.Origin("model." + key)
		if strings.HasPrefix(from, "TAPLOOP_") && a.Conf.Profile == "" {
			a.notef("note: %s is set, and wins over what the file's model has", from)
		}
	}
	return true, nil
}

// shownCalibration is the report with the model that was asked, and the change to be written.
type shownCalibration struct {
	Model string `json:"model"`
	calibrate.Report
	File    string `json:"file,omitempty"`
	Diff    string `json:"diff,omitempty"`
	Written bool   `json:"written"`
}

func (c *calibrateCmd) print(a *invocation, s shownCalibration) error {
	l := &fieldList{out: a.out}
	r := s.Report
	l.line("model", s.Model)
	l.line("dialect", dialectWords(r))
	if r.Sure {
		l.line("places", fmt.Sprintf("coordinates %s of a picture of size %s", r.Coordinates,
			r.ImageSize))
	} else {
		l.line("places", "not clear: too few targets were hit, or none on one of the displays, "+
			"however its replies are read")
	}
	for _, w := range r.AsGood {
		l.line("or", w.String()+", which these targets do not tell apart")
	}
	if r.Asked > r.Unanswered {
		l.hits(r)
	}
	if r.Unreadable+r.Unanswered > 0 {
		l.line("without", strings.TrimSpace(fmt.Sprintf("a place: %d replies, no reply: %d %s",
			r.Unreadable, r.Unanswered, r.LastError)))
	}
	if r.Example != "" {
		l.line("such as", fmt.Sprintf("%q", r.Example))
	}
	if s.Diff != "" && l.err == nil {
		_, l.err = fmt.Fprintf(a.out, "\n%s", text.Lines(s.Diff))
	}
	if s.File != "" && s.Diff == "" {
		a.notef("%s says so already", text.Line(s.File))
	}
	return l.err
}

// hits prints how well the replies hit, and what they cost.
func (l *fieldList) hits(r calibrate.Report) {
	l.line("hits", fmt.Sprintf("%d of %d, %s (95%%: %s to %s)", r.Hits, r.Asked,
		bench.Percent(r.Share), bench.Percent(r.Low), bench.Percent(r.High)))
	var groups []string
	for _, g := range r.Groups {
		groups = append(groups, fmt.Sprintf("%s %d/%d", g.Name, g.Hits, g.All))
	}
	l.line("of them", strings.Join(groups, ", "))
	if r.Hits > 0 || r.Pixels > 0 {
		l.line("off by", fmt.Sprintf("%.0f px of the target's middle (median; 90%% under %.0f)",
			r.Pixels, r.Pixels90))
	}
	l.line("time", fmt.Sprintf("%.1fs a reply (median; 90%% under %.1fs)", r.Seconds, r.Seconds90))
	l.line("tokens", fmt.Sprintf("%.0f sent, %.0f received (median)", r.PromptTokens,
		r.CompletionTokens))
}

// dialectWords says in which dialect the model was asked and replies.
func dialectWords(r calibrate.Report) string {
	switch r.Dialect {
	case "":
		return "none that is known; it was asked in " + r.Prompted
	case r.Prompted:
		return fmt.Sprintf("%s (%d of %d replies)", r.Dialect, r.Forms[r.Dialect], r.Asked)
	}
	return fmt.Sprintf("%s (%d of %d replies), although it was asked in %s; once that is set, "+
		"calibrate again", r.Dialect, r.Forms[r.Dialect], r.Asked, r.Prompted)
}
