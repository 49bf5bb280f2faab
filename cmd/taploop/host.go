package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

type hostCmd struct {
	Goal    string `arg:"" optional:""`
	MCP     string `name:"mcp" key:"host.mcp" placeholder:"FILE"`
	List    bool
	Resume  string `placeholder:"SESSION"`
	JSON    bool
	Model   string `key:"model.name" placeholder:"NAME"`
	BaseURL string `key:"model.base_url" placeholder:"URL"`
	Lang    string `key:"model.lang" placeholder:"LANG"`
	ADB     string `name:"adb-server" key:"adb.server" placeholder:"ADDR"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run works on the goal until it is reached, and reports every call.
func (c *hostCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	switch {
	case c.List && (c.Goal != "" || c.Resume != ""):
		return app.Usage(errors.New("--list does nothing else"), "leave the goal and --resume out")
	case !c.List && c.Resume == "" && strings.TrimSpace(c.Goal) == "" && !a.asksHere(c.JSON):
		return app.Usage(errors.New("there is no goal"), `taploop host --mcp mcp.json "GOAL"`)
	}
	return c.resume(ctx, a)
}

// resume is Run of arguments that are checked.
func (c *hostCmd) resume(ctx context.Context, a *invocation) error {
	a.quiet()
	told := story.GoalOptions{Out: a.err, Lang: a.Lang(), Attended: a.attended()}
	if a.asksHere(c.JSON) {
		var closeTTY func() error
		told.Person, closeTTY = tty.Person(a.in, a.err)
		defer closeTTY()
	}
	lines := story.NewGoals(told)
	o := app.Options{Observe: lines.Step, Host: &app.Hosting{Watcher: lines}}
	if told.Person != nil {
		o.Console, o.Host.Attended = lines, true
	}
	return app.With(ctx, &a.Settings, o, func(d *app.Parts) error {
		if c.List {
			return c.list(ctx, a, d)
		}
		defer context.AfterFunc(ctx, func() { lines.Line("%s", lines.Words.Pausing) })()
		if c.Resume == "" && strings.TrimSpace(c.Goal) == "" {
			return c.talk(ctx, a, d, lines)
		}
		_, err := c.work(ctx, a, d, lines)
		return err
	})
}

// talk is a conversation: each line that the person types is the next goal of one session.
func (c *hostCmd) talk(ctx context.Context, a *invocation, d *app.Parts, lines *story.Goals) error {
	prompt := lines.Words.Goal
	for {
		goal, err := lines.Ask(ctx, prompt, false)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case strings.TrimSpace(goal) == "":
			continue
		}
		c.Goal = goal
		if c.Resume, err = c.work(ctx, a, d, lines); ctx.Err() != nil || c.Resume == "" {
			return err
		}
		prompt = lines.Words.Next // how it ended was told
	}
}

// work begins or continues a session, and prints how it ends. The session is "" if it did not
// begin.
func (c *hostCmd) work(ctx context.Context, a *invocation, d *app.Parts, lines *story.Goals) (
	session string, err error) {
	if m := a.Conf.Model; a.Conf.Host.MaxCost > 0 && m.PromptPrice == 0 && m.ReplyPrice == 0 {
		lines.Line("%s", lines.Words.Unpriced)
	}
	o, err := c.begin(ctx, d)
	if err != nil {
		return c.Resume, err
	}
	session = o.Status.Session.ID
	asking, cancel := context.WithCancel(ctx)
	var questions sync.WaitGroup
	questions.Go(func() { lines.Questions(asking, d.Cases, d.UseCases.Questions, o.Status) })
	st, err := d.Cases.UntilEnd(ctx, app.Call(""), o, nil)
	cancel()
	questions.Wait()
	if err != nil {
		return session, err
	}
	return session, c.report(ctx, a, d, lines, st)
}

// begin begins or continues a session.
func (c *hostCmd) begin(ctx context.Context, d *app.Parts) (*usecase.Outcome, error) {
	if c.Resume == "" {
		return d.Cases.Delegate(ctx, app.Call(""), usecase.Delegate{Goal: c.Goal})
	}
	sess, err := findSession(ctx, d.Store, c.Resume)
	if err != nil {
		return nil, err
	}
	if sess.Kind() != store.OfAgents {
		return nil, app.Usage(fmt.Errorf("session %s is one of a phone", sess.ID),
			"taploop continue "+sess.ID)
	}
	o, err := d.Cases.Continue(ctx, app.Call(sess.Client),
		usecase.Continue{SessionID: sess.ID, Task: c.Goal})
	if err == nil && d.Store.Owner.Elsewhere(o.Status.Run) {
		err = runs.InProgress(sess.ID)
	}
	return o, err
}

// hostEnd is how work ended, as programs are shown it.
type hostEnd struct {
	SessionID  string               `json:"session_id"`
	Goal       string               `json:"goal"`
	State      store.State          `json:"state"`
	StopReason agentloop.StopReason `json:"stop_reason"`
	Answer     string               `json:"answer,omitempty"`
	Message    string               `json:"message,omitempty"`
	Hint       string               `json:"hint,omitempty"`
	Next       string               `json:"next,omitempty"` // the next command
	Usage      agents.Spent         `json:"usage"`
	Agents     []agents.Shown       `json:"agents"`
}

// report prints the end and gives the exit code.
func (c *hostCmd) report(ctx context.Context, a *invocation, d *app.Parts, lines *story.Goals,
	st runs.Status) error {
	e := hostEnd{SessionID: st.Session.ID, Goal: st.Run.Task, State: st.Run.State,
		StopReason: st.Reason, Answer: st.Run.Answer, Message: st.Message, Hint: st.Hint}
	if !e.State.Terminal() {
		e.Next = "taploop host --resume " + e.SessionID
	}
	noted, err := d.Store.Noted(context.WithoutCancel(ctx), e.SessionID)
	if err == nil {
		e.Agents, e.Usage, err = agents.Show(noted)
	}
	if err == nil {
		err = c.print(a, lines, e)
	}
	return cmp.Or(err, endOf(ctx, e.State, e.StopReason))
}

func (c *hostCmd) print(a *invocation, lines *story.Goals, e hostEnd) error {
	if c.JSON {
		return printJSON(a.out, e)
	}
	say := story.In(a.Lang())
	a.notef("\n%s%s%s", say.States[e.State], say.Colon, lines.Spent(e.Usage))
	if why := cmp.Or(say.Reasons[e.StopReason], e.Message); why != "" {
		a.notef("%s", text.Line(why))
	}
	if e.Hint != "" {
		a.try(e.Hint)
	}
	if e.Answer != "" {
		if _, err := fmt.Fprintln(a.out, text.Lines(e.Answer)); err != nil {
			return err
		}
	}
	if e.Next != "" {
		a.notef("%s%s", wordsIn(a.Lang()).GoOn, e.Next)
	}
	return nil
}

// list prints the tools of all servers.
func (c *hostCmd) list(ctx context.Context, a *invocation, d *app.Parts) error {
	h, servers, end, err := d.Goals.Host(ctx)
	if err != nil {
		return err
	}
	defer end()
	if c.JSON {
		return printJSON(a.out, shownTools(h))
	}
	if servers == 0 {
		a.notef("no MCP server is named: --mcp FILE, or the setting host.mcp; without one agents " +
			"have phones and people only")
	}
	for _, t := range h.Tools() {
		fmt.Fprintf(a.out, "%s\t%s\t%s\n", t.Name, text.Line(t.Server),
			text.Cut(text.Line(t.Description), 100))
	}
	for _, down := range h.Down() {
		a.notef("%s: %s", text.Line(down.Server), story.WhyDown(down))
	}
	return nil
}

type shownTool struct {
	Name        string          `json:"name"`
	Server      string          `json:"server"`
	Tool        string          `json:"tool"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

type shownCatalog struct {
	Tools []shownTool       `json:"tools"`
	Down  map[string]string `json:"unreachable"`
}

func shownTools(h *agents.Host) shownCatalog {
	list := shownCatalog{Tools: []shownTool{}, Down: map[string]string{}}
	for _, t := range h.Tools() {
		list.Tools = append(list.Tools, shownTool{t.Name, t.Server, t.Of, t.Description, t.Schema})
	}
	for _, down := range h.Down() {
		list.Down[down.Server] = down.Err.Error()
	}
	return list
}
