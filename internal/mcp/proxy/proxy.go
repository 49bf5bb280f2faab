package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// Options of a Proxy.
type Options struct {
	Name   string // of the other server: the rules' app
	Target upstream.Target

	Guard     *guard.Policy   // nil lets every call through
	Questions *inquiry.Broker // where a person is asked; its owner runs it
	Channels  []string        // through which the questions can be answered besides the client
	Session   string          // the session that asks the questions; "" is none
	Expires   time.Duration   // how long an approval holds; 0 means 10m
	// what silence leads to: inquiry.RejectAll, or inquiry.Pause, which "" means
	OnUndecided inquiry.OnTimeout
	// how long a call of that client waits for a person; nil means 25s, and 45s with progress
	Wait      func(client string, progress bool) time.Duration
	Heartbeat time.Duration // between progress messages of a call that waits; 0 means 10s

	Descriptions map[string]string // of tools by name, in the place of their own
	// after which silence the other server has to show that it lives; 0 means 60s
	Quiet time.Duration
	Stdio bool // there is one client, and it takes every broadcast
	Log   *slog.Logger
}

// Proxy passes messages between clients and another server. Its methods are for package
// transport, from any number of goroutines.
type Proxy struct {
	opts Options
	dial upstream.Dial
	gate gate
	core *server.MCPServer // knows how a session is kept in a context; it answers nothing

	mu       sync.Mutex
	closed   bool
	links    map[string]*link
	sessions map[string]server.ClientSession
	only     string // the session on stdio; empty on HTTP
}

var _ transport.Server = (*Proxy)(nil)

// New makes a proxy. The other server is started with the first message of a client. Close ends it.
func New(opts *Options) (*Proxy, error) {
	p := &Proxy{opts: *opts, core: server.NewMCPServer("taploop", ""), links: map[string]*link{},
		sessions: map[string]server.ClientSession{}}
	o := &p.opts
	p.gate = gate{opts: o, claims: claims{held: map[string]bool{}},
		rounds: rounds{open: map[string]round{}}}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Quiet = cmp.Or(o.Quiet, time.Minute)
	o.Heartbeat = cmp.Or(o.Heartbeat, 10*time.Second)
	o.Expires = cmp.Or(o.Expires, 10*time.Minute)
	if o.Wait == nil {
		o.Wait = usualWait
	}
	var err error
	p.dial, err = o.Target.Dialer(limits)
	return p, err
}

func usualWait(_ string, progress bool) time.Duration {
	if progress {
		return 45 * time.Second
	}
	return 25 * time.Second
}

// Close ends the other server, every process of it, and waits for that.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	links := p.links
	p.links = map[string]*link{}
	p.mu.Unlock()
	var closing sync.WaitGroup
	for _, l := range links {
		closing.Go(l.conn.close)
	}
	closing.Wait()
}

// WithContext implements transport.Server.
func (p *Proxy) WithContext(ctx context.Context, s server.ClientSession) context.Context {
	return p.core.WithContext(ctx, s)
}

// GetTool implements transport.Server: the other server checks what it gets.
func (p *Proxy) GetTool(string) *server.ServerTool { return nil }

// RegisterSession implements transport.Server.
func (p *Proxy) RegisterSession(_ context.Context, s server.ClientSession) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[s.SessionID()] = s
	if p.opts.Stdio && p.only == "" { // those of subscriptions come later
		p.only = s.SessionID()
	}
	return nil
}

func (p *Proxy) session(id string) server.ClientSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions[id]
}

// UnregisterSession implements transport.Server.
func (p *Proxy) UnregisterSession(_ context.Context, id string) {
	p.mu.Lock()
	l := p.links[id]
	delete(p.links, id)
	delete(p.sessions, id)
	if p.only == id {
		p.only = ""
	}
	p.mu.Unlock()
	if l != nil {
		l.conn.close()
	}
}

// alonePrefix begins the keys of links for requests that stand alone. No session id has a space.
const alonePrefix = "alone "

