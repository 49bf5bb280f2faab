package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/wait"
)

// link joins one client, or several whose requests stand alone, to the other server.
type link struct {
	conn   connection
	client clientEnd
	tools  toolList
	state  serverState
}

// newLink is a link for the session with that id, if there is one.
func newLink(p *Proxy, id string) *link {
	l := new(link)
	l.conn = connection{opts: &p.opts, dial: p.dial, ready: l.state.restore, gone: l.gone,
		open: exchanges{unclaimed: l.unsolicited, byID: map[int64]*exchange{}}}
	l.conn.life, l.conn.end = context.WithCancel(context.Background())
	session := func() server.ClientSession { return p.session(id) }
	l.client = clientEnd{conn: &l.conn, session: session,
		asked: map[string]context.CancelFunc{}}
	l.tools = toolList{destructive: destructiveTools{}, request: l.listTools,
		reading: wait.NewMutex()}
	l.state = serverState{conn: &l.conn, subscribed: map[string]bool{}}
	return l
}

// gone forgets what was the upstream's.
func (l *link) gone() {
	l.tools.forget()
	l.client.withdrawAll()
}

// recordHandshake notes what a handshake of the client has agreed on.
func (l *link) recordHandshake(ctx context.Context, m, resp *message) error {
	var params struct {
		Info mcp.Implementation     `json:"clientInfo"`
		Caps mcp.ClientCapabilities `json:"capabilities"`
	}
	if err := json.Unmarshal(m.Params, &params); err != nil {
		return errors.New("the params of initialize cannot be read")
	}
	version := wire.Text(wire.At(resp.Result, "protocolVersion"))
	if err := transport.SetHandshake(ctx, version, params.Info, params.Caps); err != nil {
		return l.conn.fault("%v", err)
	}
	l.state.record(m)
	return nil
}

// request sends a request and gives its response. What the server sends for it meanwhile goes to
// the client, in order, unless the request is one of ours: then it has no id.
func (l *link) request(ctx context.Context, m *message) (*message, error) {
	up, err := l.conn.connected(ctx)
	if err != nil {
		return nil, err
	}
	resp, err := l.conn.roundTrip(ctx, up, m)
	if refused, is := errors.AsType[*upstream.ForgottenError](err); is {
		if err = l.conn.renew(ctx, refused); err == nil {
			resp, err = l.conn.roundTrip(ctx, up, m)
		}
		if again, is := errors.AsType[*upstream.ForgottenError](err); is {
			return nil, l.conn.named(again)
		}
	}
	return resp, err
}

// listTools sends a request for the list of tools, which a server has to answer soon: calls wait.
func (l *link) listTools(ctx context.Context, m *message) (*message, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errUnlisted)
	defer cancel()
	resp, err := l.request(ctx, m)
	if errors.Is(err, errUnlisted) {
		err = l.conn.named(err)
	}
	return resp, err
}

var errUnlisted = errors.New("it does not say which tools it has")

// notify sends a notification of the client. It starts no upstream. A request without an id is
// none: a server that does not look at the id would carry it out, and nobody was asked.
func (l *link) notify(ctx context.Context, m *message) error {
	if !strings.HasPrefix(m.Method, "notifications/") {
		return fmt.Errorf("%q is no notification, and has no id as requests have", m.Method)
	}
	up := l.conn.current()
	if up == nil {
		return nil
	}
	return up.Send(ctx, upstream.Request(nil, m.Method, m.Params))
}

// unsolicited takes what the upstream says that answers nothing: what belongs to a request of the
// client goes there, and the rest to the client's session.
func (l *link) unsolicited(m *message) {
	if m.IsRequest() {
		l.client.ask(m)
		return
	}
	switch m.Method {
	case string(mcp.MethodNotificationProgress):
		l.conn.open.progress(m)
		return
	case string(mcp.MethodNotificationCancelled):
		l.client.withdraw(string(wire.At(m.Params, "requestId")))
		return
	case string(mcp.MethodNotificationToolsListChanged):
		l.tools.forget()
	}
	if id := wire.At(m.Params, "_meta", mcp.MetaKeySubscriptionID); id != nil {
		if x, _ := l.conn.open.find(id); x != nil { // else nobody listens any more
			m.Params = wire.With(m.Params, x.of, "_meta", mcp.MetaKeySubscriptionID)
			l.conn.open.deliver(x, m)
		}
		return
	}
	if x := l.conn.open.requestDuring(m); x != nil {
		l.conn.open.deliver(x, m)
		return
	}
	l.client.broadcast(m)
}
