package serve

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/transport"
)

// proxies are the MCP servers that the HTTP server stands in front of.
type proxies struct {
	list []*proxy.Proxy
	ways []*transport.HTTP
}

// openProxies puts the configured proxies at /proxy/NAME/mcp. A server is started for its first
// client.
func openProxies(s *app.Settings, d *app.Parts, mux *http.ServeMux, opts transport.Options) (
	*proxies, error) {
	all := &proxies{}
	opts.Context = proxy.Connected
	for _, name := range slices.Sorted(maps.Keys(s.Conf.Proxies)) {
		p, err := app.NewConfiguredProxy(s, name, d.Store, d.Channels, d.Manager.Broker())
		if err != nil {
			return nil, err
		}
		way := transport.NewHTTP(p, &opts)
		all.list, all.ways = append(all.list, p), append(all.ways, way)
		mux.Handle("/proxy/"+name+"/mcp", way)
	}
	return all, nil
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
