package mcptransport

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/text"
)

// peer is what is known of one client, and what is under way for it. It is safe for concurrent use.
type peer struct {
	id        string
	principal string
	news

	mu          sync.Mutex
	initialized bool
	info        mcp.Implementation
	caps        mcp.ClientCapabilities
	version     string // "" before the handshake
	level       mcp.LoggingLevel
	calls       map[string]*call // the client's requests under way, by key of their id
	asked       map[int64]chan answer
	lastAsked   int64
	closed      error // why no more is taken
}

func newPeer(id, principal string) *peer {
	return &peer{id: id, principal: principal, level: mcp.LoggingLevelInfo,
		news:  news{wake: make(chan struct{}, 1)},
		calls: map[string]*call{}, asked: map[int64]chan answer{}}
}

// begin notes a request as under way, and in under, which may be nil. Its error is an *rpcError.
func (p *peer) begin(c *call, most int, under *sync.WaitGroup) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := key(c.id)
	refused := &rpcError{id: c.id, code: mcp.INVALID_REQUEST}
	switch {
	case p.closed != nil:
		refused.text = p.closed.Error()
	case p.calls[k] != nil:
		refused.text = fmt.Sprintf("a request with the id %s is under way already", c.id)
	case len(p.calls) >= most:
		refused.text = fmt.Sprintf("%d requests are under way already; wait for one of them to end",
			most)
	default:
		p.calls[k] = c
		c.home = p
		if under != nil { // below mu: not after close
			under.Add(1)
		}
		return nil
	}
	return refused
}

func (p *peer) finish(c *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.calls, key(c.id))
}

// cancel ends the client's own request of that id, if it is under way.
func (p *peer) cancel(id json.RawMessage, cause error) {
	p.mu.Lock()
	c := p.calls[key(id)]
	p.mu.Unlock()
	if c != nil {
		c.cancel(cause)
	}
}

// close ends all requests under way and refuses further ones.
func (p *peer) close(cause error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed == nil {
		p.closed = cause
	}
	for _, c := range p.calls {
		c.cancel(cause)
	}
}

func (p *peer) busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

// What follows is the part of mcp-go's sessions that is the same in all of a client's requests.

func (p *peer) SessionID() string { return p.id }

func (p *peer) Initialize()       { set(&p.mu, &p.initialized, true) }
func (p *peer) Initialized() bool { return get(&p.mu, &p.initialized) }

func (p *peer) ProtocolVersion() string           { return get(&p.mu, &p.version) }
func (p *peer) SetProtocolVersion(version string) { set(&p.mu, &p.version, version) }

func (p *peer) GetLogLevel() mcp.LoggingLevel      { return get(&p.mu, &p.level) }
func (p *peer) SetLogLevel(level mcp.LoggingLevel) { set(&p.mu, &p.level, level) }

func (p *peer) GetClientCapabilities() mcp.ClientCapabilities     { return get(&p.mu, &p.caps) }
func (p *peer) SetClientCapabilities(caps mcp.ClientCapabilities) { set(&p.mu, &p.caps, caps) }

func (p *peer) GetClientInfo() mcp.Implementation { return get(&p.mu, &p.info) }

func (p *peer) SetClientInfo(info mcp.Implementation) {
	set(&p.mu, &p.info, mcp.Implementation{Name: words(info.Name), Version: words(info.Version)})
}

// maxWords is the most characters of what a client says of itself or gives as a reason.
const maxWords = 200

// words is what a client says of itself, as it is kept and printed.
func words(s string) string { return text.Cut(text.Line(s), maxWords) }

func get[T any](mu *sync.Mutex, field *T) T {
	mu.Lock()
	defer mu.Unlock()
	return *field
}

func set[T any](mu *sync.Mutex, field *T, value T) {
	mu.Lock()
	defer mu.Unlock()
	*field = value
}
