package proxy

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// What a server of the older era asks during a call, a client of 2026-07-28 is asked by the result
// of its request. The call stays under way at the server meanwhile: the client makes its request
// again with the answer, and that goes on with the same call.

// heldState begins the requestState of a request that goes on with a call.
const heldState = "taploop held "

// askedID names the server's question among the inputs that a result asks for.
const askedID = "question"

const (
	// how many calls of a link may wait for their client's answer
	maxHeld = 64
	// how many requests of a server are kept for a call meanwhile
	maxKept = 16
)

// held is a call that waits for its client's answer.
type held struct {
	x        *exchange
	digest   string // for the same request
	question *message
	taken    chan struct{} // by the request that goes on with it
}

// heldCalls are those of a link.
type heldCalls struct {
	conn *connection

	mu      sync.Mutex
	byToken map[string]*held // of their requestState
}

// take gives the call with that token, once, if it is the wanted one.
func (hs *heldCalls) take(token string, wanted func(*held) bool) *held {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h := hs.byToken[token]
	if h == nil || !wanted(h) {
		return nil
	}
	delete(hs.byToken, token)
	return h
}

// requestDigest is the same for requests that differ in nothing but what a client says when it
// comes back.
func requestDigest(m *message) string {
	return digest(encode(m.Method), with(withoutRetry(m.Params), nil, "_meta"))
}

// hold gives the result that asks the client what the server has asked.
func (hs *heldCalls) hold(x *exchange, m, question *message) (*message, error) {
	request := object{"method": question.Method}
	if question.Params != nil {
		request["params"] = question.Params
	}
	h := &held{x: x, digest: requestDigest(m), question: question, taken: make(chan struct{})}
	token := rand.Text()
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if len(hs.byToken) >= maxHeld || !hs.conn.spawn(func() { hs.keep(token, h) }) {
		return nil, hs.conn.fault("%d calls wait for your answers already", maxHeld)
	}
	hs.byToken[token] = h
	hs.conn.open.mu.do(func() { x.parked = true })
	return m.response(object{"resultType": mcp.ResultTypeInputRequired,
		"inputRequests": object{askedID: request}, "requestState": heldState + token}), nil
}

// keep keeps what the server says for a call that waits, but its progress, until the client comes
// back, or does not for too long.
func (hs *heldCalls) keep(token string, h *held) {
	late, cancel := context.WithTimeout(hs.conn.life, hs.conn.opts.Expires)
	defer cancel()
	for {
		select {
		case in := <-h.x.inbox:
			switch full := len(h.x.kept) >= maxKept; {
			case in.isRequest() && full:
				hs.conn.answer(h.x.up, in.errorResponse(mcp.INTERNAL_ERROR,
					"the client has not answered what it was asked before"))
			case in.isRequest(), in.isResponse() && !h.x.ended():
				h.x.kept = append(h.x.kept, in)
			}
			continue
		case <-h.taken:
			return
		case <-late.Done():
		}
		if hs.take(token, func(of *held) bool { return of == h }) == nil { // it is about to go on
			<-h.taken
			return
		}
		hs.conn.answer(h.x.up, h.question.errorResponse(mcp.INTERNAL_ERROR, noAnswer))
		hs.conn.cancel(h.x, errors.New(noAnswer))
		hs.conn.open.finish(h.x)
		return
	}
}

const noAnswer = "the client did not come back with the answer"

// resume goes on with a call that waits for this request of its client.
func (hs *heldCalls) resume(ctx context.Context, token string, m *message) (*message, error) {
	same := requestDigest(m)
	h := hs.take(token, func(h *held) bool { return h.digest == same })
	if h == nil {
		return nil, errors.New("the call that this answers is not under way any more, or was " +
			"another one: make it again, without a requestState")
	}
	h.taken <- struct{}{}
	hs.conn.open.mu.do(func() {
		h.x.ctx, h.x.of = ctx, m.ID
		h.x.parked = false
		if h.x.token != nil {
			h.x.token = progressToken(m.Params)
		}
	})
	answer := at(m.Params, "inputResponses", askedID)
	if answer == nil { // then it is asked again
		h.x.kept = slices.Insert(h.x.kept, 0, h.question)
		return hs.until(ctx, h.x, m)
	}
	err := h.x.up.send(ctx, h.question.response(answer))
	if err != nil && len(h.x.kept) == 0 {
		hs.conn.open.finish(h.x)
		return nil, hs.conn.fault("%v", err)
	}
	return hs.until(ctx, h.x, m)
}

// until waits for the response of a server of the older era, or for what it asks.
func (hs *heldCalls) until(ctx context.Context, x *exchange, m *message) (*message, error) {
	in, err := hs.conn.await(ctx, x)
	if err == nil && in.isRequest() {
		in, err = hs.hold(x, m, in)
		if err == nil {
			return in, nil
		}
		hs.conn.cancel(x, err)
	}
	hs.conn.open.finish(x)
	if err == nil && in.Error == nil {
		in.Result = with(in.Result, encode("complete"), "resultType")
	}
	return in, err
}

// capabilities is what the client of a request can be asked, as it says, in one spelling.
func capabilities(m *message) json.RawMessage {
	declared := at(m.Params, "_meta", mcp.MetaKeyClientCapabilities)
	caps := object{}
	for name, parts := range map[string][]string{"elicitation": {"form", "url"},
		"sampling": {"context", "tools"}, "roots": nil} {
		if at(declared, name) == nil {
			continue
		}
		has := object{}
		for _, part := range parts {
			if at(declared, name, part) != nil {
				has[part] = object{}
			}
		}
		caps[name] = has
	}
	return encode(caps)
}

// cannotAsk says why a client cannot be asked that; "" when it can.
func cannotAsk(caps json.RawMessage, m *message) string {
	forms, url := at(caps, "elicitation"), at(caps, "elicitation", "url")
	switch m.Method {
	case string(mcp.MethodElicitationCreate):
		asksURL := textOf(at(m.Params, "mode")) == mcp.ElicitationModeURL
		if asksURL && url != nil ||
			!asksURL && forms != nil && (url == nil || at(forms, "form") != nil) {
			return ""
		}
		return "the client shows no such forms to its user"
	case string(mcp.MethodSamplingCreateMessage):
		if at(caps, "sampling") != nil &&
			(at(m.Params, "tools") == nil || at(caps, "sampling", "tools") != nil) {
			return ""
		}
		return "the client lends its model to no server, or not with tools"
	case string(mcp.MethodListRoots):
		if at(caps, "roots") != nil {
			return ""
		}
		return "the client has no roots"
	}
	return "the client's version of the protocol has no " + m.Method + " of the server"
}
