package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/jsonfile"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/token"
	"github.com/taploop/taploop/tools"
)

// serveHTTP serves any number of clients at /mcp, and people at /ui and /v1, until a signal comes.
func (a *app) serveHTTP(ctx context.Context) error {
	auth := &authenticator{tokens: tokens(a.conf), open: httpguard.Loopback(a.conf.HTTP.Addr)}
	if err := auth.check(a.conf.HTTP.Addr); err != nil {
		return err
	}
	stop := auth.watch(ctx, a.conf.DataDir)
	defer stop()
	ln, err := listen(a.conf.HTTP.Addr)
	if err != nil {
		return err
	}
	page, url := &webUI{}, a.publicURL(ln.Addr())
	counted := counters{metrics.NewSet()}
	person, closeTTY := a.console()
	defer closeTTY()
	s, err := a.start(ctx, overrides{console: person, url: url,
		observe: func(e runs.Event) { counted.observe(e); page.observe(e) }})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	opts := a.transportOptions(auth, s)
	wire := transport.NewHTTP(s.mcp, &opts)
	mux := http.NewServeMux()
	mux.Handle("/mcp", wire)
	mux.Handle("/mcp/{$}", wire)
	proxied, err := a.openProxies(s.deps, mux, opts)
	if err != nil {
		return errors.Join(err, ln.Close(), s.deps.Close())
	}
	if a.conf.HTTP.Metrics {
		counted.NewGauge("taploop_adb_connections_total", func() float64 {
			return float64(s.deps.host.Connections())
		})
		mux.Handle("GET /metrics", counted.handler(a.conf.HTTP, auth))
	}
	page.open(a, s, auth, mux)
	srv := &http.Server{Handler: httpguard.Timely(mux), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute,
		ErrorLog:    slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)}
	err = a.letIn(ctx, srv, ln, url)
	return errors.Join(err,
		shutDownHTTP(ctx, s.shutDown(graceOfSignal), srv, wire, proxied, page))
}

// transportOptions are those of every MCP server that is served over HTTP.
func (w *wiring) transportOptions(auth *authenticator, s *service) transport.Options {
	return transport.Options{
		Hosts: w.conf.HTTP.Hosts, Origins: w.conf.HTTP.Origins, Authorize: auth.authorize,
		Changed: auth.files.Changed, Operator: w.isOperator, Context: tools.Connected, Log: w.log,
		Subscribe: s.tools.MaySubscribe,
	}
}

// letIn takes new clients at ln, which other processes find by its url, until ctx ends. Then srv
// goes on for those who are there.
func (a *app) letIn(ctx context.Context, srv *http.Server, ln net.Listener, url string) error {
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }() // ends with ln
	entry, err := publishServer(a.conf.DataDir, url)
	if err == nil {
		a.announce(ln.Addr())
		select {
		case <-ctx.Done():
		case err = <-served:
			served <- nil
		}
	}
	_ = ln.Close() // no new clients from here on
	<-served
	return errors.Join(err, entry.remove())
}

// isOperator reports whether a token of that name answers for everybody.
func (w *wiring) isOperator(name string) bool {
	return slices.Contains(w.conf.HTTP.Operators, name)
}

// announce says where the server is, and to a person also how to get in. What gets one in is not
// said: this may be a log.
func (s *streams) announce(addr net.Addr) {
	s.notef("listening on http://%s/mcp", addr)
	if _, ok := terminalOf(s.err); ok {
		s.notef("questions are answered at /ui; for a link that logs a browser in: taploop ui")
	}
}

// listen opens the address. Clients that come before the server is ready wait.
func listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, hint.Add(fmt.Errorf("listening: %w", err), listenHint(err))
	}
	if httpguard.Loopback(addr) && !httpguard.Loopback(ln.Addr().String()) {
		err = fmt.Errorf("listening: %s is %s here, which can be reached from elsewhere", addr,
			ln.Addr())
		return nil, errors.Join(hint.Add(err, "write 127.0.0.1"), ln.Close())
	}
	return ln, nil
}

func listenHint(err error) string {
	if errors.Is(err, fs.ErrPermission) {
		return "the ports up to 1023 are the administrator's; choose one above 1023: " +
			"taploop serve --http 127.0.0.1:8702"
	}
	return "end the server that has the address, or choose another one: " +
		"taploop serve --http 127.0.0.1:0"
}

// shutDownHTTP ends in an order that loses nothing: the runs paused, the calls that waited for them
// answered, the pages told, then everything else.
func shutDownHTTP(ctx context.Context, e *shutdown, srv *http.Server, wire *transport.HTTP,
	proxied *proxies, page *webUI) error {
	e.pause()
	ctx, cancel := e.context(ctx)
	defer cancel()
	err := errors.Join(wire.Close(ctx), proxied.close(ctx))
	return errors.Join(err, page.close(ctx), srv.Close(), e.finish())
}

// authenticator lets clients in. On loopback, while there are no tokens, everybody on this machine
// may come in; as soon as there is one, and always where others can reach us, every request brings
// one.
type authenticator struct {
	tokens *token.Store
	open   bool             // we listen on loopback
	files  jsonfile.Watcher // of the tokens and the logins of browsers
}

// watch notices what other processes make of the tokens and logins, until stop returns.
func (g *authenticator) watch(ctx context.Context, dir string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { g.files.Run(ctx, tokensFile(dir), loginsFile(dir)) })
	return func() { cancel(); watching.Wait() }
}

// check refuses to listen where no client could be let in, or any.
func (g *authenticator) check(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return usage(fmt.Errorf("http.addr: %w", err),
			"write HOST:PORT, for example 127.0.0.1:8702")
	}
	list, err := g.tokens.List()
	if err != nil || g.open || len(list) > 0 {
		return err
	}
	return usage(fmt.Errorf("%s can be reached from elsewhere, and there is no token yet", addr),
		"taploop token create --name NAME, and give the token to the client; "+
			"or listen on 127.0.0.1")
}

var (
	errNoToken = errors.New("this server wants a token: " +
		"send the header Authorization: Bearer TOKEN (taploop token create)")
	errBadToken = hint.Add(errors.New("the token is not known, or was revoked"),
		"taploop token list shows which there are, taploop token create --name NAME makes another")
	errTokens = errors.New("the tokens cannot be read; the server's log has more")
)

// authorize implements transport.Options.Authorize. The principal is the token's name.
func (g *authenticator) authorize(r *http.Request) (string, error) {
	given := r.Header.Values("Authorization")
	if len(given) == 0 {
		list, err := g.tokens.List()
		switch {
		case err != nil:
			return "", errTokens
		case g.open && len(list) == 0:
			return "", nil
		}
		return "", errNoToken
	}
	scheme, secret, _ := strings.Cut(given[0], " ")
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return "", errNoToken
	}
	info, err := g.tokens.Check(strings.TrimSpace(secret))
	switch {
	case errors.Is(err, token.ErrNone):
		return "", errBadToken
	case err != nil:
		return "", errTokens
	}
	return info.Name, nil
}

// isPerson reports whether the token of that name is a person's.
func (g *authenticator) isPerson(name string) bool {
	info, err := g.tokens.Find(name)
	return err == nil && info.Name == name && info.Person
}

// person is authorize, but always wants a token: an answer is a person's word.
func (g *authenticator) person(r *http.Request) (string, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		return "", errNoToken
	}
	return g.authorize(r)
}
