package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// session is one client of 2025-11-25 or older over HTTP, from its handshake until it ends it
// or stays away too long. To mcp-go it is the session that broadcasts go to, and requests that are
// not answered by a call.
type session struct {
	*peer
	ctx context.Context // ends with the session
	end context.CancelCauseFunc

	give func() // gives its place back; below HTTP.mu

	feed      chan mcp.JSONRPCNotification // broadcasts that wait for a listening connection
	listening *stream

	// below peer.mu
	streams     map[string]*stream // that can be resumed
	finished    []string           // names of those that ended, oldest first
	opened      int
	seen        time.Time
	requests    int // HTTP requests of the session being served
	openStreams int // streams that have not ended, which may be without a connection
}

// mostFinished is how many ended streams are kept for clients that have lost the end.
const mostFinished = 64

// keepFinished is how long they are kept at most.
const keepFinished = time.Minute

func newSession(p *peer, buffer int) *session {
	s := &session{peer: p, feed: make(chan mcp.JSONRPCNotification, 16), seen: time.Now()}
	s.ctx, s.end = context.WithCancelCause(context.Background())
	var rd *reader
	s.listening, rd = newStream("g", buffer, 1)
	s.listening.waits = false
	s.listening.leave(rd)
	s.streams = map[string]*stream{"g": s.listening}
	return s
}

var (
	_ server.SessionWithClientInfo      = (*session)(nil)
	_ server.SessionWithLogging         = (*session)(nil)
	_ server.SessionWithProtocolVersion = (*session)(nil)
)

// NotificationChannel takes broadcasts. They wait for a listening connection, as many as there is
// room for.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.feed }

// close ends the session with all that is under way in it.
func (s *session) close(cause error) {
	s.peer.close(cause)
	s.end(cause)
}

// enter notes that an HTTP request of the session is being served, until leave. It reports whether
// there are not more than that many.
func (s *session) enter(most int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests >= most {
		return false
	}
	s.requests++
	return true
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests--
	s.seen = time.Now()
}

// beginStream notes that a stream of the session has begun, until end is called, which may be more
// than once.
func (s *session) beginStream() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.openStreams++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.openStreams--
		s.seen = time.Now()
	})
}

// idle is how long the session has not been used, 0 while a request or a stream is under way.
func (s *session) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests > 0 || s.openStreams > 0 {
		return 0
	}
	return now.Sub(s.seen)
}

// nextName is the name of a new stream of the session. Event ids "MUST be globally unique across
// all streams within that session".
func (s *session) nextName() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened++
	return strconv.Itoa(s.opened)
}

// keep makes a stream resumable.
func (s *session) keep(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams[st.name] = st
}

// finish notes that a stream has ended. It stays a while for a client that has not got all of it.
func (s *session) finish(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams[st.name] != st || slices.Contains(s.finished, st.name) {
		return
	}
	if !st.answered() { // cancelled: a client would resume it again and again, for nothing
		delete(s.streams, st.name)
		return
	}
	s.finished = append(s.finished, st.name)
	if len(s.finished) > mostFinished {
		delete(s.streams, s.finished[0])
		s.finished = s.finished[1:]
	}
	time.AfterFunc(keepFinished, func() { s.discard(st.name) })
}

func (s *session) discard(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, name)
	s.finished = slices.DeleteFunc(s.finished, func(n string) bool { return n == name })
}

// stream is the one that an event id belongs to, with the number of the event; nil when there is
// none (any more).
func (s *session) stream(eventID string) (*stream, int) {
	name, n, ok := parseEventID(eventID)
	if !ok {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name], n
}

// newID is a name that cannot be guessed: "the session ID SHOULD be globally unique and
// cryptographically secure".
func newID() string { return rand.Text() }

// session finds the one that the request names, and has refused it when there is none. "Servers
// that require a session ID SHOULD respond to requests without an MCP-Session-Id header (other than
// initialization) with HTTP 400 Bad Request", and to those with one that ended, or that is another
// principal's, "with HTTP 404 Not Found".
func (v *httpRequest) session() *session {
	id := v.r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		v.refuse(http.StatusBadRequest,
			"there is no header "+mcp.HeaderSessionID+
				": send initialize, then the id in its answer")
		return nil
	}
	s := v.h.session(id, v.principal)
	switch {
	case s == nil:
		v.refuse(http.StatusNotFound,
			"this session is not known, or no longer: send initialize again")
		return nil
	case !s.enter(2 * v.h.opts.MaxCalls):
		v.refuse(http.StatusTooManyRequests, "there are too many connections of this session")
		return nil
	}
	return s
}

