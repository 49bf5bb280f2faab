package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/lab/bench"
	"github.com/taploop/taploop/internal/lab/world"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

type benchCmd struct {
	Model    []string `placeholder:"NAME" sep:"none"`
	Task     []string `placeholder:"ID" sep:"none"`
	Draw     whole    `from:"1" to:"1000000" placeholder:"SEED"`
	World    string   `placeholder:"KIND=URL"`
	Serial   string   `short:"s" key:"adb.serial" placeholder:"HOST:PORT"`
	Rounds   whole    `short:"n" default:"3" from:"1" to:"1000" placeholder:"N"`
	Parallel whole    `default:"1" from:"1" to:"64" placeholder:"N"`
	Locale   string   `enum:"en,zh" default:"en"`
	Size     string   `default:"1080x2400" placeholder:"WxH"`
	MaxSteps whole    `from:"1" to:"1000" placeholder:"N"`
	Output   string   `short:"o" placeholder:"DIR"`
	JSON     bool
	DataDir  string `key:"data_dir" placeholder:"DIR"`

	size  image.Point
	world world.World // nil for simulated phones
	tasks map[string]sandbox.Task
}

// Run carries out the missing runs, and prints all results.
func (c *benchCmd) Run(ctx context.Context, a *invocation) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if err := a.Load(); err != nil {
		return err
	}
	if len(c.Model) == 0 {
		c.Model = []string{cmp.Or(a.Conf.Profile, a.Conf.Model.Name)}
	}
	models, err := a.ForModels(c.Model)
	if err != nil {
		return err
	}
	setup := c.setup(a, models)
	dir, err := c.folder(a.Conf.DataDir, setup)
	if err != nil {
		return err
	}
	book, err := bench.Open(dir, setup)
	if err != nil {
		return err
	}
	plan := bench.Plan{Models: c.Model, Tasks: c.Task, Rounds: int(c.Rounds)}
	failed := c.measure(ctx, a, plan, book, simulation.TrialOptions{Dir: dir, Models: c.Model,
		Configs: models, Tasks: c.tasks, World: c.world, Serial: c.Serial, Locale: c.Locale,
		Size: c.size, MaxSteps: int(c.MaxSteps), Page: exportPage})
	if errors.Is(failed, bench.ErrGivenUp) {
		failed = ended(exitModel) // it was said why
	}
	r := shownReport{dir, filepath.Join(dir, "report.html"),
		bench.NewReport(setup, plan, book.Results)}
	return errors.Join(c.report(a, r, failed), book.Close())
}

// measure carries out what has no result yet.
func (c *benchCmd) measure(ctx context.Context, a *invocation, plan bench.Plan, book *bench.Book,
	o simulation.TrialOptions) error {
	left := book.Left(plan)
	if len(left) == 0 {
		a.notef("all runs are done already; to measure again, pass -o with another folder, or "+
			"delete %s", o.Dir)
		return nil
	}
	a.notef("%d of %s to do, kept in %s", len(left), text.Count(len(plan.Runs()), "run"), o.Dir)
	a.quiet()
	m := &bench.Measurement{Plan: plan, Book: book, Parallel: int(c.Parallel),
		Say: func(line string) { a.notef("%s", line) }, Show: tty.StatusOf(a.err).Show}
	o.Observe = func(e runs.Event) {
		if e.Kind == agentloop.Stepped {
			m.Stepped(e.SessionID, e.Step.Index)
		}
	}
	trials, err := simulation.OpenTrials(ctx, &a.Settings, o)
	if err != nil {
		return err
	}
	m.Try = trials.Try
	return app.Closing(m.Run(ctx, left), trials.Close)
}

