// Package serve serves MCP to clients, on stdin and stdout or over HTTP, and the page and the API
// over HTTP to people and programs. Service is an MCP server with the parts below it, Stdio and
// HTTP put it in front of clients, and shutdown ends it in an order that loses nothing.
package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools"
)

// Options are what the process gives to a server.
type Options struct {
	Console  terminal.Lines // the person at the terminal, or nil
	In       io.Reader      // of Stdio
	Out      io.Writer      // of Stdio, for the protocol alone
	Announce func(net.Addr) // tells a person where HTTP listens, may be nil
}

// Service is the parts with the MCP server in front of them.
type Service struct {
	*app.Parts
	MCP   *server.MCPServer
	tools *tools.Tools
	waits usecase.Waits // of calls by other than MCP clients
	calls calls

	log      *slog.Logger
	dataDir  string
	presence *presence
	size     size
	draining atomic.Bool // no runs are begun any more
	notifier atomic.Pointer[notify.Notifier]
}

// Start opens the parts, takes over what a former server has left behind, and puts the tools in
// front. Phones, the ADB server and the model need not be there yet. The caller closes the service.
func Start(ctx context.Context, set *app.Settings, o app.Options) (*Service, error) {
	if err := set.Conf.Notify.Ready(); err != nil {
		return nil, app.Usage(err, "")
	}
	o.Grace, o.HandOver = set.Conf.Calls.DetachGrace, set.Conf.Loop.HandOver
	o.Reunite = true
	o.Privacy = usecase.Privacy(set.Conf.Privacy)
	if set.Conf.Host.Enabled {
		o.Host = &app.Hosting{}
	}
	var hear atomic.Pointer[Service]
	o.Observe = app.Both(o.Observe, func(e runs.Event) {
		if s := hear.Load(); s != nil {
			s.tools.Changed(context.WithoutCancel(e.Context), e)
			s.logRun(context.WithoutCancel(e.Context), e)
		}
	})
	d, err := app.Open(ctx, set, o)
	if err != nil {
		return nil, err
	}
	s := &Service{Parts: d, calls: calls{log: set.Log}, log: set.Log, dataDir: set.Conf.DataDir,
		presence: &presence{states: d.Farm.States, log: set.Log}}
	tokens, err := Tokens(set.Conf.DataDir, d.Store)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	opts := toolOptions(set, d, rights(set, tokens))
	s.tools, s.waits = tools.New(opts), opts.Waits
	hear.Store(s)
	// before there are notices about runs that a former server left behind
	if err := s.notifyPeople(set); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if err := d.Manager.Recover(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("taking over from the last server: %w", err), d.Close())
	}
	if err := d.Manager.ResumePaused(ctx, runs.Resume(set.Conf.Runs.Resume)); err != nil {
		return nil, errors.Join(fmt.Errorf("resuming runs: %w", err), d.Close())
	}
	d.Manager.Attend(runs.Resume(set.Conf.Runs.Resume))
	s.until(func(ctx context.Context) { s.Farm.Attend(ctx, o.Drained) })
	s.offer(set)
	s.retain(set.Conf.Retention)
	return s, nil
}

// offer puts the tools in front.
func (s *Service) offer(set *app.Settings) {
	s.MCP = server.NewMCPServer("taploop", set.Version, server.WithTitle("taploop"),
		server.WithInstructions(tools.Instructions),
		server.WithToolCapabilities(set.Conf.Skills.Tools), server.WithRecovery(),
		server.WithToolHandlerMiddleware(s.calls.count))
	s.tools.Register(s.MCP)
	if set.Conf.Skills.Tools {
		s.until(s.tools.WatchSkills)
	}
}

func toolOptions(
	s *app.Settings, d *app.Parts, rights func(string) usecase.Rights,
) *tools.Options {
	calls := s.Conf.Calls
	clients := map[string]usecase.Waits{}
	for name, c := range calls.Clients {
		clients[name] = usecase.Waits{Default: c.Wait, Max: c.MaxWait}
	}
	return &tools.Options{
		Options: d.UseCases, Sign: d.Store.Sign, Rights: rights,
		Waits: usecase.Waits{Default: calls.Wait, Max: calls.MaxWait,
			Heartbeat: calls.Heartbeat},
		ClientWaits: clients, Compat: tools.Compat(s.Conf.Compat),
		Schemas: tools.Schemas(s.Conf.Schemas), BaseURL: d.URL,
	}
}
