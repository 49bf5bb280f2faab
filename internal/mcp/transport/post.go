package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// promptly is how long a request may be silent before its answer becomes a stream, which can be
// kept alive and resumed.
const promptly = time.Second

// post takes what a client sends and tells the eras apart: a request is of 2026-07-28 when its body
// or its header says so.
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

// read gives what the body holds; nil when it was refused.
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
	var wrong *wire.Error
	if errors.As(err, &wrong) {
		refuse(v.w, http.StatusBadRequest, wrong)
		return nil
	}
	return in
}

func unsupported(version string) *wire.Error {
	e := mcp.UnsupportedProtocolVersionError{Version: version,
		Supported: mcp.ValidProtocolVersions}.JSONRPCError().Error
	return &wire.Error{Code: e.Code, Text: e.Message, Data: e.Data}
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

// answer runs the requests of one POST and sends what they say.
func (v *httpRequest) answer(s *session, requests []*wire.Message, batch bool) {
	st, rd := newStream(s.nextName(), v.h.opts.Buffer, len(requests))
	ctx, cancel := context.WithCancelCause(v.context())
	st.drop = func() { cancel(ErrDropped) }
	ended := s.beginStream()
	done := func() {
		if st.ended() {
			cancel(ErrOver)
			s.finish(st)
			ended()
		}
	}
	for _, m := range requests {
		c := newCall(ctx, s.peer, m, &v.h.opts)
		err := v.begin(s, c, m, st, done)
		if err == nil {
			continue
		}
		c.cancel(ErrOver)
		refused := err.(*wire.Error)
		if !batch {
			cancel(ErrOver)
			ended()
			refuse(v.w, http.StatusTooManyRequests, refused)
			return
		}
		// this HTTP request counts, so Close waits for it still
		v.h.under.Go(func() { st.response(refused.Encode(), refused.Code); done() })
	}
	v.deliver(s, st, rd, batch, done)
}

// begin starts a request of the session, or gives it back. Its error is an *wire.Error.
func (v *httpRequest) begin(s *session, c *call, m *wire.Message, st *stream, done func()) error {
	if err := s.begin(c, v.h.opts.MaxCalls, nil); err != nil {
		return err
	}
	err := v.h.startCall(c, m, st, done)
	if err != nil {
		s.peer.finish(c)
	}
	return err
}

// deliver sends what the requests of one POST have to say: a lone response at once, anything else
// as a stream that is kept.
func (v *httpRequest) deliver(s *session, st *stream, rd *reader, batch bool, done func()) {
	first, ended := v.await(st, rd)
	if ended && len(first) == 1 && first[0].final && !batch {
		st.leave(rd)
		v.reply(http.StatusOK, first[0].data)
		return
	}
	if v.r.Context().Err() != nil { // before it knew of an event to resume from
		st.leave(rd)
		st.drop()
		return
	}
	s.keep(st)
	done()
	v.stream(s, st, rd, primes(s.ProtocolVersion()))
}

// await waits until the stream has something, but not long.
func (v *httpRequest) await(st *stream, rd *reader) (first []streamEvent, ended bool) {
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

func invalid(text string) *wire.Error { return &wire.Error{Code: mcp.INVALID_REQUEST, Text: text} }

// refuse answers with an error: "the HTTP response body MAY comprise a JSON-RPC error response".
func refuse(w http.ResponseWriter, status int, e *wire.Error) { write(w, status, e.Encode()) }

// reply answers with a message, which may be large, so that a client that does not read it is given
// up.
func (v *httpRequest) reply(status int, message []byte) {
	v.extend() // net/http lifts it when the answer has ended
	write(v.w, status, message)
}

// write writes the whole answer. The caller can do nothing if it does not arrive.
func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Length", strconv.Itoa(len(body)+1))
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// status is the HTTP status for an error of a request under 2026-07-28. "If the server does not
// implement the requested RPC method, it MUST respond with 404 Not Found"; what is wrong with the
// request is 400.
func status(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.PARSE_ERROR, mcp.INVALID_REQUEST, mcp.INVALID_PARAMS,
		mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
		mcp.UNSUPPORTED_PROTOCOL_VERSION:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// accepts reports whether the client takes all these media types. Without an Accept header it takes
// anything.
func accepts(h http.Header, kinds ...string) bool {
	values := h.Values("Accept")
	if len(values) == 0 {
		return true
	}
	var taken []string
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err == nil && strings.Trim(params["q"], "0.") == "" && params["q"] != "" {
			continue // weighted with nothing
		}
		taken = append(taken, kind)
	}
	for _, kind := range kinds {
		family, _, _ := strings.Cut(kind, "/")
		if !slices.ContainsFunc([]string{kind, family + "/*", "*/*"}, func(k string) bool {
			return slices.Contains(taken, k)
		}) {
			return false
		}
	}
	return true
}