// check checks the arguments, and finds the tasks.
func (c *benchCmd) check(ctx context.Context) error {
	if n, err := fmt.Sscanf(c.Size, "%dx%d", &c.size.X, &c.size.Y); n != 2 || err != nil ||
		fmt.Sprintf("%dx%d", c.size.X, c.size.Y) != c.Size ||
		min(c.size.X, c.size.Y) < 200 || max(c.size.X, c.size.Y) > 4096 {
		return app.Usage(fmt.Errorf("--size is %q", c.Size),
			"write WxH with sides from 200 to 4096, for example 1080x2400")
	}
	known, err := c.known(ctx)
	if err != nil {
		return err
	}
	if len(c.Task) == 0 {
		c.Task = known
	}
	seen := map[string]bool{}
	for _, id := range c.Task {
		switch {
		case seen[id]:
			return app.Usage(errors.New("a task is given twice"), "-n says how often each is run")
		case !slices.Contains(known, id):
			return app.Usage(fmt.Errorf("there is no task %q", id), "taploop sandbox --tasks")
		}
		seen[id] = true
	}
	return nil
}

// known are the names of the tasks that there are.
func (c *benchCmd) known(ctx context.Context) (names []string, err error) {
	if c.World != "" {
		if c.Serial == "" || c.Parallel > 1 {
			return nil, app.Usage(errors.New("--world is about one phone"),
				"name it with --serial HOST:PORT, and leave --parallel out")
		}
		if c.world, err = world.Open(c.World, int(c.Draw)); err != nil {
			return nil, app.Usage(err, "--world androidworld=http://127.0.0.1:5000")
		}
		return c.world.Tasks(ctx, int(c.Rounds))
	}
	if c.Serial != "" {
		return nil, app.Usage(errors.New("--serial is for --world"),
			"without a world the phones are simulated")
	}
	phone := sandbox.New(nil)
	list := phone.Tasks()
	if c.Draw > 0 {
		list = phone.Drawn(uint64(c.Draw))
	}
	c.tasks = map[string]sandbox.Task{}
	for _, t := range list {
		c.tasks[t.ID] = t
		names = append(names, t.ID)
	}
	return names, nil
}

// setup is what the runs have in common.
func (c *benchCmd) setup(a *invocation, models map[string]*config.Loaded) bench.Setup {
	s := bench.Setup{Program: "taploop " + ownVersion(), Models: map[string]bench.Model{},
		Tasks: c.Task, Draw: int(c.Draw), World: c.World, Locale: c.Locale, Size: c.Size,
		Steps: min(cmp.Or(int(c.MaxSteps), a.Conf.Loop.MaxSteps), a.Conf.Loop.MaxSteps)}
	for name, conf := range models {
		s.Models[name] = simulation.ModelOf(conf)
	}
	return s
}

// folder is where the results are.
func (c *benchCmd) folder(data string, setup bench.Setup) (string, error) {
	if c.Output != "" {
		return filepath.Abs(c.Output)
	}
	b, err := json.Marshal(setup)
	sum := sha256.Sum256(b)
	return filepath.Join(data, "bench", hex.EncodeToString(sum[:5])), err
}

// shownReport is the report with where it is.
type shownReport struct {
	Folder string `json:"folder"`
	Page   string `json:"page"`
	bench.Report
}

// report writes the page and prints the report. failed is what ended measuring, or nil.
func (c *benchCmd) report(a *invocation, r shownReport, failed error) error {
	var page bytes.Buffer
	if err := r.HTML(&page); err != nil {
		return errors.Join(failed, err)
	}
	f, err := files.Overwrite(r.Page)
	if err == nil {
		_, err = f.Write(page.Bytes())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return errors.Join(failed, fmt.Errorf("writing the report: %w", err))
	}
	if c.JSON {
		err = printJSON(a.out, r)
	} else if err = tty.Table(a.out, r.Table(a.term), tty.Columns(a.out)); err == nil {
		_, err = fmt.Fprintln(a.out, r.Page)
	}
	if r.Done < r.Planned {
		a.notef("%d of %d runs are done; the same command goes on", r.Done, r.Planned)
	}
	return errors.Join(failed, err)
}
