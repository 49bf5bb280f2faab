package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/userfile"
)

type hostCmd struct {
	Goal    string `arg:"" optional:"" help:"What is to be reached; with --resume what is to be said to the agents, if anything."`
	MCP     string `name:"mcp" key:"host.mcp" help:"A file with MCP servers, as Cursor and Claude write it." placeholder:"FILE"`
	List    bool   `help:"List the tools that there are, and do nothing."`
	Resume  string `help:"Go on with this session; the beginning of its id is enough." placeholder:"SESSION"`
	JSON    bool   `help:"Print the result as JSON on stdout."`
	Model   string `key:"model.name" help:"Model name." placeholder:"NAME"`
	BaseURL string `key:"model.base_url" help:"OpenAI-compatible endpoint." placeholder:"URL"`
	Lang    string `key:"model.lang" help:"Language of the prompts: zh, en." placeholder:"LANG"`
	ADB     string `name:"adb-server" key:"adb.server" help:"ADB server, host:port." placeholder:"ADDR"`
	DataDir string `key:"data_dir" help:"Where sessions are kept." placeholder:"DIR"`
}

// Run works on the goal until it is reached, and says what is done meanwhile.
func (c *hostCmd) Run(ctx context.Context, a *app) error {
	if err := a.load(); err != nil {
		return err
	}
	switch {
	case c.List && (c.Goal != "" || c.Resume != ""):
		return usage(errors.New("--list does nothing else"), "leave the goal and --resume out")
	case !c.List && c.Resume == "" && strings.TrimSpace(c.Goal) == "":
		return usage(errors.New("there is no goal"), `taploop host --mcp mcp.json "GOAL"`)
	}
	return c.resume(ctx, a)
}

// resume is Run of arguments that are checked.
func (c *hostCmd) resume(ctx context.Context, a *app) error {
	a.quiet()
	lines := &hostLines{out: a.err, lang: a.lang()}
	o := overrides{observe: lines.step}
	if a.asksHere(c.JSON) {
		var closeTTY func() error
		lines.person, closeTTY = a.console()
		defer closeTTY()
		o.console = lines
	}
	return a.with(ctx, o, func(d *deps) error {
		if c.List {
			return c.list(ctx, newHostWork(a, d, lines))
		}
		defer context.AfterFunc(ctx, func() { lines.line("%s", lines.words().Pausing) })()
		return c.work(ctx, newHostWork(a, d, lines))
	})
}

// work begins a session, or goes on with one, and prints how it ends.
func (c *hostCmd) work(ctx context.Context, w *hostWork) error {
	a := w.app
	if m := a.conf.Model; a.conf.Host.MaxCost > 0 && m.PromptPrice == 0 && m.ReplyPrice == 0 {
		w.lines.line("%s", w.lines.words().Unpriced)
	}
	var err error
	said := ""
	if c.Resume == "" {
		err = w.begin(ctx, c.Goal, a.conf.Host.MCP)
	} else {
		said = c.Goal
		err = w.resume(ctx, c.Resume)
	}
	if err != nil {
		return err
	}
	end, err := w.work(ctx, said)
	if err != nil {
		return err
	}
	return c.report(ctx, a, w, end)
}

// report prints the end and gives the exit code.
func (c *hostCmd) report(ctx context.Context, a *app, w *hostWork, end hostEnd) error {
	if c.JSON {
		if err := printJSON(a.out, end); err != nil {
			return err
		}
	} else {
		a.notef("\n%s: %s", end.StopReason, w.lines.spent(end.Usage))
		if end.Message != "" {
			a.notef("%s", text.Line(end.Message))
		}
		if end.Hint != "" {
			a.notef("  try: %s", text.Line(end.Hint))
		}
		if end.Answer != "" {
			if _, err := fmt.Fprintln(a.out, text.Lines(end.Answer)); err != nil {
				return err
			}
		}
		if end.Next != "" {
			a.notef("%s%s", wordsIn(a.lang()).GoOn, end.Next)
		}
	}
	return endOf(ctx, end.State, end.StopReason)
}

