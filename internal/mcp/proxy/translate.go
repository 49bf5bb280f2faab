package proxy

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/transport"
)

// A client and a server of different eras of the protocol are translated for each other: each side
// is spoken to in its own. Until a server has refused to be spoken to like its client, messages
// pass as they are.

// discoverTime is how long a server may take to say that it knows no server/discover. One of the
// older era may not answer before a handshake.
const discoverTime = 10 * time.Second

// ourInfo is who asks a server which era it knows.
var ourInfo = json.RawMessage(`{"name":"taploop","version":"1"}`)

// handshakeOf is a handshake for a client that makes none.
func handshakeOf(m *message) *message {
	return &message{Method: string(mcp.MethodInitialize), Params: encode(object{
		"protocolVersion": mcp.ProtocolVersion20251125, "capabilities": capabilities(m),
		"clientInfo": or(at(m.Params, "_meta", mcp.MetaKeyClientInfo), ourInfo)})}
}

// newerMeta is what each request to a server of the newer era says of its client.
func newerMeta(info, caps json.RawMessage) json.RawMessage {
	return encode(object{mcp.MetaKeyProtocolVersion: mcp.ProtocolVersion20260728,
		mcp.MetaKeyClientInfo: or(info, ourInfo), mcp.MetaKeyClientCapabilities: or(caps, empty)})
}

// serverDiscover is the answer to server/discover.
func (l *link) serverDiscover(ctx context.Context, up upstream, meta json.RawMessage) (*message,
	error) {
	ctx, cancel := context.WithTimeout(ctx, discoverTime)
	defer cancel()
	return l.conn.roundTrip(ctx, up, &message{Method: string(mcp.MethodServerDiscover),
		Params: encode(object{"_meta": meta})})
}

// translate sends a request in the server's own era, and gives the response in the client's.
func (l *link) translate(ctx context.Context, up upstream, m *message) (*message, error) {
	newer := modern(m.Params)
	if newer {
		if err := l.negotiate(ctx, up, m); err != nil {
			return nil, err
		}
	}
	initResult, meta := l.era()
	switch {
	case initResult != nil && newer:
		return l.toOlder(ctx, up, m, initResult)
	case meta != nil && !newer:
		return l.toNewer(ctx, up, m, meta)
	}
	resp, err := l.conn.roundTrip(ctx, up, m)
	if !newer && err == nil && resp.Error != nil && m.Method == string(mcp.MethodInitialize) {
		return l.discover(ctx, up, m, resp)
	}
	return resp, err
}

// negotiate finds out, once, whether a server knows the newer era, and else makes a handshake with
// it.
func (l *link) negotiate(ctx context.Context, up upstream, m *message) error {
	l.negotiating.Lock()
	defer l.negotiating.Unlock()
	if l.negotiated {
		return nil
	}
	// of our own: what is wrong with the client's is for the server to say
	resp, err := l.serverDiscover(ctx, up, newerMeta(nil, nil))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && resp.Error == nil {
		l.negotiated = true
		return nil
	}
	handshake := handshakeOf(m)
	initResult, err := l.state.initialize(ctx, up, handshake)
	if err != nil {
		return err
	}
	l.state.record(handshake)
	l.negotiated = true
	l.mu.do(func() { l.initResult = initResult })
	return nil
}

// toOlder sends a request of 2026-07-28 to a server that knows handshakes only.
func (l *link) toOlder(ctx context.Context, up upstream, m *message, initResult json.RawMessage) (
	*message, error) {
	switch m.Method {
	case string(mcp.MethodServerDiscover):
		return m.response(object{"resultType": "complete",
			"supportedVersions": []string{mcp.ProtocolVersion20260728},
			"capabilities":      or(at(initResult, "capabilities"), empty),
			"instructions":      textOf(at(initResult, "instructions")),
			"_meta":             with(empty, at(initResult, "serverInfo"), mcp.MetaKeyServerInfo),
		}), nil
	case string(mcp.MethodSubscriptionsListen):
		return l.state.listen(ctx, up, m, initResult)
	}
	state := textOf(at(m.Params, "requestState"))
	if token, goesOn := strings.CutPrefix(state, heldState); goesOn {
		return l.held.resume(ctx, token, m)
	}
	meta := at(m.Params, "_meta")
	level := at(meta, mcp.MetaKeyLogLevel)
	if rank(level) < 0 {
		level = nil // it wants nothing that there is
	}
	l.state.ensureLevel(ctx, up, level, initResult)
	for _, key := range []string{mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo,
		mcp.MetaKeyClientCapabilities, mcp.MetaKeyLogLevel} {
		meta = with(meta, nil, key)
	}
	sent := &message{ID: m.ID, Method: m.Method, Params: with(m.Params, meta, "_meta")}
	life, end := context.WithCancel(l.conn.life) // it may outlive the client's request
	x := &exchange{up: up, m: sent, ctx: ctx, level: level, end: end}
	switch m.Method {
	case string(mcp.MethodToolsCall), string(mcp.MethodPromptsGet), string(mcp.MethodResourcesRead):
		x.caps = capabilities(m)
	}
	l.conn.open.begin(x)
	if err := l.conn.submit(life, x); err != nil {
		l.conn.open.finish(x)
		return nil, err
	}
	return l.held.until(ctx, x, m)
}

