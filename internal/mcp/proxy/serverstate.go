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

// serverState is the state that a client with a handshake has set on its server, and that must be
// set again after a restart.
type serverState struct {
	mu         sync.Mutex
	handshake  *message
	level      *message        // the last logging/setLevel
	subscribed map[string]bool // resources, by URI
}

// maxSubscribed is how many subscriptions of a client are kept.
const maxSubscribed = 100

// startTime is how long a server has for the handshake.
const startTime = time.Minute

// record notes a request of the client that the server has carried out.
func (s *serverState) record(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := wire.Text(m.Param("uri"))
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
func initialize(ctx context.Context, c *connection, up upstream.Conn, handshake *message) error {
	resp, err := c.roundTrip(ctx, up, ownRequest(handshake.Method, handshake.Params))
	if err != nil {
		return err
	}
	if resp.Error != nil {
		return c.fault("it refused the handshake: %s",
			wire.Text(wire.At(resp.Error, "message")))
	}
	if err := up.Send(ctx, upstream.Notification("notifications/initialized", nil)); err != nil {
		return c.fault("%v", err)
	}
	return nil
}

// restore sets the state on an upstream of c that does not have it.
func (s *serverState) restore(ctx context.Context, c *connection, up upstream.Conn) error {
	s.mu.Lock()
	handshake, level := s.handshake, s.level
	uris := slices.Collect(maps.Keys(s.subscribed))
	s.mu.Unlock()
	if handshake == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if err := initialize(ctx, c, up, handshake); err != nil {
		return err
	}
	for _, uri := range uris {
		again := ownRequest(string(mcp.MethodResourcesSubscribe), wire.Encode(object{"uri": uri}))
		_, _ = c.roundTrip(ctx, up, again) // the resource may be gone
	}
	if level == nil {
		return nil
	}
	_, err := c.roundTrip(ctx, up, ownRequest(level.Method, level.Params))
	return err
}
