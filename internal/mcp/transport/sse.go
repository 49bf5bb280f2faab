package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// open begins the event stream. "Servers SHOULD include the X-Accel-Buffering: no header."
func (v *httpRequest) open() error {
	h := v.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	h.Set("X-Content-Type-Options", "nosniff")
	v.w.WriteHeader(http.StatusOK)
	return v.write(nil)
}

// write writes to the event stream. A write that takes too long breaks the connection, so a client
// that does not read holds up only itself.
func (v *httpRequest) write(data []byte) error {
	v.extend()
	if _, err := v.w.Write(data); err != nil {
		return err
	}
	return http.NewResponseController(v.w).Flush()
}

func (v *httpRequest) events(st *stream, events []streamEvent) error {
	var b []byte
	for _, e := range events {
		event := wire.Event{Name: "message", Data: e.data}
		if st.name != "" {
			event.ID = st.eventID(e.n)
		}
		b = wire.AppendEvent(b, event)
	}
	return v.write(b)
}

// stream sends a resumable stream to the client until either ends. When the connection breaks, the
// requests of the stream continue for ResumeGrace: "disconnection SHOULD NOT be interpreted as the
// client cancelling its request".
func (v *httpRequest) stream(s *session, st *stream, rd *reader, prime bool) {
	err := v.open()
	if prime && err == nil { // the client gets an event id to resume from before the first message
		st.prime()
		err = v.write(wire.AppendEvent(nil, wire.Event{ID: st.eventID(0)}))
	}
	if err == nil {
		rd, err = v.follow(s, st, rd)
	}
	v.logEnd(err)
	if !st.leave(rd) || st.drop == nil {
		return
	}
	if !st.resumable() || errors.Is(err, errRevoked) {
		st.drop()
		return
	}
	time.AfterFunc(v.h.opts.ResumeGrace, func() {
		if st.abandoned() {
			st.drop()
		}
	})
}

// logEnd logs how the connection ended.
func (v *httpRequest) logEnd(err error) {
	v.extend() // net/http writes the end of the stream
	switch {
	case err == nil:
	case errors.Is(err, http.ErrNotSupported):
		v.h.opts.Log.Error("this HTTP server cannot stream", "error", err)
	default:
		v.h.opts.Log.Debug("connection lost", "error", err)
	}
}

// follow writes the events that rd has not got, and further ones, until the stream, the session or
// this connection ends or another connection takes over. Only a lost connection is an error. It
// returns the reader at the end.
//
// For a session's listening stream it also takes the broadcasts. A connection from which a newer
// one took over stays open, and is written to again when the newer one is lost. "The client MAY
// remain connected to multiple SSE streams simultaneously. The server MUST send each of its
// JSON-RPC messages on only one of the connected streams."
func (v *httpRequest) follow(s *session, st *stream, rd *reader) (*reader, error) {
	quiet := time.NewTimer(v.h.opts.KeepAlive)
	defer quiet.Stop()
	listens := s != nil && st == s.listening
	var closed <-chan struct{}
	if listens {
		closed = s.ctx.Done()
	}
	for {
		next := awaited{closed: closed}
		if rd == nil || st.replaced(rd) {
			if !listens {
				return rd, nil
			}
			rd, next.changed = st.takeOver()
		}
		if rd != nil {
			sent, ended, changed, err := v.sendNew(st, rd)
			switch next.changed = changed; {
			case err != nil || ended:
				return rd, err
			case sent:
				quiet.Reset(v.h.opts.KeepAlive)
				continue
			case listens:
				next.feed, next.wake = s.feed, s.wake
			}
		}
		if ended, err := v.serveNext(s, st, next, quiet); ended || err != nil {
			return rd, err
		}
	}
}

// awaited are the channels that a connection waits for while there is nothing to write. They may be
// nil.
type awaited struct {
	changed <-chan struct{} // closed when the stream has more, or is free to be taken over
	feed    <-chan mcp.JSONRPCNotification
	wake    <-chan struct{} // the session has updates to take
	closed  <-chan struct{} // the session has ended
}

