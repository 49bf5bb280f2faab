package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
	"github.com/taploop/taploop/internal/text"
)

// clientEnd is the client's end of a link. It takes the other server's broadcasts and questions.
type clientEnd struct {
	conn     *connection
	sessions *sessions
	id       string // of the client's session, if it has one

	mu    lock
	asked map[string]context.CancelFunc // requests of the upstream under way, by id
}

// session returns the session that gets broadcasts, or nil if missing.
func (c *clientEnd) session() server.ClientSession { return c.sessions.find(c.id) }

// broadcast sends a notification to the client's session. If the client does not listen and the
// session's queue is full, the notification is dropped.
func (c *clientEnd) broadcast(m *message) {
	s := c.session()
	if s == nil {
		return
	}
	data, err := m.Encode()
	if err != nil {
		return
	}
	if c.conn.opts.Stdio {
		select {
		case s.NotificationChannel() <- transport.Broadcast(data):
		case <-c.conn.life.Done():
		}
		return
	}
	select {
	case s.NotificationChannel() <- transport.Broadcast(data):
	default:
		c.conn.opts.Log.Warn("a client does not listen: a notification is dropped", "server",
			c.conn.opts.Name, "method", text.Line(m.Method))
	}
}

// maxAsked is how many requests of an upstream may wait for the client.
const maxAsked = 64

// ask sends a request of the upstream to the client, and the answer back.
func (c *clientEnd) ask(m *message) {
	var of context.Context
	if x := c.conn.open.asker(m); x != nil {
		of = x.ctx
	}
	up := c.conn.current()
	if up == nil {
		return
	}
	ctx, cancel := context.WithCancel(c.conn.life)
	key := string(m.ID)
	c.mu.Lock()
	full := len(c.asked) >= maxAsked
	if !full {
		c.asked[key] = cancel
	}
	c.mu.Unlock()
	c.conn.spawn(func() {
		defer cancel()
		if full {
			c.conn.answer(up, m.Refusal(mcp.INVALID_REQUEST,
				fmt.Sprintf("%d requests wait for the client already", maxAsked)))
			return
		}
		defer c.mu.do(func() { delete(c.asked, key) })
		if answer := c.answerTo(ctx, of, m); answer != nil {
			c.conn.answer(up, answer)
		}
	})
}

// withdraw cancels a request of the upstream.
func (c *clientEnd) withdraw(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel := c.asked[key]; cancel != nil {
		cancel()
	}
}

// withdrawAll cancels all requests of an upstream that is gone.
func (c *clientEnd) withdrawAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.asked {
		cancel()
	}
}

// answerTo returns the client's answer to a request of the upstream, or nil if the upstream has
// cancelled the request. of is the context of the client's request that it is about, or nil.
func (c *clientEnd) answerTo(ctx, of context.Context, m *message) *message {
	var result json.RawMessage
	var err error
	switch s := c.session(); {
	case m.Method == string(mcp.MethodPing):
		result = json.RawMessage(`{}`)
	case of == nil && s == nil, of != nil && transport.Stateless(of):
		err = errors.New("the client's version of the protocol has questions of the server only " +
			"as results of calls, prompts and resources, and none of them is under way")
	case of == nil:
		result, err = transport.AskSession(ctx, s, m.Method, m.Params)
	default:
		on, cancel := context.WithCancelCause(of)
		defer cancel(nil)
		defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
		result, err = transport.Ask(on, m.Method, m.Params)
	}
	refused, is := errors.AsType[*transport.ClientError](err)
	switch {
	case is:
		return &message{Message: wire.Message{ID: m.ID,
			Error: wire.Encode(refused.JSONRPCErrorDetails)}}
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return m.Refusal(mcp.INTERNAL_ERROR, err.Error())
	}
	return m.Response(result)
}
