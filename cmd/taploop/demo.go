package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/simulation"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/sandbox"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// demoTask needs an answer in the middle. The check depends on it.
const demoTask = "cart-runner-ask"

type demoCmd struct {
	Reply   *string `placeholder:"TEXT"`
	Output  string  `short:"o" placeholder:"FILE"`
	DataDir string  `key:"data_dir" placeholder:"DIR"`

	given string // the last answer
}

// Run shows a whole task on a simulated phone. Between phone and model everything is as in a real
// run.
func (c *demoCmd) Run(ctx context.Context, a *invocation) error {
	began := time.Now()
	phone := sandbox.New(nil)
	task, ok := phone.Task(demoTask)
	if !ok {
		return fmt.Errorf("the sandbox has no task %q", demoTask)
	}
	task.Setup(phone)
	sim, err := simulation.Start(ctx, phone,
		&simulation.Options{Serial: fmt.Sprintf("demo-%d", os.Getpid())})
	if err != nil {
		return err
	}
	if err = app.Closing(c.demonstrate(ctx, a, sim, task), sim.Close); err == nil {
		a.notef(wordsIn(a.Lang()).Demo.Took, story.In(a.Lang()).Span(time.Since(began)))
	}
	return err
}

func (c *demoCmd) demonstrate(ctx context.Context, a *invocation, sim *simulation.Simulation,
	task sandbox.Task) error {
	maps.Copy(a.Options.Flags, sim.Settings())
	a.Options.Flags["model.lang"] = "en"
	a.notef(wordsIn(a.Lang()).Demo.Begin, sim.Addr, sim.Model.BaseURL, task.Goal)
	a.quiet()
	show := a.story(tty.NewConsole(a.in, a.err), true) // here or on the command line
	defer show.End()
	return app.With(ctx, &a.Settings, app.Options{Observe: show.Event}, func(d *app.Parts) error {
		st, err := c.play(ctx, a, d.Cases, show, sim, task)
		if err != nil {
			return err
		}
		return c.finish(ctx, a, show, d.Store, sim, task, st)
	})
}

// play runs the task and answers its question.
func (c *demoCmd) play(ctx context.Context, a *invocation, cases *usecase.Cases, show *story.Story,
	sim *simulation.Simulation, task sandbox.Task) (st runs.Status, err error) {
	return cases.PlayOut(ctx, app.Call(""), usecase.Start{Task: task.Goal, Reset: true,
		ReplyMode: string(channel.PassToClient),
		Running:   usecase.Running{Device: sim.Serial}}, show.Begin,
		func(question string) (string, error) {
			answer, err := c.answer(ctx, a, show, question)
			c.given = answer
			return answer, err
		})
}

// answer is what was given beforehand, or what the person types.
func (c *demoCmd) answer(ctx context.Context, a *invocation, people *story.Story,
	question string) (string, error) {
	w := wordsIn(a.Lang()).Demo
	if c.Reply != nil {
		a.notef(w.Given, text.Line(question), text.Line(*c.Reply))
		return *c.Reply, nil
	}
	prompt := fmt.Sprintf(w.Asks, text.Line(question))
	for {
		line, err := people.Ask(ctx, prompt, false)
		if errors.Is(err, io.EOF) {
			return "", app.Usage(errors.New("nobody is there to answer the model's question"),
				"taploop demo --reply 42")
		}
		if err != nil || line != "" {
			fmt.Fprintln(a.err)
			return line, err
		}
		prompt = w.Again
	}
}

// finish checks the phone, writes the page and says how it went.
func (c *demoCmd) finish(ctx context.Context, a *invocation, show *story.Story, db *store.Store,
	sim *simulation.Simulation, task sandbox.Task, st runs.Status) error {
	w := wordsIn(a.Lang()).Demo
	path := cmp.Or(c.Output, filepath.Join(a.Conf.DataDir, "pages", st.Session.ID+".html"))
	if err := exportPage(context.WithoutCancel(ctx), db, st.Session.ID, path); err != nil {
		return err
	}
	end := new(taskFlags).reportEnd(ctx, a, show, st, 0)
	if end == nil && c.given == task.Reply { // the check knows this answer only
		if err := task.Check(sim.Phone); err != nil {
			return fmt.Errorf("the model says that it is done, the phone's state does not: %w", err)
		}
		a.notef("%s", w.Checked)
	}
	a.notef("%s", w.Page)
	fmt.Fprintln(a.out, path)
	return end
}
