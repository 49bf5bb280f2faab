package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/notify"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/tools"
)

// HTTP serves any number of clients at /mcp, and people at /ui and /v1, until ctx ends.
func HTTP(ctx context.Context, set *app.Settings, o Options) error {
	conf := set.Conf.HTTP
	ctx, drained := context.WithCancel(ctx)
	defer drained()
	auth, db, err := openAuthenticator(ctx, set)
	if err != nil {
		return err
	}
	stop := auth.watch(ctx, set.Conf.DataDir,
		func(err error) { set.Log.Warn("tokens", "err", err) })
	defer stop()
	ln, err := listen(conf.Addr)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	page, url := &webUI{}, publicURL(conf.URL, ln.Addr())
	counts := NewCounters()
	s, err := Start(ctx, set, app.Options{Store: db, Console: o.Console, URL: url, Drained: drained,
		Observe: func(e runs.Event) { counts.Observe(e); page.observe(e) }})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	s.OnClose(func() error { stop(); return nil }) // it stores the last uses of tokens
	opts := transportOptions(set, auth, s)
	wire := transport.NewHTTP(s.MCP, &opts)
	mux := http.NewServeMux()
	mux.Handle("/mcp", wire)
	mux.Handle("/mcp/{$}", wire)
	proxied, err := openProxies(set, s.Parts, mux, opts)
	if err != nil {
		return errors.Join(err, ln.Close(), s.Close())
	}
	if conf.Metrics {
		mux.Handle("GET /metrics", counts.handler(conf, auth, s.measure))
	}
	s.operate(mux, counts)
	s.schedules(set.Conf.Schedule)
	page.open(set, s, auth, mux)
	srv := httpServer(counted(turnLateAway(auth.limited(mux)), counts, set.Log), set.Log)
	srv.ConnContext = s.markLate
	var e *shutdown
	err = letIn(ctx, srv, ln, func() (*serverFile, error) {
		entry, err := publishServer(set.Conf.DataDir, url)
		if err == nil && o.Announce != nil {
			o.Announce(ln.Addr())
		}
		s.until(s.presence.run) // what it says of the phones comes after the address
		return entry, err
	}, func() { e = s.shutDown(graceOfSignal); e.pause() })
	return errors.Join(err, shutDownHTTP(ctx, e, srv, wire, proxied, page))
}

func httpServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{Handler: httpguard.Timely(h), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout: 2 * time.Minute, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
}

// operate serves the health of s, and watches its questions until it is closed.
func (s *Service) operate(mux *http.ServeMux, counts counters) {
	h := &health{store: s.Store.Probe, pictures: s.Store.Farm.Pictures, bucket: s.Store.Farm.Bucket(),
		draining: s.draining.Load,
		adb:      func(ctx context.Context) error { _, err := s.Farm.States(ctx); return err }}
	mux.HandleFunc("GET /healthz", h.healthy)
	mux.HandleFunc("GET /readyz", h.ready)
	s.follow(counts.Settled)
	s.presence.lost = func(serial string) {
		s.tell(notify.Notice{Event: notify.PhoneLost, At: time.Now(), Serial: serial})
	}
}

// transportOptions are those of every MCP server that is served over HTTP.
func transportOptions(set *app.Settings, auth *authenticator, s *Service) transport.Options {
	return transport.Options{InOrder: true,
		Hosts: set.Conf.HTTP.Hosts, Origins: set.Conf.HTTP.Origins,
		Authorize: func(r *http.Request) (string, error) {
			name, err := auth.authorize(r)
			if errors.Is(err, errTokens) {
				err = fmt.Errorf("%w: %w", err, transport.ErrNotNow)
			}
			return name, err
		},
		Changed:  auth.changes.Next,
		Operator: func(name string) bool { return isOperator(set, name) },
		Person:   func(name string) bool { _, is := person(auth.tokens, name); return is },
		Context:  tools.Connected, Log: set.Log,
		Subscribe: s.tools.MaySubscribe,
	}
}

// letIn takes new clients at ln until ctx has ended and drain has returned. Then srv still serves
// the clients that are there. publish tells others where the server is.
func letIn(ctx context.Context, srv *http.Server, ln net.Listener,
	publish func() (*serverFile, error), drain func()) error {
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }() // ends with ln
	entry, err := publish()
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-served:
			served <- nil
		}
	}
	err = errors.Join(err, entry.remove())
	drain()
	_ = ln.Close() // no new clients from here on
	<-served
	return err
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

// shutDownHTTP ends in an order that loses nothing once the runs are paused: the calls that waited
// for them answered, the pages told, then everything else.
func shutDownHTTP(ctx context.Context, e *shutdown, srv *http.Server, wire *transport.HTTP,
	proxied *proxies, page *webUI) error {
	ctx, cancel := e.context(ctx)
	defer cancel()
	err := errors.Join(wire.Close(ctx), proxied.close(ctx))
	return errors.Join(err, page.close(ctx), srv.Close(), e.finish())
}
