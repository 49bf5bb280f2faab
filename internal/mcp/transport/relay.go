package transport

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// Send sends a whole notification on the stream of the request that ctx belongs to, in order with
// the request's other messages. While the client reads slowly, Send waits. It returns ctx's cause
// if ctx ends meanwhile, and errOver after the result.
func Send(ctx context.Context, raw json.RawMessage) error {
	c := callOf(ctx)
	if c == nil {
		return server.ErrNoActiveSession
	}
	return c.send(ctx, envelope(raw))
}

// Broadcast wraps a whole message for the notification channel of a session.
func Broadcast(raw json.RawMessage) mcp.JSONRPCNotification { return envelope(raw) }

// Ask sends a request of the server on the stream of the request that ctx belongs to, and returns
// the client's result. If the client answers with an error, that is a *ClientError. If ctx ends
// first, the request is cancelled, and the error is ctx's cause.
func Ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	c := callOf(ctx)
	if c == nil {
		return nil, server.ErrNoActiveSession
	}
	return c.peer.ask(ctx, c.ctx, c.send, method, params)
}

// AskSession is [Ask] without a request under way. It uses the stream of the session's broadcasts.
func AskSession(ctx context.Context, s server.ClientSession, method string,
	params json.RawMessage) (json.RawMessage, error) {
	var p *peer
	var life context.Context
	switch s := s.(type) {
	case *stdioClient:
		p, life = s.peer, s.ctx
	case *session:
		p, life = s.peer, s.ctx
	default:
		return nil, server.ErrNoActiveSession
	}
	feed := s.NotificationChannel()
	return p.ask(ctx, life, func(ctx context.Context, n mcp.JSONRPCNotification) error {
		select {
		case feed <- n:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-life.Done():
			return ErrClosed
		}
	}, method, params)
}

// SetHandshake records the result of a handshake that mcp-go has not answered. ctx is that of the
// initialize request.
func SetHandshake(ctx context.Context, version string, info mcp.Implementation,
	caps mcp.ClientCapabilities) error {
	c := callOf(ctx)
	switch {
	case c == nil:
		return server.ErrNoActiveSession
	case !slices.Contains(mcp.ValidProtocolVersions, version):
		return errors.New("the server wants a version of the protocol that is not known here")
	}
	c.SetProtocolVersion(version)
	c.SetClientInfo(info)
	c.SetClientCapabilities(caps)
	c.Initialize()
	return nil
}
