package proxy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/mcp/wire"
)

// Under 2026-07-28 a server asks nothing: the result of a call says what is to be asked, and the
// client makes the call again with the answers and the requestState that it was given. The state is
// ours when it begins like one of these.
const (
	formState  = "taploop form "  // the question that the client's form is about
	roundState = "taploop round " // a call that was approved, and whose server asks on
)

// formID names our form among the inputs that a result asks for.
const formID = "decision"

// withInfo is the context of a request with what the request says of its client.
func withInfo(ctx context.Context, params json.RawMessage) context.Context {
	var meta mcp.Meta
	if json.Unmarshal(wire.At(params, "_meta"), &meta) != nil {
		return ctx
	}
	return server.WithRequestProtocolInfo(ctx, &server.RequestProtocolInfo{Modern: true,
		ProtocolVersion: meta.ProtocolVersion(), ClientInfo: meta.ClientInfo(),
		ClientCapabilities: meta.ClientCapabilities(), LogLevel: meta.LogLevel()})
}

// readRetry takes what is for us out of a call that is made again.
func (c *toolCall) readRetry(m *message) *message {
	state := wire.Text(wire.At(m.Params, "requestState"))
	c.answers = wire.At(m.Params, "inputResponses")
	if form, is := strings.CutPrefix(state, formState); is {
		c.form = form
	} else if round, is := strings.CutPrefix(state, roundState); is {
		c.round = round
	} else {
		return m
	}
	return upstream.Request(m.ID, m.Method, withoutRetry(m.Params))
}

// withoutRetry are the params of a call that was not made before.
func withoutRetry(params json.RawMessage) json.RawMessage {
	return wire.With(wire.With(params, nil, "requestState"), nil, "inputResponses")
}

// askInResult puts the question to the client's user. The result asks the client for the form; it
// is nil when the client has brought the answer, or its user wanted none.
func (g *gate) askInResult(ctx context.Context, c *toolCall, q inquiry.Question) *message {
	if !transport.Stateless(ctx) || !transport.CanElicit(ctx) || !q.Open() {
		return nil
	}
	if c.form != q.ID {
		return inputRequired(c.m, q, "")
	}
	c.form = "" // another question needs another form
	var r mcp.CallToolRequest
	_ = json.Unmarshal(c.answers, &r.Params.InputResponses) // what is none is no answer
	reply, ok := replyOf(q, transport.Answer(r, formID))
	if !ok {
		return nil
	}
	_, err := g.opts.Questions.Resolve(ctx, q.ID, reply)
	var misfit *inquiry.InvalidReplyError
	if errors.As(err, &misfit) {
		return inputRequired(c.m, q, err.Error())
	}
	return nil // settled, by this answer or another
}

// inputRequired is the result of a call that asks for the form.
func inputRequired(m *message, q inquiry.Question, problem string) *message {
	f := form(q)
	if problem != "" {
		f.Message = problem + "\n\n" + f.Message
	}
	return m.Response(transport.InputRequired(formState+q.ID, formID, f))
}

// round is a call that was approved and whose server asks the client for more: made again, it is
// the same call, and needs no second approval.
type round struct {
	bound, client string
	m             *message        // as it was passed on
	edited        string          // the arguments, when a person has changed them
	state         json.RawMessage // of the server; nil for none
	until         time.Time
}

// rounds are those that clients may come back with, once each.
type rounds struct {
	mu   sync.Mutex
	open map[string]round
}

// maxRounds bounds the memory of rounds. A call that has no place is asked about again.
const maxRounds = 1000

func (rs *rounds) put(r round) (token string, ok bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	now := time.Now()
	for token, other := range rs.open {
		if now.After(other.until) {
			delete(rs.open, token)
		}
	}
	if len(rs.open) >= maxRounds {
		return "", false
	}
	token = rand.Text()
	rs.open[token] = r
	return token, true
}

// take is the round that the call goes on with, if it is the same call of the same client.
func (rs *rounds) take(c *toolCall) (round, bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.open[c.round]
	if !ok || r.bound != c.approvalKey() || r.client != c.client || time.Now().After(r.until) {
		return round{}, false
	}
	delete(rs.open, c.round)
	return r, true
}

// continueRound makes an approved call again, with the answers to what its server has asked.
func (g *gate) continueRound(ctx context.Context, l *link, c *toolCall, r round) (*message, error) {
	params := wire.With(withoutRetry(r.m.Params), wire.At(c.m.Params, "_meta"), "_meta")
	if c.answers != nil {
		params = wire.With(params, c.answers, "inputResponses")
	}
	if r.state != nil {
		params = wire.With(params, r.state, "requestState")
	}
	r.m = upstream.Request(c.m.ID, r.m.Method, params)
	return g.pass(ctx, l, c, r.m, r.edited)
}

// pass passes an approved call on, and sees to it that it can go on when its server asks.
func (g *gate) pass(ctx context.Context, l *link, c *toolCall, m *message, edited string) (
	*message, error) {
	resp, err := l.request(ctx, c.withHeaders(m))
	if err != nil || resp.Error != nil {
		return resp, err
	}
	if wire.Text(wire.At(resp.Result, "resultType")) != string(mcp.ResultTypeInputRequired) {
		return withNote(c, resp, edited), nil
	}
	token, ok := g.rounds.put(round{bound: c.approvalKey(), client: c.client, m: m, edited: edited,
		state: wire.At(resp.Result, "requestState"), until: time.Now().Add(g.opts.Expires)})
	if ok {
		resp.Result = wire.With(resp.Result, wire.Encode(roundState+token), "requestState")
	}
	return resp, nil
}