// discover makes the handshake of an older client in the place of a server that knows none.
func (l *link) discover(ctx context.Context, up upstream, m, refused *message) (*message, error) {
	meta := newerMeta(at(m.Params, "clientInfo"), at(m.Params, "capabilities"))
	resp, err := l.serverDiscover(ctx, up, meta)
	if err != nil || resp.Error != nil {
		return refused, nil // it refuses both
	}
	tells := func(of string) bool {
		return string(at(resp.Result, "capabilities", of, "listChanged")) == "true"
	}
	f := mcp.SubscriptionFilter{ToolsListChanged: tells("tools"),
		PromptsListChanged: tells("prompts"), ResourcesListChanged: tells("resources")}
	l.feed.mu.do(func() { l.feed.wanted = f })
	l.mu.do(func() { l.meta = meta })
	return m.response(object{
		"protocolVersion": mcp.NegotiateLegacyVersion(textOf(at(m.Params, "protocolVersion"))),
		"capabilities":    or(at(resp.Result, "capabilities"), empty),
		"serverInfo": or(at(resp.Result, "_meta", mcp.MetaKeyServerInfo),
			json.RawMessage(`{"name":"server","version":""}`)),
		"instructions": textOf(at(resp.Result, "instructions"))}), nil
}

// maxAskings is how often a server may ask before a call ends.
const maxAskings = 10

// toNewer sends a request of an older client to a server that knows 2026-07-28 only. What the
// server asks by its result, the client is asked as its version has it.
func (l *link) toNewer(ctx context.Context, up upstream, m *message, meta json.RawMessage) (
	*message, error) {
	switch m.Method {
	case string(mcp.MethodPing):
		return m.response(object{}), nil
	case string(mcp.MethodSetLogLevel):
		l.mu.do(func() { l.meta = with(meta, at(m.Params, "level"), mcp.MetaKeyLogLevel) })
		return m.response(object{}), nil
	case string(mcp.MethodResourcesSubscribe), string(mcp.MethodResourcesUnsubscribe):
		return l.feed.handleSubscribe(ctx, m, meta)
	}
	params := orEmpty(m.Params)
	if token := progressToken(params); token != nil {
		meta = with(meta, token, "progressToken")
	}
	params = with(params, meta, "_meta")
	for range maxAskings {
		resp, err := l.conn.roundTrip(ctx, up, &message{ID: m.ID, Method: m.Method, Params: params,
			headers: m.headers})
		if err != nil || resp.Error != nil {
			return resp, err
		}
		if textOf(at(resp.Result, "resultType")) != string(mcp.ResultTypeInputRequired) {
			resp.Result = with(resp.Result, nil, "resultType")
			return resp, nil
		}
		answers, err := answersTo(ctx, at(resp.Result, "inputRequests"))
		if err != nil {
			return nil, l.conn.fault("it asks for what your client does not answer: %v", err)
		}
		params = with(withoutRetry(params), answers, "inputResponses")
		if state := at(resp.Result, "requestState"); state != nil {
			params = with(params, state, "requestState")
		}
	}
	return nil, l.conn.fault("it asked %d times and did not answer", maxAskings)
}

// answersTo asks the client what a server's result asks for.
func answersTo(ctx context.Context, requests json.RawMessage) (json.RawMessage, error) {
	answers := object{}
	for id, r := range members(requests) {
		answer, err := transport.Ask(ctx, textOf(at(r, "method")), at(r, "params"))
		if err != nil {
			return nil, err
		}
		answers[id] = answer
	}
	return encode(answers), nil
}
