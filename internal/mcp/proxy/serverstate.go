package proxy

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// serverState is what a client with a handshake has told its server, and a server that is started
// again has to be told again.
type serverState struct {
	conn *connection

	mu         sync.Mutex
	handshake  *message
	level      *message        // the last logging/setLevel
	subscribed map[string]bool // resources, by URI
}

// maxSubscribed is how many subscriptions of a client are told a server again.
const maxSubscribed = 100

// startTime is how long a server has for the handshake.
const startTime = time.Minute

// record keeps what a client has told its server.
func (s *serverState) record(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := wire.Text(wire.At(m.Params, "uri"))
	switch m.Method {
	case string(mcp.MethodInitialize):
		s.handshake = m
	case string(mcp.MethodSetLogLevel):
		s.level = m
	case string(mcp.MethodResourcesUnsubscribe):
		delete(s.subscribed, uri)
	case string(mcp.MethodResourcesSubscribe):
		if len(s.subscribed) < maxSubscribed {
			s.subscribed[uri] = true
		}
	}
}

// initialize makes the handshake again.
func (s *serverState) initialize(ctx context.Context, up upstream.Conn, handshake *message) error {
	sent := upstream.Request(nil, handshake.Method, handshake.Params)
	resp, err := s.conn.roundTrip(ctx, up, sent)
	if err != nil {
		return err
	}
	if resp.Error != nil {
		return s.conn.fault("it refused the handshake: %s",
			wire.Text(wire.At(resp.Error, "message")))
	}
	if err := up.Send(ctx, upstream.Request(nil, "notifications/initialized", nil)); err != nil {
		return s.conn.fault("%v", err)
	}
	return nil
}

// restore tells it all to a server that knows nothing of it.
func (s *serverState) restore(ctx context.Context, up upstream.Conn) error {
	s.mu.Lock()
	handshake, level := s.handshake, s.level
	uris := slices.Collect(maps.Keys(s.subscribed))
	s.mu.Unlock()
	if handshake == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := s.initialize(ctx, up, handshake); err != nil {
		return err
	}
	for _, uri := range uris {
		again := upstream.Request(nil, string(mcp.MethodResourcesSubscribe),
			wire.Encode(object{"uri": uri}))
		_, _ = s.conn.roundTrip(ctx, up, again) // the resource may be gone
	}
	if level == nil {
		return nil
	}
	_, err := s.conn.roundTrip(ctx, up, upstream.Request(nil, level.Method, level.Params))
	return err
}
