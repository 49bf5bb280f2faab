package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/text"
)

type proxyCmd struct {
	Policy   string   `key:"guard.file" placeholder:"FILE"`
	URL      string   `name:"url" placeholder:"URL"`
	Header   []string `placeholder:"NAME=VARIABLE" sep:"none"`
	Name     string   `placeholder:"NAME"`
	Describe []string `placeholder:"TOOL=TEXT" sep:"none"`
	DataDir  string   `key:"data_dir" placeholder:"DIR"`
	Command  []string `arg:"" optional:"" name:"command"`
}

// Run serves MCP on stdin and stdout, in front of another server, until the client is gone or a
// signal comes.
func (c *proxyCmd) Run(ctx context.Context, a *invocation) error {
	described := map[string]string{}
	for _, d := range c.Describe {
		if !proxy.Describe(described, d) {
			return app.Usage(fmt.Errorf("--describe %q has no description", d),
				"write --describe TOOL=TEXT")
		}
	}
	target, err := c.target(a)
	if err != nil {
		return err
	}
	o := proxy.Options{Name: cmp.Or(c.Name, nameOf(target)), Target: *target, Stdio: true,
		Channels: []string{inquiry.ChannelCommandLine}, Descriptions: described}
	if err := a.Load(); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE)
	out := a.reserveStdout()
	store, err := app.OpenStore(ctx, &a.Settings, nil)
	if err != nil {
		return err
	}
	if !a.Conf.Guard.Enabled {
		app.NoteGuard(&a.Settings)
	}
	o.Leave = app.ToolLeave(store, "")
	b := app.NewBroker(&a.Settings, store)
	p, err := app.NewProxy(&a.Settings, o, b)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	sweeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var sweeper sync.WaitGroup
	sweeper.Go(func() { // ends with the cause of that
		_ = b.Run(sweeping, func(err error) {
			a.Log.Warn("looking at the questions", "error", err)
		})
	})
	err = transport.ServeStdio(ctx, p, a.in, out, &transport.Options{InOrder: true, Log: a.Log})
	p.Close()
	stop()
	sweeper.Wait()
	if ctx.Err() != nil { // a signal is a normal end
		err = serve.Without(err, context.Cause(ctx))
	}
	return errors.Join(err, store.Close())
}

// target is the server that the command line names.
func (c *proxyCmd) target(a *invocation) (*upstream.Target, error) {
	const write = "taploop proxy -- COMMAND ARGUMENTS..., or taploop proxy --url URL"
	env := app.Environment(a.Options.Environ)
	switch u, err := url.Parse(c.URL); {
	case c.URL == "" && len(c.Header) > 0:
		return nil, app.Usage(errors.New("--header is for --url"), write)
	case c.URL == "" && len(c.Command) == 0:
		return nil, app.Usage(errors.New("there is no server to be in front of"), write)
	case c.URL != "" && len(c.Command) > 0:
		return nil, app.Usage(errors.New("there are both a command and --url"), write)
	case c.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return nil, app.Usage(errors.New("--url is no address of an HTTP server"),
			"write --url https://HOST/PATH")
	}
	if c.URL == "" {
		if _, err := exec.LookPath(c.Command[0]); err != nil {
			return nil, hint.Add(fmt.Errorf("the server's command cannot be found: %w", err),
				"install it, or write its whole path")
		}
	}
	t := app.NewUpstream(env)
	t.Command, t.URL = c.Command, c.URL
	for _, h := range c.Header {
		name, variable, ok := strings.Cut(h, "=")
		value := env[variable]
		if !ok || name == "" || value == "" {
			return nil, app.Usage(fmt.Errorf("--header %q: the variable is not set", h),
				"export AUTH='Bearer TOKEN', and write --header Authorization=AUTH")
		}
		t.Header(name, value)
	}
	return t.Target, nil
}

// nameOf is a name for a server that was given none: its host, or the first word of the command
// that says which program it is.
func nameOf(t *upstream.Target) string {
	if t.URL != "" {
		if u, err := url.Parse(t.URL); err == nil {
			return u.Hostname()
		}
		return "server"
	}
	starters := []string{"npx", "uvx", "uv", "run", "node", "python", "python3", "bunx", "deno",
		"sh", "pnpm", "dlx", "docker", "exec", "env"}
	for i, word := range t.Command {
		word = strings.TrimSuffix(filepath.Base(word), ".exe")
		if i > 0 && strings.HasPrefix(word, "-") || slices.Contains(starters, word) {
			continue
		}
		return text.Cut(text.Line(word), 60)
	}
	return text.Cut(text.Line(filepath.Base(t.Command[0])), 60)
}
