package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// Proxy passes messages between clients and another server. Its methods are for package transport,
// and safe for concurrent use.
type Proxy struct {
	opts     Options
	dial     upstream.Dial
	gate     gate
	core     *server.MCPServer // only keeps sessions in contexts
	sessions sessions

	mu     sync.Mutex
	closed bool
	links  map[string]*link
	under  sync.WaitGroup // links that are being closed
}

var _ transport.Server = (*Proxy)(nil)

// New makes a proxy. The other server is started with the first message of a client. Close ends it.
func New(opts *Options) (*Proxy, error) {
	p := &Proxy{opts: settings(opts), core: server.NewMCPServer("taploop", ""),
		links: map[string]*link{}, sessions: sessions{byID: map[string]server.ClientSession{}}}
	p.gate = gate{opts: &p.opts, claims: claims{held: map[string]bool{}},
		rounds: rounds{open: map[string]round{}}}
	var err error
	p.dial, err = p.opts.Target.Dialer(limits)
	return p, err
}

// Close ends the other server, all of its processes, and waits for that.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.closed = true
	for _, l := range p.links {
		p.under.Go(l.conn.close)
	}
	clear(p.links)
	p.mu.Unlock()
	p.under.Wait()
}

// WithContext implements transport.Server.
func (p *Proxy) WithContext(ctx context.Context, s server.ClientSession) context.Context {
	return p.core.WithContext(ctx, s)
}

// GetTool implements transport.Server: the other server checks what it gets.
func (p *Proxy) GetTool(string) *server.ServerTool { return nil }

// RegisterSession implements transport.Server.
func (p *Proxy) RegisterSession(_ context.Context, s server.ClientSession) error {
	p.sessions.add(s, p.opts.Stdio)
	return nil
}

// UnregisterSession implements transport.Server.
func (p *Proxy) UnregisterSession(_ context.Context, id string) {
	p.sessions.remove(id)
	p.mu.Lock()
	l := p.links[id]
	delete(p.links, id)
	p.mu.Unlock()
	if l != nil {
		l.conn.close()
	}
}

// alonePrefix begins the keys of links for requests that stand alone. No session id has a space.
const alonePrefix = "alone "

// key is the key of the link for a message: its session's id or, for requests that stand alone, one
// for all clients of the principal. On stdio there is one client.
func (p *Proxy) key(ctx context.Context, alone bool) (string, error) {
	if !alone {
		s := server.ClientSessionFromContext(ctx)
		if s == nil {
			return "", server.ErrNoActiveSession
		}
		return s.SessionID(), nil
	}
	if only := p.sessions.onStdio(); only != "" {
		return only, nil
	}
	return alonePrefix + transport.Principal(ctx), nil
}

// link returns the link for a message, which it makes if missing.
func (p *Proxy) link(ctx context.Context, alone bool) (*link, error) {
	key, err := p.key(ctx, alone)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return nil, transport.ErrClosed
	case err != nil:
		return nil, err
	case p.links[key] == nil:
		p.links[key] = newLink(&p.opts, p.dial, &p.sessions, key)
	}
	return p.links[key], nil
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
	alone := m.Modern()
	if alone {
		ctx = withInfo(ctx, &m)
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
	}
	return p.response(resp)
}

// withInfo adds to the context of a request that stands alone what it says about its client.
func withInfo(ctx context.Context, m *message) context.Context {
	var meta mcp.Meta
	if json.Unmarshal(m.Param("_meta"), &meta) != nil {
		return ctx
	}
	return server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{Modern: true,
		ProtocolVersion: meta.ProtocolVersion(), ClientInfo: meta.ClientInfo(),
		ClientCapabilities: meta.ClientCapabilities(), LogLevel: meta.LogLevel()})
}

// response converts a response of the other server for the transport.
func (p *Proxy) response(resp *message) mcp.JSONRPCMessage {
	switch {
	case resp.Error != nil:
		var e mcp.JSONRPCErrorDetails
		if json.Unmarshal(resp.Error, &e) != nil {
			return failure(mcp.INTERNAL_ERROR, "the server "+p.opts.Name+" answered with an error "+
				"that cannot be read: "+text.Quote(string(resp.Error), 300))
		}
		if data := wire.At(resp.Error, "data"); data != nil {
			e.Data = data // with all digits of its numbers
		}
		return mcp.JSONRPCError{JSONRPC: mcp.JSONRPC_VERSION, Error: e}
	case len(resp.Result) == 0:
		return failure(mcp.INTERNAL_ERROR, "the server "+p.opts.Name+" answered with neither a "+
			"result nor an error")
	}
	return mcp.JSONRPCResponse{JSONRPC: mcp.JSONRPC_VERSION, Result: resp.Result}
}

// disguised returns an error text for a method that a lenient server could take for tools/call,
// which the rules would not see, or "".
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

// answer returns the other server's response to a request, or the gate's.
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
		resp.Result = describe(resp.Result, descriptions(ctx, p.opts.Descriptions))
	case string(mcp.MethodSubscriptionsListen):
		resp.Result = wire.With(resp.Result, m.ID, "_meta", mcp.MetaKeySubscriptionID)
	case string(mcp.MethodInitialize):
		switch {
		case resp.Error == nil:
			err = l.recordHandshake(ctx, m, resp)
		case unknownMethod(resp):
			resp = m.Refusal(mcp.METHOD_NOT_FOUND, p.noHandshake(m, resp))
		}
	default:
		if resp.Error == nil {
			l.state.record(m)
		}
	}
	return resp, err
}

// discoverTime is how long a server has to say which versions of the protocol it knows. A server
// that requires a handshake first may not answer at all.
const discoverTime = 10 * time.Second

// discover asks a server which versions it knows. If the server cannot answer, the response is that
// the method is not known, and the client falls back to a handshake.
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
	if unknownMethod(resp) {
		p.release(l)
	}
	return resp, nil
}

func unknownMethod(resp *message) bool {
	return string(wire.At(resp.Error, "code")) == strconv.Itoa(mcp.METHOD_NOT_FOUND)
}

// noHandshake says that a server has no method for the handshake that a client needs.
func (p *Proxy) noHandshake(m, resp *message) string {
	return fmt.Sprintf("the server %s knows no version of the protocol with a handshake, and this "+
		"client asks for %s; it said: %s", p.opts.Name,
		text.Quote(wire.Text(m.Param("protocolVersion")), 30),
		text.Cut(text.Line(wire.Text(wire.At(resp.Error, "message"))), 300))
}

// release closes a link for requests that stand alone, because its server knows no such requests.
// Only Close waits for the server to end.
func (p *Proxy) release(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, of := range p.links {
		if of == l && strings.HasPrefix(key, alonePrefix) {
			delete(p.links, key)
			p.under.Go(l.conn.close)
		}
	}
}

// Undecided reports whether there is a question about a call of the tool with these arguments whose
// answer was not used yet. Such a call has not been passed on, and the same call uses the answer.
func (p *Proxy) Undecided(ctx context.Context, tool string, args json.RawMessage) (bool, error) {
	m := ownRequest(string(mcp.MethodToolsCall),
		wire.Encode(object{"name": tool, "arguments": args}))
	c, err := readCall(&p.opts, transport.Principal(ctx), m)
	if err != nil || p.opts.Questions == nil {
		return false, err
	}
	list, err := p.gate.unapplied(ctx, c.client)
	return slices.ContainsFunc(list, func(q inquiry.Question) bool {
		return slices.ContainsFunc(inquiry.As[inquiry.Approval](q).Bounds(), func(b string) bool {
			return strings.HasPrefix(b, c.bound)
		})
	}), err
}