// session is the principal's own of that id, nil when there is none.
func (h *HTTP) session(id, principal string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil || s.principal != principal {
		return nil
	}
	return s
}

// register takes a new session in, if need be instead of the same principal's that has been idle
// longest.
func (h *HTTP) register(s *session) bool {
	oldest, ok := h.place(s)
	if oldest != nil {
		h.opts.Log.Warn("too many sessions: ended the one that was idle longest", "most",
			h.opts.MaxSessions, "principal", s.principal)
		h.remove(oldest)
	}
	return ok
}

// place puts s among the sessions. The one that had to make room, if any, is still to be removed.
func (h *HTTP) place(s *session) (oldest *session, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closing {
		return nil, false
	}
	give, ok := h.places.sessions.Take(s.principal, h.opts.Operator(s.principal))
	if !ok {
		if oldest = h.longestIdle(s.principal); oldest == nil {
			return nil, false
		}
		delete(h.sessions, oldest.id)
		give, oldest.give = oldest.give, func() {}
	}
	s.give = give
	h.sessions[s.id] = s
	if h.sweeper == nil {
		h.sweeper = time.AfterFunc(h.sweepEvery(), h.sweep)
	}
	return oldest, true
}

func (h *HTTP) longestIdle(principal string) *session {
	var oldest *session
	var most time.Duration
	now := time.Now()
	for _, s := range h.sessions {
		if idle := s.idle(now); s.principal == principal && idle > most {
			oldest, most = s, idle
		}
	}
	return oldest
}

// remove ends a session.
func (h *HTTP) remove(s *session) {
	h.mu.Lock()
	delete(h.sessions, s.id)
	s.give()
	h.mu.Unlock()
	s.close(ErrClosed)
	h.srv.UnregisterSession(context.Background(), s.id)
}

func (h *HTTP) sweepEvery() time.Duration { return min(h.opts.IdleTTL/4, time.Minute) }

// sweep ends the sessions that have been idle for too long, again and again while there are any.
func (h *HTTP) sweep() {
	for _, s := range h.expired() {
		h.opts.Log.Info("ending an idle session", "idle", h.opts.IdleTTL)
		h.remove(s)
	}
}

// expired takes the idle sessions out, and sees to the next sweep.
func (h *HTTP) expired() (idle []*session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for id, s := range h.sessions {
		if s.idle(now) >= h.opts.IdleTTL {
			idle = append(idle, s)
			delete(h.sessions, id)
			s.give()
		}
	}
	h.sweeper = nil
	if len(h.sessions) > 0 && !h.closing {
		h.sweeper = time.AfterFunc(h.sweepEvery(), h.sweep)
	}
	return idle
}

// responseSink takes the response of a call that has no stream.
type responseSink struct{ data []byte }

func (*responseSink) message([]byte) {}

func (s *responseSink) response(data []byte, _ int) { s.data = data }

// initialize answers the handshake of 2025-11-25 and older, and begins a session when it succeeds.
// It ends with a client that leaves: nobody can take the session up.
func (v *httpRequest) initialize(m *wire.Message) {
	s := newSession(newPeer(newID(), v.principal), v.h.opts.Buffer)
	if !v.h.register(s) {
		v.w.Header().Set("Retry-After", "60")
		v.refuse(http.StatusServiceUnavailable,
			fmt.Sprintf("you have as many sessions as your share of the server's %d allows, and "+
				"none is idle; end one with DELETE, or try again later", v.h.opts.MaxSessions))
		return
	}
	s.enter(1)
	defer s.leave()
	var answer responseSink
	c := newCall(v.context(), s.peer, m, &v.h.opts)
	if err := s.begin(c, 1, nil); err != nil { // it was closed just now
		v.refuse(http.StatusServiceUnavailable, err.Error())
		return
	}
	defer context.AfterFunc(v.r.Context(), func() { c.cancel(ErrDropped) })()
	c.run(v.h.srv, m.Raw, &answer)
	if !s.Initialized() || v.h.srv.RegisterSession(v.context(), s) != nil {
		v.h.remove(s)
	} else {
		v.w.Header().Set(mcp.HeaderSessionID, s.id)
	}
	v.reply(http.StatusOK, answer.data)
}
