package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

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
	Model   string `key:"model.name" placeholder:"NAME"`
	BaseURL string `key:"model.base_url" placeholder:"URL"`
	Lang    string `key:"model.lang" placeholder:"LANG"`
	Targets whole  `short:"n" default:"24" from:"8" to:"72" placeholder:"N"`
	Write   bool
	JSON    bool
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
		edit, err = a.Settings.EditModel(r.Settings())
	}
	if edit != nil {
		shown.File = edit.Path
		shown.Diff = text.Diff(edit.Path, edit.Path, string(edit.Before), string(edit.After))
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
			live.Show(a.phrase(fmt.Sprintf("%s %d of %d: asking %s", bench.Bar(done, all), done,
				all, a.Conf.Model.Name)))
		}})
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
		answer, err := person.Ask(ctx, a.phrase("Write this into "+text.Line(edit.Path)+
			"? [y/N] "), false)
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
	l := &tty.Fields{To: a.out, Lang: a.Lang()}
	l.Line("model", s.Model)
	for _, f := range s.Report.Fields() {
		l.Line(f[0], a.phrase(f[1]))
	}
	if s.Diff != "" && l.Err == nil {
		_, l.Err = fmt.Fprintf(a.out, "\n%s", text.Lines(s.Diff))
	}
	if s.File != "" && s.Diff == "" {
		a.notef("%s says so already", text.Line(s.File))
	}
	return l.Err
}
