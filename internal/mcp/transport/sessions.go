package transport

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// session returns the session of the request, or nil if it has refused the request. "Servers that
// require a session ID SHOULD respond to requests without an MCP-Session-Id header (other than
// initialization) with HTTP 400 Bad Request", and to those of a session that has ended or belongs
// to another principal "with HTTP 404 Not Found".
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

// session returns the principal's session with that id, or nil.
func (h *HTTP) session(id, principal string) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[id]
	if s == nil || s.principal != principal {
		return nil
	}
	return s
}

// register adds a session. If there is no place for it, it ends the principal's session that has
// been idle longest.
func (h *HTTP) register(s *session) bool {
	oldest, ok := h.place(s)
	if oldest != nil {
		h.opts.Log.Warn("too many sessions: ended the one that was idle longest", "most",
			h.opts.MaxSessions, "principal", s.principal)
		h.remove(oldest)
	}
	return ok
}

// place adds s to the sessions. The caller must remove oldest, whose place s has, unless it is nil.
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

// sweep ends the sessions that have been idle for too long. It runs again while there are sessions.
func (h *HTTP) sweep() {
	for _, s := range h.expired() {
		h.opts.Log.Info("ending an idle session", "idle", h.opts.IdleTTL)
		h.remove(s)
	}
}

// expired removes and returns the idle sessions, and schedules the next sweep.
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

// initialize answers the handshake of 2025-11-25 and older, and begins a session if it succeeds. If
// the client leaves meanwhile, the handshake is cancelled, because no one would know the session.
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
	s.order.arrive(v.r.Context(), m.ID, false)
	c := newCall(v.context(), s.peer, m, &v.h.opts)
	if err := c.begin(1, nil); err != nil { // it was closed just now
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
