package proxy

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// serverState is what a server of the older era knows of its clients, and has forgotten when it is
// started again.
type serverState struct {
	conn     *connection
	changing sync.Mutex // held while the server is told something else

	mu          lock
	handshake   *message       // the handshake
	level       *message       // the last logging/setLevel
	subscribers map[string]int // of resources, by URI
}

// startTime is how long a server has for the handshake.
const startTime = time.Minute

// record keeps what a client has told its server.
func (s *serverState) record(m *message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	uri := textOf(at(m.Params, "uri"))
	switch m.Method {
	case string(mcp.MethodInitialize):
		s.handshake = m
	case string(mcp.MethodSetLogLevel):
		s.level = m
	case string(mcp.MethodResourcesUnsubscribe):
		delete(s.subscribers, uri)
	case string(mcp.MethodResourcesSubscribe):
		if len(s.subscribers) < maxSubscribed {
			s.subscribers[uri] = 1
		}
	}
}

// resourceRequest sends a request about a resource.
func (s *serverState) resourceRequest(
	ctx context.Context, up upstream, method mcp.MCPMethod, uri string,
) (*message, error) {
	return s.conn.roundTrip(ctx, up, &message{Method: string(method),
		Params: encode(object{"uri": uri})})
}

// initialize makes a handshake, and gives what the server says of itself.
func (s *serverState) initialize(
	ctx context.Context, up upstream, handshake *message,
) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	sent := &message{Method: handshake.Method, Params: handshake.Params}
	resp, err := s.conn.roundTrip(ctx, up, sent)
	if err != nil {
		return nil, err
	}
	if resp.Error != nil {
		return nil, s.conn.fault("it refused the handshake: %s", textOf(at(resp.Error, "message")))
	}
	if err := up.send(ctx, &message{Method: "notifications/initialized"}); err != nil {
		return nil, s.conn.fault("%v", err)
	}
	return resp.Result, nil
}

// restore tells it all to a server that knows nothing of it.
func (s *serverState) restore(ctx context.Context, up upstream) error {
	s.mu.Lock()
	handshake, level := s.handshake, s.level
	uris := slices.Collect(maps.Keys(s.subscribers))
	s.mu.Unlock()
	if handshake == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if _, err := s.initialize(ctx, up, handshake); err != nil {
		return err
	}
	for _, uri := range uris {
		_, _ = s.resourceRequest(ctx, up, mcp.MethodResourcesSubscribe, uri) // it may be gone
	}
	if level == nil {
		return nil
	}
	_, err := s.conn.roundTrip(ctx, up, &message{Method: level.Method, Params: level.Params})
	return err
}

// subscribe makes sure of a subscription at a server of the older era, which knows one for all.
func (s *serverState) subscribe(ctx context.Context, up upstream, uri string) bool {
	s.changing.Lock()
	defer s.changing.Unlock()
	n := 0
	s.mu.do(func() { n = s.subscribers[uri] })
	if n == 0 {
		resp, err := s.resourceRequest(ctx, up, mcp.MethodResourcesSubscribe, uri)
		if err != nil || resp.Error != nil {
			return false
		}
	}
	s.mu.do(func() { s.subscribers[uri]++ })
	return true
}

// unsubscribe takes them back.
func (s *serverState) unsubscribe(up upstream, uris []string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	ctx, cancel := context.WithTimeout(s.conn.life, discoverTime)
	defer cancel()
	for _, uri := range uris {
		last := false
		s.mu.do(func() {
			s.subscribers[uri]--
			if last = s.subscribers[uri] <= 0; last {
				delete(s.subscribers, uri)
			}
		})
		if last && ctx.Err() == nil { // else it says too much
			_, _ = s.resourceRequest(ctx, up, mcp.MethodResourcesUnsubscribe, uri)
		}
	}
}

// levels of what is logged, the least first.
var levels = []mcp.LoggingLevel{mcp.LoggingLevelDebug, mcp.LoggingLevelInfo,
	mcp.LoggingLevelNotice, mcp.LoggingLevelWarning, mcp.LoggingLevelError,
	mcp.LoggingLevelCritical, mcp.LoggingLevelAlert, mcp.LoggingLevelEmergency}

func rank(level json.RawMessage) int {
	return slices.Index(levels, mcp.LoggingLevel(textOf(level)))
}

// ensureLevel sees to it that a server of the older era logs what a request wants to hear: it knows
// one level for all.
func (s *serverState) ensureLevel(
	ctx context.Context, up upstream, level, initResult json.RawMessage,
) {
	n := rank(level)
	if n < 0 || at(initResult, "capabilities", "logging") == nil {
		return
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	m := &message{Method: string(mcp.MethodSetLogLevel), Params: encode(object{"level": level})}
	enough := false
	s.mu.do(func() { enough = s.level != nil && rank(at(s.level.Params, "level")) <= n })
	if enough {
		return
	}
	if resp, err := s.conn.roundTrip(ctx, up, m); err == nil && resp.Error == nil {
		s.record(m)
	}
}
