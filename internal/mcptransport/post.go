package mcptransport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// promptly is how long a request may be silent before its answer becomes a stream, which can be
// kept alive and resumed.
const promptly = time.Second

// post takes what a client sends and tells the eras apart: a request is of 2026-07-28 when its body
// or its header says so.
func (v *visit) post() {
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
	case mcp.IsModernProtocol(version) || !in.batch &&
		mcp.IsModernProtocol(in.messages[0].protocol()):
		v.stateless(in, version)
	case version != "" && !mcp.IsValidProtocolVersion(version):
		// "If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it
		// MUST respond with 400"
		refuse(v.w, http.StatusBadRequest, unsupported(version))
	case !in.batch && in.messages[0].request() &&
		in.messages[0].Method == string(mcp.MethodInitialize):
		v.initialize(in.messages[0])
	default:
		if s := v.session(); s != nil {
			defer s.leave()
			v.exchange(s, in)
		}
	}
}

// read gives what the body holds; nil when it was refused.
func (v *visit) read() *incoming {
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
	var wrong *rpcError
	if errors.As(err, &wrong) {
		refuse(v.w, http.StatusBadRequest, wrong)
		return nil
	}
	return in
}

func unsupported(version string) *rpcError {
	e := mcp.UnsupportedProtocolVersionError{Version: version,
		Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
	return &rpcError{code: e.Code, text: e.Message, data: e.Data}
}

// exchange serves messages of a session.
func (v *visit) exchange(s *session, in *incoming) {
	if in.batch && !batches(s.ProtocolVersion()) {
		v.refuse(http.StatusBadRequest, noBatches)
		return
	}
	var requests []*message
	accepted := true
	for _, m := range in.messages {
		switch {
		case m.request() && in.batch && m.Method == string(mcp.MethodInitialize):
			v.refuse(http.StatusBadRequest, "initialize must not be part of a batch")
			return
		case m.request():
			requests = append(requests, m)
		case m.response():
			accepted = s.answered(m) && accepted
		default:
			s.notice(v.context(), v.h.srv, s, m, v.h.opts.Log)
		}
	}
	switch {
	case len(requests) > 0:
		v.answer(s, requests, in.batch)
	case !accepted:
		v.refuse(http.StatusBadRequest, "the server waits for no response with this id")
	default:
		v.w.WriteHeader(http.StatusAccepted)
	}
}

// answer runs the requests of one POST and sends what they say.
func (v *visit) answer(s *session, requests []*message, batch bool) {
	st, rd := newStream(s.nextName(), v.h.opts.Buffer, len(requests))
	ctx, cancel := context.WithCancelCause(v.context())
	st.drop = func() { cancel(ErrDropped) }
	rest := s.work()
	done := func() {
		if st.ended() {
			cancel(ErrOver)
			s.finish(st)
			rest()
		}
	}
	for _, m := range requests {
		c := newCall(ctx, s.peer, m, &v.h.opts)
		err := v.begin(s, c, m, st, done)
		if err == nil {
			continue
		}
		c.cancel(ErrOver)
		refused := err.(*rpcError)
		if !batch {
			cancel(ErrOver)
			rest()
			refuse(v.w, http.StatusTooManyRequests, refused)
			return
		}
		// this visit counts, so Close waits for it still
		v.h.under.Go(func() { st.response(refused.encode(), refused.code); done() })
	}
	v.deliver(s, st, rd, batch, done)
}

// begin starts a request of the session, or gives it back. Its error is an *rpcError.
func (v *visit) begin(s *session, c *call, m *message, st *stream, done func()) error {
	if err := s.begin(c, v.h.opts.MaxCalls, nil); err != nil {
		return err
	}
	err := v.h.start(c, m, st, done)
	if err != nil {
		s.peer.finish(c)
	}
	return err
}

// deliver sends what the requests of one POST have to say: a lone response at once, anything else
// as a stream that is kept.
func (v *visit) deliver(s *session, st *stream, rd *reader, batch bool, done func()) {
	first, ended := v.await(st, rd)
	if ended && len(first) == 1 && first[0].final && !batch {
		st.leave(rd)
		v.reply(http.StatusOK, first[0].data)
		return
	}
	if v.gone() { // before it knew of an event to resume from
		st.leave(rd)
		st.drop()
		return
	}
	s.keep(st)
	done()
	v.stream(s, st, rd, primes(s.ProtocolVersion()))
}

// await waits until the stream has something, but not long.
func (v *visit) await(st *stream, rd *reader) (first []event, ended bool) {
	enough := time.NewTimer(min(promptly, v.h.opts.KeepAlive))
	defer enough.Stop()
	for {
		events, ended, changed := st.next(rd)
		if len(events) > 0 || ended {
			return events, ended
		}
		select {
		case <-changed:
		case <-enough.C:
			return nil, false
		case <-v.r.Context().Done():
			return nil, false
		}
	}
}

func (v *visit) gone() bool { return v.r.Context().Err() != nil }
