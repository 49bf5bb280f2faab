package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/taploop/taploop/actions/dialect"
	"github.com/taploop/taploop/actions/dialect/families"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/lab/replay"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type promptCmd struct {
	Show  promptShowCmd  `cmd:""`
	Check promptCheckCmd `cmd:""`
}

// promptFlags say which dialect it is.
type promptFlags struct {
	Model   string `key:"model.name" placeholder:"NAME"`
	Dialect string `key:"model.dialect" placeholder:"DIALECT"`
	Lang    string `key:"model.lang" placeholder:"LANG"`
}

type promptShowCmd struct {
	Session string `arg:"" optional:""`
	Step    whole  `from:"0" to:"1000000" placeholder:"N"`
	Task    string `default:"Set an alarm for 7:30"`
	promptFlags
	Template string `key:"model.prompt_template" placeholder:"FILE"`
	DataDir  string `key:"data_dir" placeholder:"DIR"`
}

// Run prints the prompt.
func (c *promptShowCmd) Run(ctx context.Context, a *invocation) error {
	if c.Session == "" && c.Step != 0 {
		return app.Usage(fmt.Errorf("--step is %d, and no session is named", c.Step),
			fmt.Sprintf("taploop prompt show SESSION --step %d", c.Step))
	}
	if err := a.Load(); err != nil {
		return err
	}
	d, err := app.NewModels(&a.Settings).Dialect()
	if err != nil {
		return app.Usage(err, "")
	}
	var asked dialect.Request
	if c.Session == "" {
		asked, err = simulation.Prompt(ctx, d, c.Task)
	} else {
		asked, err = c.stored(ctx, a, d)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(a.out, asked)
	return err
}

// stored is the prompt of a step of a session.
func (c *promptShowCmd) stored(
	ctx context.Context, a *invocation, d dialect.Dialect,
) (asked dialect.Request, err error) {
	err = a.readingSession(ctx, c.Session, func(db *store.Store, sess store.Session) error {
		step := cmp.Or(int(c.Step), sess.Steps)
		p, err := replay.PromptOf(ctx, db, sess.ID, step, d, replay.Options{
			Lang: a.ModelLang(), Own: replay.Own(families.Known, d)})
		if err != nil {
			return err
		}
		if p == nil {
			return app.Usage(fmt.Errorf("session %s has no step %d at which a model was "+
				"asked and whose picture is there", sess.ID, step),
				"taploop sessions show "+sess.ID)
		}
		if p.Bare {
			a.notef("note: no elements of that step are in the record, so none are numbered")
		}
		asked = p.Request
		return nil
	})
	return asked, err
}

type promptCheckCmd struct {
	File string `arg:""`
	promptFlags
}

// Run says what the template lacks. It fails when a run could not go well with it.
func (c *promptCheckCmd) Run(a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	a.Conf.Model.PromptTemplate = ""
	d, err := app.NewModels(&a.Settings).Dialect()
	if err != nil {
		return app.Usage(err, "")
	}
	t, err := app.ReadTemplate(c.File, d.Profile().Lang)
	if err != nil {
		return err
	}
	lacks, err := dialect.CheckTemplate(t, d)
	if err != nil {
		return app.TemplateError(c.File, err)
	}
	needed := 0
	for _, l := range lacks {
		how := "missing (the model need not be told)"
		if l.Needed {
			how = "missing"
			needed++
		}
		if _, err := fmt.Fprintf(a.out, "%s: %s: the model is not told %s\n", how, l.Variable,
			l.Means); err != nil {
			return err
		}
	}
	if needed > 0 {
		return app.TemplateError(c.File, fmt.Errorf("for the dialect %s it does not show what a "+
			"model needs (%s)", d.Profile().Name, text.Count(needed, "variable")))
	}
	_, err = fmt.Fprintf(a.out, "%s can be the prompt of %s\n", text.Line(c.File),
		d.Profile().Name)
	return err
}