// link is the one of the client that sends a message: of its session, or, for requests that stand
// alone, the one that all clients of the principal share. On stdio there is one client.
func (p *Proxy) link(ctx context.Context, alone bool) (*link, error) {
	s := server.ClientSessionFromContext(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	var key string
	switch {
	case p.closed:
		return nil, transport.ErrClosed
	case alone && p.only != "":
		key = p.only
	case alone:
		key = alonePrefix + transport.Principal(ctx)
	case s == nil:
		return nil, server.ErrNoActiveSession
	default:
		key = s.SessionID()
	}
	l := p.links[key]
	if l == nil {
		l = newLink(p, key)
		p.links[key] = l
	}
	return l, nil
}

// HandleMessage implements transport.Server.
func (p *Proxy) HandleMessage(ctx context.Context, raw json.RawMessage) mcp.JSONRPCMessage {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return failure(mcp.INVALID_REQUEST, "this is not a JSON-RPC message")
	}
	if words := disguised(m.Method); words != "" {
		return failure(mcp.METHOD_NOT_FOUND, words)
	}
	alone := upstream.Modern(m.Params)
	if alone {
		ctx = withInfo(ctx, m.Params)
	}
	l, err := p.link(ctx, alone)
	if err == nil && !m.IsRequest() {
		if err := l.notify(ctx, &m); err != nil {
			p.opts.Log.Debug("a notification of the client is lost", "server", p.opts.Name,
				"method", m.Method, "error", err)
		}
		return nil
	}
	var resp *message
	if err == nil {
		resp, err = p.answer(ctx, l, &m)
	}
	switch {
	case err != nil && m.Method == string(mcp.MethodToolsCall):
		return mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION,
			Result: errorResult(&m, err.Error()).Result}
	case err != nil:
		return failure(mcp.INTERNAL_ERROR, err.Error())
	case resp.Error != nil:
		var e mcp.JSONRPCErrorDetails
		if json.Unmarshal(resp.Error, &e) != nil {
			return failure(mcp.INTERNAL_ERROR, "the server "+p.opts.Name+" answered with an error "+
				"that cannot be read: "+text.Quote(string(resp.Error), 300))
		}
		if data := wire.At(resp.Error, "data"); data != nil {
			e.Data = data // to the digit
		}
		return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, Error: e}
	case len(resp.Result) == 0:
		return failure(mcp.INTERNAL_ERROR, "the server "+p.opts.Name+" answered with neither a "+
			"result nor an error")
	}
	return mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: resp.Result}
}

// disguised is what is wrong with a method that a generous server could take for another one: a
// call would not be put to the rules.
func disguised(method string) string {
	letters := strings.Map(func(r rune) rune {
		if r = unicode.ToLower(r); r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, method)
	switch {
	case method == string(mcp.MethodToolsCall):
		return ""
	case letters == "toolscall":
		return text.Quote(method, 100) + " is no method: write tools/call"
	case strings.ContainsFunc(method, func(r rune) bool { return r <= ' ' || r > '~' }):
		return text.Quote(method, 100) + " is no method: want one of ASCII, without spaces"
	}
	return ""
}

func failure(code int, text string) mcp.JSONRPCMessage {
	return mcp.NewJSONRPCError(mcp.NewRequestId(nil), code, text, nil)
}

// answer is the other server's response to a request, unless the gate says otherwise.
func (p *Proxy) answer(ctx context.Context, l *link, m *message) (*message, error) {
	switch m.Method {
	case string(mcp.MethodToolsCall):
		return p.gate.call(ctx, l, m)
	case string(mcp.MethodServerDiscover):
		return p.discover(ctx, l, m)
	}
	resp, err := l.request(ctx, m)
	if err != nil {
		return nil, err
	}
	switch m.Method {
	case string(mcp.MethodToolsList):
		l.tools.update(resp.Result)
		resp.Result = describe(resp.Result, p.descriptions(ctx))
	case string(mcp.MethodSubscriptionsListen):
		resp.Result = wire.With(resp.Result, m.ID, "_meta", mcp.MetaKeySubscriptionID)
	case string(mcp.MethodInitialize):
		if resp.Error == nil {
			err = l.recordHandshake(ctx, m, resp)
		}
	default:
		if resp.Error == nil {
			l.state.record(m)
		}
	}
	return resp, err
}

// discoverTime is how long a server has to say which versions of the protocol it knows. One that
// wants a handshake first may not answer before it.
const discoverTime = 10 * time.Second

// discover asks a server which versions it knows. A client falls back to a handshake when the
// method is not known, and does so as well when the server cannot answer.
func (p *Proxy) discover(ctx context.Context, l *link, m *message) (*message, error) {
	within, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	resp, err := l.request(within, m)
	switch {
	case ctx.Err() != nil, err == nil && resp.Error == nil:
		return resp, err
	case err != nil:
		resp = m.Refusal(mcp.METHOD_NOT_FOUND, err.Error())
	}
	if string(wire.At(resp.Error, "code")) == strconv.Itoa(mcp.METHOD_NOT_FOUND) {
		p.release(l)
	}
	return resp, nil
}

// release ends a connection that requests share which stand alone: its server knows none of these.
func (p *Proxy) release(l *link) {
	alone := false
	p.mu.Lock()
	maps.DeleteFunc(p.links, func(key string, of *link) bool {
		is := of == l && strings.HasPrefix(key, alonePrefix)
		alone = alone || is
		return is
	})
	p.mu.Unlock()
	if alone {
		l.conn.close()
	}
}
