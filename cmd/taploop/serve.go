package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

type serveCmd struct {
	HTTP      httpFlag `name:"http" help:"Serve Streamable HTTP at /mcp, on ADDR (HOST:PORT) or else on http.addr; without it MCP is on stdin and stdout."`
	Addr      string   `arg:"" optional:"" help:"The address for --http." placeholder:"ADDR"`
	ReplyMode string   `key:"reply.mode" help:"What happens when the model asks and the call does not say: ${reply_modes}, or several like 'elicit -> pass'." placeholder:"MODE"`
	Privacy   string   `key:"privacy" help:"off, or captions: no picture leaves over MCP." placeholder:"LEVEL"`
	Schemas   string   `key:"schemas" help:"How much the list of tools says: brief, or full with rare arguments, bounds and output schemas." placeholder:"LIST"`
	Compat    string   `key:"compat" help:"off, or gelab: the tools as gelab-zero's MCP server has them." placeholder:"NAME"`
	workFlags
}

// httpFlag is --http, or --http=ADDR. With --http ADDR the address is an argument.
type httpFlag struct {
	on   bool
	addr string
}

// IsBool implements kong.BoolMapperValue.
func (*httpFlag) IsBool() bool { return true }

// Decode implements kong.MapperValue.
func (f *httpFlag) Decode(ctx *kong.DecodeContext) error {
	f.on = true
	if t := ctx.Scan.Peek(); t.Type == kong.FlagValueToken {
		f.addr, _ = ctx.Scan.Pop().Value.(string)
	}
	return nil
}

// Run serves until the client is gone or a signal comes. Both are its normal end, with exit code 0.
func (c *serveCmd) Run(ctx context.Context, a *app) error {
	switch {
	case c.Addr != "" && !c.HTTP.on:
		return usage(fmt.Errorf("there is an address %q and no --http", c.Addr),
			"taploop serve --http "+c.Addr)
	case c.Addr != "" && c.HTTP.addr != "":
		return usage(fmt.Errorf("there are two addresses, %q and %q", c.HTTP.addr, c.Addr),
			"keep one of them")
	case c.Addr != "":
		c.HTTP.addr = c.Addr
	}
	if c.HTTP.addr != "" {
		a.opts.Flags["http.addr"] = c.HTTP.addr
	}
	if err := a.load(); err != nil {
		return err
	}
	// A client or a log that is gone is an error of that write, and not our end.
	signal.Ignore(syscall.SIGPIPE)
	if c.HTTP.on {
		return a.serveHTTP(ctx)
	}
	return a.serveStdio(ctx)
}

// service is the dependencies with the MCP server in front of them.
type service struct {
	*deps
	mcp   *server.MCPServer
	tools *tools.Tools
	waits usecase.Waits // of calls that are not MCP clients'
	calls calls
}

// start opens the dependencies, takes over what a former server has left behind, and puts the tools
// in front. Phones, the ADB server and the model need not be there yet.
func (a *app) start(ctx context.Context, o overrides) (*service, error) {
	if err := a.conf.Notify.Ready(); err != nil {
		return nil, usageError{err}
	}
	o.grace, o.handOver = a.conf.Calls.DetachGrace, a.conf.Loop.HandOver
	if a.conf.Host.Enabled {
		o.host = &hosting{}
	}
	var hear atomic.Pointer[tools.Tools]
	observe := o.observe
	o.observe = func(e runs.Event) {
		if observe != nil {
			observe(e)
		}
		if of := hear.Load(); of != nil {
			of.Changed(context.WithoutCancel(ctx), e)
		}
	}
	d, err := a.open(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := d.manager.Recover(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("taking over from the last server: %w", err), d.Close())
	}
	s := &service{deps: d, calls: calls{log: a.log}}
	s.mcp = server.NewMCPServer("taploop", ownVersion(), server.WithTitle("taploop"),
		server.WithInstructions(tools.Instructions),
		server.WithToolCapabilities(false), server.WithRecovery(),
		server.WithToolHandlerMiddleware(s.calls.count))
	opts := a.toolOptions(d)
	s.tools, s.waits = tools.New(opts), opts.Waits
	s.tools.Register(s.mcp)
	hear.Store(s.tools)
	if err := a.notify(d); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return s, nil
}

func (a *app) toolOptions(d *deps) *tools.Options {
	calls := a.conf.Calls
	clients := map[string]usecase.Waits{}
	for name, c := range calls.Clients {
		clients[name] = usecase.Waits{Default: c.Wait, Max: c.MaxWait}
	}
	return &tools.Options{
		Options: usecase.Options{Runs: d.manager, Goals: a.conf.Host.Enabled,
			Questions: d.manager.Broker(), Store: d.store,
			Leases: d.store.Leases, Phones: d.phones, ReplyMode: channel.Mode(a.conf.Reply.Mode),
			OnTimeout: a.onTimeout(), Drafts: a.conf.Questions.Draft != "",
			MaxSteps: a.conf.Loop.MaxSteps, Privacy: usecase.Privacy(a.conf.Privacy),
			Channels: d.channels, Log: a.log},
		Sign: d.store.Sign,
		Waits: usecase.Waits{Default: calls.Wait, Max: calls.MaxWait,
			Heartbeat: calls.Heartbeat},
		ClientWaits: clients, Compat: tools.Compat(a.conf.Compat),
		Schemas: tools.Schemas(a.conf.Schemas), BaseURL: d.url,
	}
}

// reserveStdout keeps everybody else off stdout, which belongs to the protocol: what libraries
// print goes to stderr. It returns stdout itself.
func (s *streams) reserveStdout() io.Writer {
	out := s.out
	if w, wraps := out.(wrapper); wraps {
		out = w.Unwrap()
	}
	if out == io.Writer(os.Stdout) {
		os.Stdout = os.Stderr
	}
	s.out = s.err
	return out
}
