package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/shape"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

// taskFlags are what run and continue share.
type taskFlags struct {
	ReplyMode string `key:"reply.mode" placeholder:"MODE"`
	MaxSteps  whole  `from:"1" to:"1000" placeholder:"N"`
	Captions  string `enum:"none,final,all" default:"none" placeholder:"WHICH"`
	Queue     bool
	JSON      bool
	Verify    string `key:"verify" placeholder:"BY"`
	Strict    bool   `name:"verify-strict"`
	Schema    string `name:"answer-schema" placeholder:"FILE"`
	workFlags

	expected terminal.Replies // given beforehand

	answers bool // the command line answers the question: that is not said again
	starts  bool // it could also end a session that has the phone
}

// running are the flags as use cases take them.
func (t *taskFlags) running() (usecase.Running, error) {
	r := usecase.Running{MaxSteps: int(t.MaxSteps), Queue: t.Queue}
	if t.Captions != "none" {
		r.Captions, r.FinalCaption = new(t.Captions == "all"), new(t.Captions == "final")
	}
	if t.Schema == "" {
		return r, nil
	}
	b, err := files.Read(t.Schema)
	if err == nil {
		_, err = shape.Parse(b)
	}
	if err != nil {
		return r, app.Usage(fmt.Errorf("--answer-schema: %w", err),
			"name a file with a JSON Schema")
	}
	r.Schema = b
	return r, nil
}

type runCmd struct {
	Task      string `arg:""`
	Serial    string `short:"s" key:"adb.serial" placeholder:"SERIAL"`
	Supersede bool
	Reply     []string `sep:"none" placeholder:"PATTERN=TEXT"`
	KeepState bool     `name:"keep-environment"`
	turnFlags
	taskFlags
}

// turnFlags say how a task waits for its phone.
type turnFlags struct {
	Priority usecase.Priority `default:"normal" placeholder:"WHICH"`
	QueueFor *time.Duration   `placeholder:"TIME"`
}

// turn are the flags as use cases take them.
func (f *turnFlags) turn() (usecase.Turn, error) {
	t := usecase.Turn{Priority: f.Priority}
	if d := f.QueueFor; d != nil {
		if t.QueueSeconds = d.Seconds(); *d < time.Second || *d > usecase.MostQueued {
			return t, app.Usage(fmt.Errorf("--queue-for is %v", *d), "want 1s to 168h, such as 10m")
		}
	}
	_, err := t.Of(true)
	return t, err
}

// Run starts a session with its first task and follows it to its end.
func (c *runCmd) Run(ctx context.Context, a *invocation) error {
	if err := app.Unrecorded(c.Record); err != nil {
		return err
	}
	if c.Task == "-" {
		given, err := a.piped("the task")
		if err != nil {
			return err
		}
		c.Task, a.in = strings.TrimSpace(given), strings.NewReader("")
	}
	var err error
	if c.expected, err = terminal.ParseReplies(c.Reply); err != nil {
		return app.Usage(err, "")
	}
	c.starts = !c.Supersede
	how, err := c.running()
	if err != nil {
		return err
	}
	r := usecase.Start{Task: c.Task, Reset: !c.KeepState, Supersede: c.Supersede, Running: how}
	if r.Turn, err = c.turn(); err != nil {
		return err
	}
	return c.follow(ctx, a, func(d *app.Parts, call *usecase.Call) (*usecase.Outcome, error) {
		if err := unanswerable(a); err != nil {
			return nil, err
		}
		if a.asksHere(c.JSON) { // unless it was said otherwise
			r.ReplyMode = string(channel.ManualReply + " -> " + channel.PassToClient)
		}
		r.Device = a.Conf.ADB.Serial
		return d.Cases.Start(ctx, call, r)
	})
}

// unanswerable refuses to ask only where nothing is to be read from.
func unanswerable(a *invocation) error {
	person, closeTTY := tty.Person(a.in, a.err)
	defer closeTTY()
	if person != nil || !channel.Mode(a.Conf.Reply.Mode).Is(channel.ManualReply) {
		return nil
	}
	return app.Usage(errors.New("reply mode manual_reply asks at the terminal, and stdin is none"),
		"run it at a terminal, pipe the answers in, or use --reply-mode pass, which ends the "+
			"command with the question: taploop continue answers that")
}

