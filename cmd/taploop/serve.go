package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
)

type serveCmd struct {
	HTTP      httpFlag `name:"http"`
	Addr      string   `arg:"" optional:"" placeholder:"ADDR"`
	ReplyMode string   `key:"reply.mode" placeholder:"MODE"`
	Privacy   string   `key:"privacy" placeholder:"LEVEL"`
	Schemas   string   `key:"schemas" placeholder:"LIST"`
	Role      string   `key:"farm.role" placeholder:"ROLE"`
	Health    bool
	Compat    string `key:"compat" placeholder:"NAME"`
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
func (c *serveCmd) Run(ctx context.Context, a *invocation) error {
	switch {
	case c.Addr != "" && !c.HTTP.on:
		return app.Usage(fmt.Errorf("there is an address %q and no --http", c.Addr),
			"taploop serve --http "+c.Addr)
	case c.Addr != "" && c.HTTP.addr != "":
		return app.Usage(fmt.Errorf("there are two addresses, %q and %q", c.HTTP.addr, c.Addr),
			"keep one of them")
	case c.Addr != "":
		c.HTTP.addr = c.Addr
	}
	if c.HTTP.addr != "" {
		a.Options.Flags["http.addr"] = c.HTTP.addr
	}
	if err := a.loadLogging(slog.LevelInfo); err != nil {
		return err
	}
	if c.Health {
		return serve.Alive(ctx, a.Conf.HTTP.Addr)
	}
	role := a.Conf.Farm.Role
	if role != config.Both && !store.Networked(string(a.Conf.Store.URL)) {
		return app.Usage(fmt.Errorf("the role %s is for servers that share a store", role),
			"name their PostgreSQL in store.url, or leave the role out")
	}
	// A client or a log that is gone is an error of that write, and not our end.
	signal.Ignore(syscall.SIGPIPE)
	var o serve.Options
	if c.HTTP.on {
		person, closeTTY := tty.Person(a.in, a.err)
		defer closeTTY()
		o.Console, o.Announce = person, a.announce
		return serve.HTTP(ctx, &a.Settings, o)
	}
	if role == config.Worker {
		return serve.Worker(ctx, &a.Settings, o)
	}
	o.In, o.Out = a.in, a.reserveStdout()
	person, closeTTY := tty.Open()
	defer closeTTY()
	o.Console = person
	return serve.Stdio(ctx, &a.Settings, o)
}

// announce says where the server is, and to a person also how to get in. It does not print what
// lets one in: stderr may be a log.
func (a *invocation) announce(addr net.Addr) {
	s := &a.streams
	if a.Conf.Log.Format == "json" {
		logs.New(s.err, "json", slog.LevelInfo).Info("listening", "address",
			"http://"+addr.String()+"/mcp")
		return
	}
	s.notef("listening on http://%s/mcp", addr)
	if _, ok := tty.Of(s.err); ok {
		s.notef("questions are answered at /ui; for a link that logs a browser in: taploop ui")
	}
}

// reserveStdout keeps everybody else off stdout, which belongs to the protocol: what libraries
// print goes to stderr. It returns stdout itself.
func (s *streams) reserveStdout() io.Writer {
	out := s.out
	if w, wraps := out.(tty.Wrapper); wraps {
		out = w.Unwrap()
	}
	if out == io.Writer(os.Stdout) {
		os.Stdout = os.Stderr
	}
	s.out = s.err
	return out
}
