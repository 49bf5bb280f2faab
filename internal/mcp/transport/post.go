package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// post serves a POST. A request is of 2026-07-28 if its body or its header says so.
func (v *httpRequest) post() {
	if !isJSON(v.r.Header) {
		v.refuse(http.StatusUnsupportedMediaType, "the Content-Type must be application/json")
		return
	}
	if !accepts(v.r.Header, "application/json", "text/event-stream") {
		v.refuse(http.StatusNotAcceptable,
			"the Accept header must list both application/json and text/event-stream")
		return
	}
	in := v.read()
	if in == nil {
		return
	}
	version := v.r.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case mcp.IsModernProtocol(version) || !in.Batch &&
		in.Messages[0].Modern():
		v.stateless(in, version)
	case version != "" && !mcp.IsValidProtocolVersion(version):
		// "If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it
		// MUST respond with 400"
		refuse(v.w, http.StatusBadRequest, unsupported(version))
	case !in.Batch && in.Messages[0].IsRequest() &&
		in.Messages[0].Method == string(mcp.MethodInitialize):
		v.initialize(in.Messages[0])
	default:
		if s := v.session(); s != nil {
			defer s.leave()
			v.exchange(s, in)
		}
	}
}

// read returns the messages of the body, or nil if it has refused the request.
func (v *httpRequest) read() *wire.Incoming {
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, v.h.opts.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		v.refuse(http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the message is larger than %d bytes", tooLarge.Limit))
		return nil
	case err != nil:
		v.refuse(http.StatusBadRequest, "the body did not arrive whole")
		return nil
	}
	in, err := parse(body)
	if wrong, is := errors.AsType[*wire.Error](err); is {
		refuse(v.w, http.StatusBadRequest, wrong)
		return nil
	}
	return in
}

// exchange serves messages of a session.
func (v *httpRequest) exchange(s *session, in *wire.Incoming) {
	if in.Batch && !batches(s.ProtocolVersion()) {
		v.refuse(http.StatusBadRequest, noBatches)
		return
	}
	var requests []*wire.Message
	accepted := true
	for _, m := range in.Messages {
		switch {
		case m.IsRequest() && in.Batch && m.Method == string(mcp.MethodInitialize):
			v.refuse(http.StatusBadRequest, "initialize must not be part of a batch")
			return
		case m.IsRequest():
			requests = append(requests, m)
		case m.IsResponse():
			accepted = s.answered(m) && accepted
		default:
			notice(v.context(), v.h.srv, s.peer, s, m, v.h.opts.Log)
		}
	}
	switch {
	case len(requests) > 0:
		v.answer(s, requests, in.Batch)
	case !accepted:
		v.refuse(http.StatusBadRequest, "the server waits for no response with this id")
	default:
		v.w.WriteHeader(http.StatusAccepted)
	}
}

// answer runs the requests of one POST and sends their messages.
func (v *httpRequest) answer(s *session, requests []*wire.Message, batch bool) {
	st, rd := newStream(s.nextName(), v.h.opts.Buffer, len(requests))
	ctx, cancel := context.WithCancelCause(v.context())
	st.drop = func() { cancel(ErrDropped) }
	ended := s.beginStream()
	done := func() {
		if st.ended() {
			cancel(errOver)
			s.finish(st)
			ended()
		}
	}
	for _, m := range requests {
		c := newCall(ctx, s.peer, m, &v.h.opts)
		c.turn = v.arrive(s, m)
		err := v.begin(s, c, m, st, done)
		if err == nil {
			continue
		}
		c.turn.pass()
		c.cancel(errOver)
		refused := err.(*wire.Error)
		if !batch {
			cancel(errOver)
			ended()
			refuse(v.w, http.StatusTooManyRequests, refused)
			return
		}
		// this HTTP request counts, so Close waits for it still
		v.h.under.Go(func() { st.response(refused.Encode(), refused.Code); done() })
	}
	v.deliver(s, st, rd, batch, done)
}

// arrive returns the turn of a request, nil if it waits for none.
func (v *httpRequest) arrive(s *session, m *wire.Message) *turn {
	if !v.h.opts.InOrder {
		return nil
	}
	return s.order.arrive(v.r.Context(), m.ID, v.h.opts.ordered(m))
}

// begin starts a request of the session. Its error is a *wire.Error.
func (v *httpRequest) begin(s *session, c *call, m *wire.Message, st *stream, done func()) error {
	if err := c.begin(v.h.opts.MaxCalls, nil); err != nil {
		return err
	}
	err := v.h.startCall(c, m, st, done)
	if err != nil {
		s.peer.finish(c.id)
	}
	return err
}

// deliver sends the messages of the requests of one POST: a single response as JSON, anything else
// as a stream that can be resumed.
func (v *httpRequest) deliver(s *session, st *stream, rd *reader, batch bool, done func()) {
	first, ended := v.await(st, rd)
	if ended && len(first) == 1 && first[0].final && !batch {
		st.leave(rd)
		v.reply(http.StatusOK, first[0].data)
		return
	}
	if v.r.Context().Err() != nil { // the client knows no event to resume from
		st.leave(rd)
		st.drop()
		return
	}
	s.keep(st)
	done()
	v.stream(s, st, rd, primes(s.ProtocolVersion()))
}
