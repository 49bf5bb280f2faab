package transport

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// session is one client of 2025-11-25 or older over HTTP, from its handshake until it is deleted or
// has been idle for too long. mcp-go sends broadcasts to it.
type session struct {
	*peer
	ctx context.Context // ends with the session
	end context.CancelCauseFunc

	give func() // gives its place back, called while HTTP.mu is held

	order order

	feed      chan mcp.JSONRPCNotification // broadcasts that wait for a listening connection
	listening *stream

	// guarded by peer.mu
	streams     map[string]*stream // that can be resumed
	finished    []string           // the names of ended streams, oldest first
	opened      int
	seen        time.Time
	requests    int // HTTP requests of the session being served
	openStreams int // streams that have not ended, with or without a connection
}

// mostFinished is how many ended streams are kept for clients that have not got all of them.
const mostFinished = 64

// keepFinished is how long an ended stream is kept at most.
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

// NotificationChannel takes broadcasts, which wait there for a listening connection.
func (s *session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.feed }

// close ends the session and its requests.
func (s *session) close(cause error) {
	s.peer.close(cause)
	s.end(cause)
}

// enter counts an HTTP request of the session until leave is called. It reports false, and does not
// count, if there are most already.
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

// beginStream counts a stream of the session until end is called, which may be called twice.
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

// idle returns how long the session has not been used. It is 0 while a request or a stream is open.
func (s *session) idle(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests > 0 || s.openStreams > 0 {
		return 0
	}
	return now.Sub(s.seen)
}

// nextName returns a name for a new stream of the session. Event ids "MUST be globally unique
// across all streams within that session".
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

// finish notes that a stream has ended. It is kept for a while for clients that have not got it
// all.
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

// stream returns the stream that an event id belongs to, and the number of the event. The stream is
// nil if it is not known.
func (s *session) stream(eventID string) (*stream, int) {
	name, n, ok := parseEventID(eventID)
	if !ok {
		return nil, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams[name], n
}

// newID returns an id that cannot be guessed: "the session ID SHOULD be globally unique and
// cryptographically secure".
func newID() string { return rand.Text() }
