package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/wait"
)

// link connects one client, or several whose requests stand alone, to the other server. Its methods
// call those of its parts, and the connection reports to it as its [owner].
type link struct {
	conn   connection
	client clientEnd
	tools  toolList
	state  serverState
}

// newLink returns a link for the session with that id, if there is one.
func newLink(o *Options, dial upstream.Dial, all *sessions, id string) *link {
	l := new(link)
	l.conn = connection{opts: o, dial: dial, owner: l,
		open: exchanges{byID: map[int64]*exchange{}}}
	l.conn.life, l.conn.end = context.WithCancel(context.Background())
	l.client = clientEnd{conn: &l.conn, sessions: all, id: id,
		asked: map[string]context.CancelFunc{}}
	l.tools = toolList{destructive: destructiveTools{}, reading: wait.NewMutex()}
	l.state = serverState{subscribed: map[string]bool{}}
	return l
}

// restore implements owner.
func (l *link) restore(ctx context.Context, up upstream.Conn) error {
	return l.state.restore(ctx, &l.conn, up)
}

// gone implements owner.
func (l *link) gone() {
	l.tools.forget()
	l.client.withdrawAll()
}

// recordHandshake notes the result of a client's handshake.
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

// request sends a request and returns its response, as [connection.roundTrip] does. If the server
// has forgotten the session, it is sent again in a new one.
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

// tool looks up a tool for the client that has sent the call. The list is read again when it has
// changed or is old, when the tool is not in it, and when refresh is set.
func (l *link) tool(ctx context.Context, call *message, name string, refresh bool) (tool, error) {
	if t, ok := l.tools.known(name); ok && !refresh {
		return t, nil
	}
	if err := l.tools.reading.Lock(ctx); err != nil {
		return tool{}, err
	}
	defer l.tools.reading.Unlock()
	if t, ok := l.tools.known(name); ok && !refresh { // another call has read it
		return t, nil
	}
	version := l.tools.version()
	pages, err := l.listTools(ctx, call)
	switch {
	case err != nil:
		return tool{}, err
	case pages == nil: // refused: any tool may destroy something
		return tool{destructive: true}, nil
	}
	return l.tools.set(pages, version, name), nil
}

// listTools reads the pages of the list of tools. It returns none if the server refuses that. Each
// page must come within startTime, because calls wait for it.
func (l *link) listTools(ctx context.Context, call *message) (pages []json.RawMessage, err error) {
	var next json.RawMessage
	read := map[string]bool{} // cursors
	for range maxPages {
		page, cancel := context.WithTimeoutCause(ctx, startTime, errUnlisted)
		resp, err := l.request(page, ownRequest(string(mcp.MethodToolsList),
			listParams(call, next)))
		cancel()
		switch {
		case errors.Is(err, errUnlisted):
			return nil, l.conn.named(err)
		case err != nil:
			return nil, err
		case resp.Error != nil: // of what was not read, any tool may destroy something
			return pages, nil
		}
		pages = append(pages, resp.Result)
		if next = wire.At(resp.Result, "nextCursor"); !goesOn(next, call) || read[string(next)] {
			break
		}
		read[string(next)] = true
	}
	return pages, nil
}

// goesOn reports whether there is another page behind this cursor: "nextCursor is an opaque token",
// also as a number. Servers of older protocols end with an empty text.
func goesOn(next json.RawMessage, call *message) bool {
	switch string(next) {
	case "", "null":
		return false
	case `""`:
		return call.Modern()
	}
	return true
}

var errUnlisted = errors.New("it does not say which tools it has")

// notify sends a notification of the client. It starts no upstream. A request without an id is
// refused: a server that does not look at the id would carry it out without anybody being asked.
func (l *link) notify(ctx context.Context, m *message) error {
	if !strings.HasPrefix(m.Method, "notifications/") {
		return fmt.Errorf("%q is no notification, and has no id as requests have", m.Method)
	}
	up := l.conn.current()
	if up == nil {
		return nil
	}
	return up.Send(ctx, upstream.Notification(m.Method, m.Params))
}

// unsolicited implements owner. A message that belongs to a request of the client goes there, any
// other one to the client's session.
func (l *link) unsolicited(m *message) {
	if m.IsRequest() {
		l.client.ask(m)
		return
	}
	switch m.Method {
	case string(mcp.MethodNotificationProgress): // of a request, with the client's own token
		x, _ := l.conn.open.find(m.Param("progressToken"))
		if x != nil && x.token != nil && m.SetParam(x.token, "progressToken") == nil {
			l.conn.deliver(x, m)
		}
		return
	case string(mcp.MethodNotificationCancelled):
		l.client.withdraw(string(m.Param("requestId")))
		return
	case string(mcp.MethodNotificationToolsListChanged):
		l.tools.forget()
	}
	if id := m.Param("_meta", mcp.MetaKeySubscriptionID); id != nil {
		x, _ := l.conn.open.find(id) // nil if the subscription has ended
		if x != nil && m.SetParam(x.of, "_meta", mcp.MetaKeySubscriptionID) == nil {
			l.conn.deliver(x, m)
		}
		return
	}
	if x := l.conn.open.requestDuring(m); x != nil {
		l.conn.deliver(x, m)
		return
	}
	l.client.broadcast(m)
}
