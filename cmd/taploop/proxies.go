package main

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/config"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
)

// proxies are the servers that taploop serve --http stands in front of.
type proxies struct {
	list []*proxy.Proxy
	ways []*transport.HTTP
}

// openProxies puts the configured proxies at /proxy/NAME/mcp. No server is started before a client
// comes.
func (w *wiring) openProxies(d *deps, mux *http.ServeMux, opts transport.Options) (*proxies,
	error) {
	all := &proxies{}
	opts.Context = proxy.Connected
	for _, name := range slices.Sorted(maps.Keys(w.conf.Proxies)) {
		rules, err := w.conf.ProxyPolicy(name, w.lang())
		if err != nil {
			return nil, usageError{err}
		}
		p, err := w.proxy(proxy.Options{Name: name, Guard: rules, Channels: d.channels,
			Target: *w.proxied(w.conf.Proxies[name])}, d.manager.Broker())
		if err != nil {
			return nil, err
		}
		way := transport.NewHTTP(p, &opts)
		all.list, all.ways = append(all.list, p), append(all.ways, way)
		mux.Handle("/proxy/"+name+"/mcp", way)
	}
	return all, nil
}

// proxied is a server of the configuration.
func (w *wiring) proxied(s config.ProxyServer) *upstream.Target {
	t := newTarget(environment(w.opts.Environ))
	t.URL = s.URL
	if s.Command != "" {
		t.Command = append([]string{s.Command}, s.Args...)
	}
	for name, value := range s.Env {
		t.Env = append(t.Env, name+"="+string(value)) // the last one counts
		t.Secrets = append(t.Secrets, string(value))
	}
	for name, value := range s.Headers {
		t.header(name, string(value))
	}
	return t.Target
}

// close ends the clients' calls, and then the servers.
func (p *proxies) close(ctx context.Context) error {
	if p == nil {
		return nil
	}
	var closing sync.WaitGroup
	errs := make([]error, len(p.ways))
	for i, way := range p.ways {
		closing.Go(func() {
			errs[i] = way.Close(ctx)
			p.list[i].Close()
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}