// serveNext waits for the next event on the connection and handles it. Broadcasts go into the
// stream. It reports whether the session has ended. A lost connection is an error.
func (v *httpRequest) serveNext(s *session, st *stream, next awaited, quiet *time.Timer) (
	ended bool, err error) {
	select {
	case <-next.changed:
	case <-v.changed:
		v.changed, v.authorizedAt = v.h.opts.Changed(), time.Time{}
		err = v.reauthorize()
	case <-quiet.C: // a quiet connection must not seem dead
		if err = v.reauthorize(); err == nil {
			err = v.write(wire.AppendComment(nil, "keep-alive"))
		}
		quiet.Reset(v.h.opts.KeepAlive)
	case n := <-next.feed:
		encodeAll([]mcp.JSONRPCNotification{n}, v.h.opts.Log, st.message)
	case <-next.wake:
		encodeAll(s.takeUpdates(), v.h.opts.Log, st.message)
	case <-next.closed:
		return true, nil
	case <-v.r.Context().Done():
		err = context.Cause(v.r.Context())
	}
	return false, err
}

// sendNew sends the events that rd has not got. If there are none, it reports whether the stream
// has ended, and returns a channel that is closed when the stream changes.
func (v *httpRequest) sendNew(st *stream, rd *reader) (
	sent, ended bool, changed <-chan struct{}, err error) {
	events, ended, changed := st.next(rd)
	if len(events) == 0 {
		return false, ended, changed, nil
	}
	return true, false, nil, v.send(st, rd, events)
}

// send writes events and notes that rd has got them. It returns an error if the connection is lost
// or its credential was revoked.
func (v *httpRequest) send(st *stream, rd *reader, events []streamEvent) error {
	if err := v.reauthorize(); err != nil {
		return err
	}
	if err := v.events(st, events); err != nil {
		return err
	}
	st.got(rd, events[len(events)-1].n)
	return nil
}

// connect serves GET and DELETE, which only the older era has: "HTTP GET or DELETE to the MCP
// endpoint: respond with 405 Method Not Allowed" (2026-07-28).
func (v *httpRequest) connect() {
	version := v.r.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case version == mcp.ProtocolVersion20260728:
		v.w.Header().Set("Allow", "POST")
		v.refuse(http.StatusMethodNotAllowed,
			"want POST: this protocol version has neither sessions nor listening connections")
		return
	case version != "" && !mcp.IsValidProtocolVersion(version):
		refuse(v.w, http.StatusBadRequest, unsupported(version))
		return
	case v.r.ContentLength != 0:
		v.refuse(http.StatusBadRequest, "a request of this method has no body")
		return
	case v.r.Method == http.MethodGet && !accepts(v.r.Header, "text/event-stream"):
		v.refuse(http.StatusNotAcceptable, "the Accept header must list text/event-stream")
		return
	}
	s := v.session()
	if s == nil {
		return
	}
	defer s.leave()
	if v.r.Method == http.MethodGet {
		v.listen(s)
		return
	}
	v.h.remove(s)
	v.w.WriteHeader(http.StatusNoContent)
}

// listen opens the stream of the session's broadcasts, or resumes the stream that the client lost.
// "The server MUST NOT replay messages that would have been delivered on a different stream."
func (v *httpRequest) listen(s *session) {
	leave, ok := v.h.places.listeners.Take(v.principal, v.h.opts.Operator(v.principal))
	if !ok {
		v.refuse(http.StatusTooManyRequests, fmt.Sprintf("you have as many listening connections "+
			"as your share of the server's %d allows; close one", v.h.opts.MaxSessions))
		return
	}
	defer leave()
	st, from := s.listening, -1
	if id := v.r.Header.Get(mcp.HeaderLastEventID); id != "" {
		if st, from = s.stream(id); st == nil {
			v.refuse(http.StatusNotFound, fmt.Sprintf("event %q is not known, or no longer", id))
			return
		}
	}
	rd, ok := st.attach(from)
	if !ok {
		v.refuse(http.StatusNotFound, fmt.Sprintf("event %q is not known",
			v.r.Header.Get(mcp.HeaderLastEventID)))
		return
	}
	v.stream(s, st, rd, false)
}

// promptly is how long a request may be silent before its answer becomes a stream, which can be
// kept alive and resumed.
const promptly = time.Second

// await waits until the stream has events or ends, for at most promptly.
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
