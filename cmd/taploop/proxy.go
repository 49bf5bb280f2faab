package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/text"
)

type proxyCmd struct {
	Policy   string   `key:"guard.file" help:"A file with rules (docs/guard.md), besides those of the configuration; an action is a tool's name, and its app the server's." placeholder:"FILE"`
	URL      string   `name:"url" help:"The server's address, in the place of a command." placeholder:"URL"`
	Header   []string `help:"A header for the address, with its value in a variable of the environment. May be repeated." placeholder:"NAME=VARIABLE" sep:"none"`
	Name     string   `help:"The server's name, for rules and people; the default is made of the command or address." placeholder:"NAME"`
	Describe []string `help:"Another description of a tool. May be repeated." placeholder:"TOOL=TEXT" sep:"none"`
	DataDir  string   `key:"data_dir" help:"Where questions are kept; those of a server that uses the same folder are on its inbox page." placeholder:"DIR"`
	Command  []string `arg:"" optional:"" name:"command" help:"The server's command with its arguments, behind --."`
}

// Run serves MCP on stdin and stdout, in front of another server, until the client is gone or a
// signal comes.
func (c *proxyCmd) Run(ctx context.Context, a *app) error {
	described := map[string]string{}
	for _, d := range c.Describe {
		if !proxy.Describe(described, d) {
			return usage(fmt.Errorf("--describe %q has no description", d),
				"write --describe TOOL=TEXT")
		}
	}
	target, err := c.target(a)
	if err != nil {
		return err
	}
	o := proxy.Options{Name: cmp.Or(c.Name, nameOf(target)), Target: *target, Stdio: true,
		Channels: []string{inquiry.ChannelCommandLine}, Descriptions: described}
	if err := a.load(); err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE)
	out := a.reserveStdout()
	store, err := a.store(ctx, nil)
	if err != nil {
		return err
	}
	if !a.conf.Guard.Enabled {
		for _, line := range a.guardNotes() {
			a.notef("%s", line)
		}
	}
	b := a.broker(store)
	p, err := a.proxy(o, b)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	sweeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var sweeper sync.WaitGroup
	sweeper.Go(func() { // ends with the cause of that
		_ = b.Run(sweeping, func(err error) {
			a.log.Warn("looking at the questions", "error", err)
		})
	})
	err = transport.ServeStdio(ctx, p, a.in, out, &transport.Options{Log: a.log})
	p.Close()
	stop()
	sweeper.Wait()
	if ctx.Err() != nil { // a signal is a normal end
		err = without(err, context.Cause(ctx))
	}
	return errors.Join(err, store.Close())
}

// proxy is one with what the configuration says of all of them.
func (w *wiring) proxy(o proxy.Options, b *inquiry.Broker) (*proxy.Proxy, error) {
	var err error
	if o.Guard == nil {
		if o.Guard, err = w.conf.GuardPolicy(w.lang()); err != nil {
			return nil, usageError{err}
		}
	}
	calls := w.conf.Calls
	o.Questions = b
	o.OnUndecided = inquiry.OnTimeout(w.conf.Questions.OnUndecided)
	o.Expires, o.Heartbeat = w.conf.Guard.Expires, calls.Heartbeat
	o.Log = w.log
	if o.Wait != nil {
		return proxy.New(&o)
	}
	o.Wait = func(client string, progress bool) time.Duration {
		wait := calls.Wait
		for name, of := range calls.Clients {
			if strings.EqualFold(name, client) {
				wait = cmp.Or(of.Wait, wait)
			}
		}
		switch {
		case wait > 0:
			return wait
		case progress:
			return min(45*time.Second, calls.MaxWait)
		}
		return min(25*time.Second, calls.MaxWait)
	}
	return proxy.New(&o)
}

// target is the server that the command line names.
func (c *proxyCmd) target(a *app) (*upstream.Target, error) {
	const write = "taploop proxy -- COMMAND ARGUMENTS..., or taploop proxy --url URL"
	env := environment(a.opts.Environ)
	switch u, err := url.Parse(c.URL); {
	case c.URL == "" && len(c.Header) > 0:
		return nil, usage(errors.New("--header is for --url"), write)
	case c.URL == "" && len(c.Command) == 0:
		return nil, usage(errors.New("there is no server to be in front of"), write)
	case c.URL != "" && len(c.Command) > 0:
		return nil, usage(errors.New("there are both a command and --url"), write)
	case c.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
		return nil, usage(errors.New("--url is no address of an HTTP server"),
			"write --url https://HOST/PATH")
	}
	if c.URL == "" {
		if _, err := exec.LookPath(c.Command[0]); err != nil {
			return nil, hint.Add(fmt.Errorf("the server's command cannot be found: %w", err),
				"install it, or write its whole path")
		}
	}
	t := newTarget(env)
	t.Command, t.URL = c.Command, c.URL
	for _, h := range c.Header {
		name, variable, ok := strings.Cut(h, "=")
		value := env[variable]
		if !ok || name == "" || value == "" {
			return nil, hint.Add(usageError{fmt.Errorf("--header %q: the variable is not set", h)},
				"export AUTH='Bearer TOKEN', and write --header Authorization=AUTH")
		}
		t.header(name, value)
	}
	return t.Target, nil
}

// target is a server that is started with our environment, or called with headers.
type target struct{ *upstream.Target }

func newTarget(env map[string]string) target {
	t := target{&upstream.Target{Headers: map[string]string{}}}
	for name, value := range env {
		if strings.HasPrefix(name, "TAPLOOP_") { // ours are none of its business
			continue
		}
		t.Env = append(t.Env, name+"="+value)
		if secretName.MatchString(name) && !isFile(value) {
			t.Secrets = append(t.Secrets, value)
		}
	}
	slices.Sort(t.Env)
	return t
}

// isFile reports whether a value is the path of a file. Secrets begin with a slash, too.
func isFile(value string) bool {
	_, err := os.Stat(value)
	return filepath.IsAbs(value) && err == nil
}

// header adds one whose value is shown nowhere, nor what follows the scheme in it.
func (t target) header(name, value string) {
	t.Headers[name] = value
	_, credentials, _ := strings.Cut(value, " ")
	t.Secrets = append(t.Secrets, value, credentials)
}

// secretName matches the names of variables whose values are shown nowhere.
var secretName = regexp.MustCompile(
	`(?i)key|token|secret|passw|credential|auth|cookie|private|(?:^|_)(?:pat|pwd)(?:$|_)`)

// environment is NAME=VALUE by name.
func environment(list []string) map[string]string {
	env := map[string]string{}
	for _, pair := range list {
		if name, value, ok := strings.Cut(pair, "="); ok && name != "" {
			env[name] = value
		}
	}
	return env
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
