package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// statelessRequests numbers the requests that stand alone, as mcp-go wants a name for each session.
var statelessRequests atomic.Int64

// newStatelessPeer returns the peer for one request of 2026-07-28. Each request gets a new one:
// "servers MUST NOT rely on prior requests over the same connection to establish context".
func newStatelessPeer(principal string) *peer {
	return newPeer(fmt.Sprintf("request-%d", statelessRequests.Add(1)), principal)
}

// stateless serves a message of 2026-07-28.
func (v *httpRequest) stateless(in *wire.Incoming, header string) {
	m := in.Messages[0]
	switch {
	case in.Batch:
		v.refuse(http.StatusBadRequest, noBatches)
		return
	case m.IsResponse():
		v.refuse(http.StatusBadRequest,
			"this version of the protocol has no responses of the client")
		return
	case m.IsNotification(): // ignored: a client cancels by closing its connection
		v.w.WriteHeader(http.StatusAccepted)
		return
	}
	if wrong := v.h.mismatch(m, v.r.Header, header); wrong != nil {
		wrong.ID = m.ID
		refuse(v.w, status(wrong.Code), wrong)
		return
	}
	v.answerStateless(m)
}

// mismatch checks that the headers of the request agree with its body: "servers that process
// the request body MUST reject requests where the values specified in the headers do not match".
func (h *HTTP) mismatch(m *wire.Message, headers http.Header, version string) *wire.Error {
	declared := m.Protocol()
	switch {
	case version == "":
		return &wire.Error{Code: mcp.HEADER_MISMATCH,
			Text: "header mismatch: " + mcp.HeaderProtocolVersion + " is missing"}
	case !mcp.IsValidProtocolVersion(version) && (declared == "" || declared == version):
		return unsupported(version)
	case declared == "":
		return &wire.Error{Code: mcp.INVALID_PARAMS,
			Text: "_meta lacks " + mcp.MetaKeyProtocolVersion}
	case declared != version:
		return &wire.Error{Code: mcp.HEADER_MISMATCH,
			Text: fmt.Sprintf("header mismatch: %s is %q, %s is %q",
				mcp.HeaderProtocolVersion, version, mcp.MetaKeyProtocolVersion, declared)}
	}
	err := mcp.ValidateStandardHeaders(headers.Get, version, mcp.MCPMethod(m.Method), m.Params)
	if err == nil && m.Method == string(mcp.MethodToolsCall) {
		err = h.mismatchedParams(m, headers)
	}
	if err != nil {
		return &wire.Error{Code: mcp.HEADER_MISMATCH, Text: err.Error()}
	}
	return nil
}

// mismatchedParams compares the arguments that the tool's schema marks with x-mcp-header with the
// headers that mirror them.
func (h *HTTP) mismatchedParams(m *wire.Message, headers http.Header) error {
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return nil // mcp-go answers with an error
	}
	tool := h.srv.GetTool(params.Name)
	if tool == nil {
		return nil
	}
	lookup := func(name string) (string, bool) {
		values := headers.Values(name)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}
	return mcp.ValidateParamHeadersLookup(lookup, &tool.Tool, m.Params)
}

// answerStateless answers one request. "Closing the SSE response stream MUST be treated by the
// server as cancellation of that request."
func (v *httpRequest) answerStateless(m *wire.Message) {
	st, rd := newStream("", v.h.opts.Buffer, 1)
	c := newCall(v.context(), newStatelessPeer(v.principal), m, &v.h.opts)
	leave := subscribe(v.h.srv, c)
	err := v.h.startCall(c, m, st, leave)
	if refused, is := errors.AsType[*wire.Error](err); is {
		leave()
		c.cancel(errOver)
		refuse(v.w, http.StatusTooManyRequests, refused)
		return
	}
	first, ended := v.await(st, rd)
	if ended && len(first) == 1 && first[0].final {
		st.leave(rd)
		v.reply(status(first[0].failure), first[0].data)
		return
	}
	if err = v.open(); err == nil {
		_, err = v.follow(nil, st, rd)
	}
	v.logEnd(err)
	if st.leave(rd) {
		c.cancel(ErrDropped)
	}
}

// subscribe makes a subscriptions/listen reachable for broadcasts until leave is called.
func subscribe(srv Server, c *call) (leave func()) {
	ctx := context.WithoutCancel(c.ctx)
	// the name of such a request is always new
	if !c.listens() || srv.RegisterSession(ctx, c) != nil {
		return func() {}
	}
	return func() { srv.UnregisterSession(ctx, c.SessionID()) }
}
