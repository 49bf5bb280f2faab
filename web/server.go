package web

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/taploop/taploop/internal/httpguard"
)

// Server serves /v1 and /ui. It is safe for concurrent use.
type Server struct {
	opts  Options
	guard *httpguard.Guard
	mux   *http.ServeMux
	ring  *ring

	ctx     context.Context // of the server's life: ends requests that wait
	cancel  context.CancelCauseFunc
	feeding context.Context // ends a little before, so that listeners hear of what has happened
	starve  context.CancelCauseFunc
	pumping sync.WaitGroup
	changes changes

	snapshots snapshots

	mu        sync.Mutex
	listeners int
}

var errClosing = errors.New("the server is closing")

// New makes a server and starts the goroutines that read the broker's events and publish sessions.
// The owner calls Close.
func New(opts *Options) *Server {
	o := settings(opts)
	s := &Server{opts: o, guard: &httpguard.Guard{Hosts: o.Hosts, Origins: o.Origins},
		ring: newRing(o.Buffer)}
	s.changes.ids, s.changes.wake = map[string]bool{}, make(chan struct{}, 1)
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.feeding, s.starve = context.WithCancelCause(s.ctx)
	s.mux = s.routes()
	sub := o.Questions.Subscribe()
	s.pumping.Go(func() { s.pumpQuestions(sub) })
	s.pumping.Go(s.pumpSessions)
	return s
}

// Close ends the requests that wait and the event streams, and waits for the server's own
// goroutines. What has happened by then is still sent to those who listen; it does not wait for
// them to read it.
func (s *Server) Close() error {
	s.starve(errClosing)
	s.pumping.Wait()
	s.cancel(errClosing)
	return nil
}

// ServeHTTP implements http.Handler for /v1/ and /ui, and for what no other handler serves.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	if err := s.guard.Check(r); err != nil {
		s.opts.Log.Warn("request refused", "err", err, "remote", r.RemoteAddr)
		s.fail(w, r, refuse("FORBIDDEN", err))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	s.mux.ServeHTTP(w, r)
}

// harden sets the headers that every answer has. None of them lets another origin in.
func harden(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
			"connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "+
			"require-trusted-types-for 'script'; trusted-types 'none'")
}

// route is a method and a path with what answers there. Those who may not come in learn nothing of
// what is there.
type route struct {
	method, path string
	serve        func(w http.ResponseWriter, r *http.Request, v viewer) error
}

// table is all routes that want a credential.
func (s *Server) table() []route {
	return []route{
		{"GET", "/v1/inquiries", s.listInquiries},
		{"GET", "/v1/inquiries/{id}", s.getInquiry},
		{"POST", "/v1/inquiries/{id}/reply", s.reply},
		{"GET", "/v1/events", s.events},
		{"GET", "/v1/sessions", s.listSessions},
		{"GET", "/v1/sessions/{id}", s.getSession},
		{"GET", "/v1/sessions/{id}/steps", s.listSteps},
		{"GET", "/v1/sessions/{id}/frames/{frame}", s.getFrame},
		{"POST", "/v1/sessions/{id}/stop", s.stop},
		{"POST", "/v1/sessions/{id}/pause", s.pause},
		{"POST", "/ui/logout", s.logout},
	}
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	paths := map[string][]string{}
	for _, x := range s.table() {
		mux.HandleFunc(x.method+" "+x.path, func(w http.ResponseWriter, r *http.Request) {
			v, err := s.who(r)
			if err == nil {
				err = x.serve(w, r, v)
			}
			if err != nil {
				s.fail(w, r, err)
			}
		})
		paths[x.path] = append(paths[x.path], x.method)
	}
	for path, methods := range paths {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			s.fail(w, r, notAllowed(w, methods...))
		})
	}
	mux.HandleFunc("POST /ui/login", s.login)
	mux.HandleFunc("GET /ui", s.page)
	mux.Handle("GET /ui/{$}", http.RedirectHandler("/ui", http.StatusFound))
	mux.HandleFunc("/ui/{asset}", s.asset)
	mux.HandleFunc("/", s.nothing)
	return mux
}

// within is a context of the request that also ends with the server.
func (s *Server) within(r *http.Request) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(s.ctx, func() { cancel(errClosing) })
	return ctx, func() { stop(); cancel(nil) }
}