// list prints the tools of all servers.
func (c *hostCmd) list(ctx context.Context, w *hostWork) error {
	a := w.app
	if _, err := w.readServers(a.conf.Host.MCP); err != nil {
		return err
	}
	h, closeHost, err := w.open(ctx)
	if err != nil {
		return err
	}
	defer closeHost()
	if c.JSON {
		return printJSON(a.out, shownTools(h))
	}
	if len(w.servers) == 0 {
		a.notef("no MCP server is named: --mcp FILE, or the setting host.mcp; without one agents " +
			"have phones and people only")
	}
	for _, t := range h.Tools() {
		fmt.Fprintf(a.out, "%s\t%s\t%s\n", t.Name, text.Line(t.Server),
			text.Cut(text.Line(t.Description), 100))
	}
	for _, down := range h.Down() {
		a.notef("%s: %s", text.Line(down.Server), whyDown(down))
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

// hostSettings are what a session of ours is gone on with.
type hostSettings struct {
	MCP string `json:"mcp"`
}

// readServers reads the file with the servers, and gives its whole path; "" is none.
func (w *hostWork) readServers(file string) (whole string, err error) {
	if file == "" {
		return "", nil
	}
	b, err := userfile.Read(file)
	if err != nil {
		return "", usage(fmt.Errorf("the file of the MCP servers: %w", err),
			"--mcp FILE names another one")
	}
	if whole, err = filepath.Abs(file); err != nil {
		return "", err
	}
	all, err := agents.ReadServers(b, whole, environment(w.app.opts.Environ))
	if err != nil {
		return "", usageError{fmt.Errorf("in %s: %w", file, err)}
	}
	for _, s := range all {
		if s.Disabled {
			continue
		}
		if err := addEnv(&s); err != nil {
			return "", usage(fmt.Errorf("in %s: server %s: envFile: %w", file,
				text.Quote(s.Name, 80), err),
				"write a file with lines NAME=VALUE, or leave envFile out")
		}
		w.servers = append(w.servers, s)
	}
	return whole, nil
}

// addEnv adds the variables of the server's envFile that its env does not have.
func addEnv(s *agents.ServerSettings) error {
	if s.EnvFile == "" {
		return nil
	}
	b, err := userfile.Read(s.EnvFile)
	if err != nil {
		return err
	}
	env, err := agents.ReadEnv(b)
	if err != nil {
		return err
	}
	maps.Copy(env, s.Env)
	s.Env = env
	return nil
}

// begin begins a session.
func (w *hostWork) begin(ctx context.Context, goal, file string) error {
	file, err := w.readServers(file)
	if err != nil {
		return err
	}
	settings, err := json.Marshal(hostSettings{MCP: file})
	if err != nil {
		return err
	}
	w.sess, w.run, err = w.deps.store.Begin(ctx, store.Session{Client: w.client, StartKey: w.key},
		store.Run{Task: goal, Settings: settings})
	if err == nil {
		err = w.enter(ctx)
	}
	return err
}

// resume finds a session to go on with.
func (w *hostWork) resume(ctx context.Context, id string) error {
	var err error
	if w.sess, err = findSession(ctx, w.deps.store, id); err != nil {
		return err
	}
	if !w.sess.Phoneless() {
		return usage(fmt.Errorf("session %s is one of a phone", w.sess.ID),
			"taploop continue "+w.sess.ID)
	}
	w.client = w.sess.Client
	if _, err := w.deps.store.Runs.Recover(ctx); err != nil {
		return err
	}
	if w.run, err = w.deps.store.LatestRun(ctx, w.sess.ID); err != nil {
		return err
	}
	var s hostSettings
	if err := json.Unmarshal(w.run.Settings, &s); err != nil {
		return fmt.Errorf("the session's settings: %w", err)
	}
	if _, err := w.readServers(cmp.Or(w.app.conf.Host.MCP, s.MCP)); err != nil {
		return err
	}
	return w.enter(ctx)
}

// enter begins a life of the run.
func (w *hostWork) enter(ctx context.Context) error {
	if w.run.State.Terminal() {
		return runs.Refuse(runs.RunEnded,
			"taploop sessions show "+w.sess.ID+", or begin anew", "the work has ended: %s",
			w.run.State)
	}
	run, err := w.deps.store.Runs.Transition(ctx, w.run.ID, store.Change{To: store.Running,
		From: []store.State{store.Queued, store.Paused}})
	if state, ok := errors.AsType[*store.StateError](err); ok && state.State == store.Running {
		return runs.Refuse(runs.RunInProgress, "taploop stop "+w.sess.ID+" --pause pauses it there",
			"it is being worked on at this moment")
	}
	w.run = run
	return err
}

// endings are how a host's work ends, by its error; the first that fits.
var endings = []struct {
	err    error
	reason agentloop.StopReason
	hint   string
}{
	{errStoppedElsewhere, agentloop.UserPaused, ""},
	{errUnanswered, agentloop.InfoNeedsReply, "answer it (taploop inquiries), then go on"},
	{errUndecided, agentloop.ActionNeedsApproval, "decide (taploop inquiries), then go on"},
	{agentloop.ErrClosing, agentloop.ServerRestarted, ""},
	{agents.ErrCalls, agentloop.MaxStepsReached, "go on with a larger host.max_calls"},
	{agents.ErrRounds, agentloop.MaxStepsReached, "go on with a larger host.max_rounds"},
	{agents.ErrCost, agentloop.MaxStepsReached, "go on with a larger host.max_cost"},
	{agents.ErrTime, agentloop.TimeLimitReached, "go on, or set a larger host.max_time"},
	{agents.ErrUnreadable, agentloop.ModelOutputInvalid, "try another model"},
}