// follow opens the dependencies, begins a run, shows its steps, and reports how it ended.
func (c *taskFlags) follow(ctx context.Context, a *invocation,
	begin func(*app.Parts, *usecase.Call) (*usecase.Outcome, error)) error {
	if channel.Mode(c.ReplyMode).Has(channel.Elicit) {
		return app.Usage(errors.New("reply mode elicit asks the user of an MCP client, and there "+
			"is none here"), "manual_reply asks at the terminal; elicit is for taploop serve")
	}
	a.quiet()
	person, closeTTY := tty.Person(a.in, a.err)
	defer closeTTY()
	if person == nil {
		person = tty.NewConsole(a.in, a.err) // at its end
	}
	show := a.story(person, c.answers)
	defer show.End()
	o := app.Options{Console: show, Observe: show.Event, Expected: c.expected,
		Waits: true}
	var begun *usecase.Outcome
	var st runs.Status
	err := app.With(ctx, &a.Settings, o, func(d *app.Parts) (err error) {
		call := app.Call("")
		if begun, err = begin(d, call); err != nil {
			r := d.Cases.After(ctx, call, err, true, c.starts)
			next, err := nextWords{a.args, a.attended()}.from(err, r)
			return &stoppedShort{err, next}
		}
		show.Begin(begun.Status)
		replayed := begun.Status.Replayed
		if replayed {
			show.Repeated()
		}
		began := time.Now()
		st, err = d.Cases.UntilEnd(ctx, call, begun, show.Left)
		st.Replayed, st.Waited = replayed, time.Since(began)
		return err
	})
	if err != nil {
		return err
	}
	return c.reportEnd(ctx, a, show, st, begun.Cut)
}

// reportEnd prints the result and gives the exit code. wanted is how many steps the command wanted,
// if that was more than it may have.
func (c *taskFlags) reportEnd(ctx context.Context, a *invocation, show *story.Story,
	st runs.Status, wanted int) error {
	var notes []string
	if most := a.Conf.Loop.MaxSteps; wanted > 0 {
		a.notef(wordsIn(a.Lang()).Cut, wanted, most)
		notes = append(notes, fmt.Sprintf("--max-steps %d was cut to %d, which is loop.max_steps",
			wanted, most))
	}
	if c.JSON {
		body, err := result.New(st)
		body.Notes = append(body.Notes, notes...)
		if err = errors.Join(err, printJSON(a.out, shownResult{body, a.nextOf(st)})); err != nil {
			return err
		}
	} else if err := a.printEnd(show, st); err != nil {
		return err
	}
	v := st.Run.Progress.Verification
	if c.Strict && v != nil && v.Verdict == agentloop.Contradicted {
		return ended(exitNotCompleted)
	}
	return endOf(ctx, st.Run.State, st.Reason)
}

// story tells a run on stderr.
func (a *invocation) story(console terminal.Lines, asked bool) *story.Story {
	return story.New(a.err, tty.NewPainter(a.err, a.Options.Environ), console, a.Lang(), asked)
}

// printEnd says in words how a run ended, and what to call next.
func (a *invocation) printEnd(show *story.Story, st runs.Status) error {
	w := wordsIn(a.Lang())
	show.Ended(st)
	switch state := st.Run.State; {
	case state == store.Completed, state == store.Aborted:
		if _, err := fmt.Fprintln(a.out, text.Line(st.Run.Answer)); err != nil {
			return err
		}
	case state.Waiting():
		if st.Question != nil {
			fmt.Fprintf(a.out, "%s\n", text.Line(st.Question.In(a.Lang()).Text))
			if why := inquiry.As[inquiry.Approval](*st.Question).Reason; why != "" {
				fmt.Fprintf(a.out, "  - %s\n", text.Line(why))
			}
			for _, o := range inquiry.As[inquiry.Ask](*st.Question).Options {
				fmt.Fprintf(a.out, "  - %s\n", text.Line(o))
			}
		}
		a.notef("%s%s", w.Answer, a.nextOf(st).Command)
		if st.Question != nil && st.Question.Secret {
			a.notef("%s", w.Typed)
		}
	case state == store.Paused:
		a.notef("%s%s", w.GoOn, a.nextOf(st).Command)
	}
	show.See(st.Session.ID)
	return nil
}
