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
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// demoTask needs an answer in the middle. The check depends on it.
const demoTask = "cart-runner-ask"

type demoCmd struct {
	Reply   *string `help:"The answer to the question in the middle, instead of asking you." placeholder:"TEXT"`
	Output  string  `short:"o" help:"The page to write; the default is below the data folder." placeholder:"FILE"`
	DataDir string  `key:"data_dir" help:"Where the session is kept." placeholder:"DIR"`

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
		a.notef("All in all %s.", time.Since(began).Round(100*time.Millisecond))
	}
	return err
}

func (c *demoCmd) demonstrate(ctx context.Context, a *invocation, sim *simulation.Simulation,
	task sandbox.Task) error {
	maps.Copy(a.Options.Flags, sim.Settings())
	a.Options.Flags["model.lang"] = "en"
	a.notef("Phone and model are simulated; what is between them is what a real run uses.\n"+
		"  phone  an ADB server at %s\n"+
		"  model  an OpenAI-compatible endpoint at %s, playing a script\n"+
		"  task   %s\n", sim.Addr, sim.Model.BaseURL, task.Goal)
	a.quiet()
	show := a.newSteps(newConsole(a.in, a.err))
	show.asked = true // here or on the command line
	defer show.end()
	return app.With(ctx, &a.Settings, app.Options{Observe: show.event}, func(d *app.Parts) error {
		st, err := c.play(ctx, a, d.Cases, show, sim, task)
		if err != nil {
			return err
		}
		return c.finish(ctx, a, d.Store, sim, task, st)
	})
}

// play runs the task and answers its question.
func (c *demoCmd) play(ctx context.Context, a *invocation, cases *usecase.Cases, show *steps,
	sim *simulation.Simulation, task sandbox.Task) (st runs.Status, err error) {
	return cases.PlayOut(ctx, app.Call(""), usecase.Start{Task: task.Goal, Reset: true,
		ReplyMode: string(channel.PassToClient),
		Running:   usecase.Running{Device: sim.Serial}}, show.begin,
		func(question string) (string, error) {
			answer, err := c.answer(ctx, a, show, question)
			c.given = answer
			return answer, err
		})
}

// answer is what was given beforehand, or what the person types.
func (c *demoCmd) answer(ctx context.Context, a *invocation, people *steps,
	question string) (string, error) {
	if c.Reply != nil {
		a.notef("\n  The model asks: %s\n  Answer: %s\n", text.Line(question), text.Line(*c.Reply))
		return *c.Reply, nil
	}
	prompt := fmt.Sprintf("\n  The model asks: %s (try 42)\n  Your answer: ", text.Line(question))
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
		prompt = "  Please type an answer: "
	}
}

// finish checks the phone, writes the page and says how it went.
func (c *demoCmd) finish(ctx context.Context, a *invocation, db *store.Store,
	sim *simulation.Simulation, task sandbox.Task, st runs.Status) error {
	path := cmp.Or(c.Output, filepath.Join(a.Conf.DataDir, "pages", st.Session.ID+".html"))
	if err := exportPage(context.WithoutCancel(ctx), db, st.Session.ID, path); err != nil {
		return err
	}
	end := new(taskFlags).reportEnd(ctx, a, st, 0)
	if end == nil && c.given == task.Reply { // the check knows this answer only
		if err := task.Check(sim.Phone); err != nil {
			return fmt.Errorf("the model says that it is done, the phone's state does not: %w", err)
		}
		a.notef("Checked on the phone: the cart holds what was asked for, and nothing was ordered.")
	}
	a.notef("\nEvery step, as one page to open in a browser:")
	fmt.Fprintln(a.out, path)
	return end
}
