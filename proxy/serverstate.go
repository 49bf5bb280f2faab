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

// told is what a server of the older era knows of its clients, and has forgotten when it is started
// again.
type told struct {
	line     *line
	changing sync.Mutex // held while the server is told something else

	mu          sync.Mutex
	hello       *message       // the handshake
	level       *message       // the last logging/setLevel
	subscribers map[string]int // of resources, by URI
}

// startTime is how long a server has for the handshake.
const startTime = time.Minute

// note keeps what a client has told its server.
func (t *told) note(m *message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	uri := textOf(at(m.Params, "uri"))
	switch m.Method {
	case string(mcp.MethodInitialize):
		t.hello = m
	case string(mcp.MethodSetLogLevel):
		t.level = m
	case string(mcp.MethodResourcesUnsubscribe):
		delete(t.subscribers, uri)
	case string(mcp.MethodResourcesSubscribe):
		if len(t.subscribers) < mostSubscribed {
			t.subscribers[uri] = 1
		}
	}
}

func (t *told) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

// tell sends a request about a resource.
func (t *told) tell(ctx context.Context, up upstream, method mcp.MCPMethod, uri string) (
	*message, error) {
	return t.line.over(ctx, up, &message{Method: string(method),
		Params: encode(object{"uri": uri})})
}

// greet makes a handshake, and gives what the server says of itself.
func (t *told) greet(ctx context.Context, up upstream, hello *message) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	resp, err := t.line.over(ctx, up, &message{Method: hello.Method, Params: hello.Params})
	if err != nil {
		return nil, err
	}
	if resp.Error != nil {
		return nil, t.line.fault("it refused the handshake: %s", textOf(at(resp.Error, "message")))
	}
	if err := up.send(ctx, &message{Method: "notifications/initialized"}); err != nil {
		return nil, t.line.fault("%v", err)
	}
	return resp.Result, nil
}

// again tells it all to a server that knows nothing of it.
func (t *told) again(ctx context.Context, up upstream) error {
	t.mu.Lock()
	hello, level := t.hello, t.level
	uris := slices.Collect(maps.Keys(t.subscribers))
	t.mu.Unlock()
	if hello == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if _, err := t.greet(ctx, up, hello); err != nil {
		return err
	}
	for _, uri := range uris {
		_, _ = t.tell(ctx, up, mcp.MethodResourcesSubscribe, uri) // it may be gone
	}
	if level == nil {
		return nil
	}
	_, err := t.line.over(ctx, up, &message{Method: level.Method, Params: level.Params})
	return err
}

// subscribe makes sure of a subscription at a server of the older era, which knows one for all.
func (t *told) subscribe(ctx context.Context, up upstream, uri string) bool {
	t.changing.Lock()
	defer t.changing.Unlock()
	n := 0
	t.set(func() { n = t.subscribers[uri] })
	if n == 0 {
		resp, err := t.tell(ctx, up, mcp.MethodResourcesSubscribe, uri)
		if err != nil || resp.Error != nil {
			return false
		}
	}
	t.set(func() { t.subscribers[uri]++ })
	return true
}

// unsubscribe takes them back.
func (t *told) unsubscribe(up upstream, uris []string) {
	t.changing.Lock()
	defer t.changing.Unlock()
	ctx, cancel := context.WithTimeout(t.line.life, discoverTime)
	defer cancel()
	for _, uri := range uris {
		last := false
		t.set(func() {
			t.subscribers[uri]--
			if last = t.subscribers[uri] <= 0; last {
				delete(t.subscribers, uri)
			}
		})
		if last && ctx.Err() == nil { // else it says too much
			_, _ = t.tell(ctx, up, mcp.MethodResourcesUnsubscribe, uri)
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

// logs sees to it that a server of the older era logs what a request wants to hear: it knows one
// level for all.
func (t *told) logs(ctx context.Context, up upstream, level, greeting json.RawMessage) {
	n := rank(level)
	if n < 0 || at(greeting, "capabilities", "logging") == nil {
		return
	}
	t.changing.Lock()
	defer t.changing.Unlock()
	m := &message{Method: string(mcp.MethodSetLogLevel), Params: encode(object{"level": level})}
	enough := false
	t.set(func() { enough = t.level != nil && rank(at(t.level.Params, "level")) <= n })
	if enough {
		return
	}
	if resp, err := t.line.over(ctx, up, m); err == nil && resp.Error == nil {
		t.note(m)
	}
}
