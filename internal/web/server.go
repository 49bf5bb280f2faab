package web

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/tools/schema"
)

// Server serves /v1 and /ui. It is safe for concurrent use.
type Server struct {
	core  *core
	guard *httpguard.Guard
	mux   *http.ServeMux
	feed  *feed
}

// New makes a server and starts the goroutines that read the broker's events and publish sessions.
// The owner calls Close.
func New(opts *Options) *Server {
	o := settings(opts)
	s := &Server{core: newCore(&o), guard: &httpguard.Guard{Hosts: o.Hosts, Origins: o.Origins}}
	s.feed = newFeed(s.core.ctx, &o, s.core.records)
	s.mux = s.routes()
	return s
}

// Close ends the requests that wait and the event streams, and waits for the server's own
// goroutines. What has happened by then is still sent to those who listen; it does not wait for
// them to read it.
func (s *Server) Close() error {
	s.feed.shut(errClosing)
	s.feed.pumping.Wait()
	s.core.cancel(errClosing)
	return nil
}

// Changed says that a session's run has moved or taken a step: listeners get session.state and
// step, read from the store. It returns at once, so a run may call it at each of its events.
func (s *Server) Changed(sessionID string) { s.feed.changes.add(sessionID) }

// ServeHTTP implements http.Handler for /v1/ and /ui, and for what no other handler serves.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSecurityHeaders(w.Header())
	if err := s.guard.Check(r); err != nil {
		s.core.opts.Log.Warn("request refused", "err", err, "remote", r.RemoteAddr)
		s.fail(w, r, refuse("FORBIDDEN", err))
		return
	}
	most := int64(maxBody)
	if r.URL.Path == chatPath {
		most = maxConversation
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	s.mux.ServeHTTP(w, r)
}

// Handler returns the route of a request, as that of an http.ServeMux does.
func (s *Server) Handler(r *http.Request) (h http.Handler, pattern string) {
	return s.mux.Handler(r)
}

// setSecurityHeaders sets the headers that every answer has. None of them lets another origin in.
func setSecurityHeaders(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "+
			"connect-src 'self'; manifest-src 'self'; worker-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "+
			"require-trusted-types-for 'script'; trusted-types worker")
}

// route is a method and a path with what answers there. Those who may not come in learn nothing of
// what is there.
type route struct {
	method, path string
	serve        handler
}

// Why only people have some of the routes.
const (
	whyGrants = "people say what is done without asking, and see it"
	whyPhones = "a phone is shown to people, and touched by them"
)

// table is all routes that want a credential, and the document of them, which wants none.
func (s *Server) table() []route {
	inbox, sessions, tasks := &inbox{s.core}, &sessions{s.core}, &tasks{s.core}
	chats, screens := &chats{tasks: tasks}, &screens{s.core}
	events := &events{s.core, s.feed}
	pushes, farm, of := &pushes{s.core}, &farm{s.core}, s.core.ofSession
	return []route{
		{"GET", "/v1/inquiries", inbox.listInquiries},
		{"GET", "/v1/inquiries/{id}", inbox.getInquiry},
		{"POST", "/v1/inquiries/{id}/reply", inbox.reply},
		{"GET", "/v1/answers", inbox.listAnswers},
		{"POST", "/v1/answers/{id}/forget", inbox.forget},
		{"GET", "/v1/grants", forPeople(whyGrants, inbox.listGrants)},
		{"POST", "/v1/grants", forPeople(whyGrants, inbox.giveGrant)},
		{"POST", "/v1/grants/end", forPeople(whyGrants, inbox.endGrant)},
		{"POST", "/v1/markdown", inbox.showMarks},
		{"GET", "/v1/events", events.serve},
		{"GET", "/v1/sessions", sessions.listSessions},
		{"POST", "/v1/sessions", tasks.startSession},
		{"GET", "/v1/sessions/{id}", of(sessions.getSession)},
		{"GET", "/v1/sessions/{id}/steps", of(sessions.listSteps)},
		{"GET", "/v1/sessions/{id}/steps/{index}", of(sessions.getStep)},
		{"GET", "/v1/sessions/{id}/trajectory", of(sessions.getTrajectory)},
		{"GET", "/v1/sessions/{id}/export", of(sessions.getExport)},
		{"POST", "/v1/sessions/{id}/delete",
			forPeople("sessions are deleted by people", of(sessions.deleteSession))},
		{"GET", "/v1/sessions/{id}/frames/{frame}", of(sessions.getFrame)},
		{"POST", "/v1/sessions/{id}/continue", of(tasks.goOn)},
		{"POST", "/v1/sessions/{id}/message", of(tasks.say)},
		{"POST", "/v1/sessions/{id}/stop", of(tasks.stop(runs.Cancel))},
		{"POST", "/v1/sessions/{id}/pause", of(tasks.stop(runs.Pause))},
		{"POST", "/v1/sessions/{id}/takeover", of(tasks.stop(runs.Takeover))},
		{"GET", "/v1/about", sessions.about},
		{"GET", "/v1/push", allowed(pushes.may, pushes.key)},
		{"POST", "/v1/push", allowed(pushes.may, pushes.subscribe)},
		{"POST", "/v1/push/forget", allowed(pushes.may, pushes.unsubscribe)},
		{"GET", "/v1/farm", allowed(farm.may, farm.state)},
		{"POST", "/v1/farm/drain", changing(farm, farm.drain)},
		{"POST", "/v1/farm/cordon", changing(farm, farm.cordon)},
		{"POST", "/v1/farm/requeue", changing(farm, farm.requeue)},
		{"GET", "/v1/skills", tasks.listSkills},
		{"POST", "/v1/skills/{name}/run", tasks.runSkill},
		{"GET", "/v1/devices", forPeople(whyPhones, screens.listDevices)},
		{"GET", "/v1/devices/{id}/live", forPeople(whyPhones, screens.live)},
		{"POST", "/v1/devices/{id}/input", forPeople(whyPhones, screens.input)},
		{"GET", "/v1/models", chats.listModels},
		{"GET", "/v1/models/{model}", chats.getModel},
		{"POST", chatPath, chats.chat},
		{"GET", documentPath, s.openAPI},
		{"POST", "/ui/logout", s.core.auth.logout},
	}
}

func (s *Server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	handle := func(at string, serve func(http.ResponseWriter, *http.Request) error) {
		mux.HandleFunc(at, func(w http.ResponseWriter, r *http.Request) {
			if err := serve(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	paths := map[string][]string{}
	for _, x := range s.table() {
		handle(x.method+" "+x.path, func(w http.ResponseWriter, r *http.Request) error {
			v, err := s.core.auth.authenticate(r)
			if err != nil && x.path != documentPath {
				return err
			}
			if err := checkQuery(r, x); err != nil {
				return err
			}
			return x.serve(w, r, v)
		})
		paths[x.path] = append(paths[x.path], x.method)
	}
	for path, methods := range paths {
		handle(path, func(w http.ResponseWriter, _ *http.Request) error {
			return notAllowed(w, methods...)
		})
	}
	handle("POST /ui/login", s.core.auth.login)
	handle("GET "+lendPath+"{id}", s.core.lend)
	for _, path := range []string{"/{$}", "/ui", "/ui/sessions", "/ui/sessions/{id}",
		"/ui/phones/{id}", "/ui/answered", "/ui/skills", "/ui/settings"} {
		handle("GET "+path, index)
	}
	mux.Handle("GET /ui/{$}", http.RedirectHandler("/ui", http.StatusFound))
	handle("/ui/{asset...}", asset)
	handle("/", s.notFound)
	return mux
}

// fail answers with an error. Errors that are not the sender's fault are logged, and
// answered without details.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := refusalOf(err)
	if f.code == "INTERNAL" && s.core.ctx.Err() != nil { // what was cut off by the closing
		f = refusalOf(errClosing)
	}
	if f.code == "INTERNAL" && r.Context().Err() == nil {
		s.core.opts.Log.ErrorContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path,
			"err", err)
	}
	f.answer(w, r)
}

// TurnAway refuses a request before it is served, with the status of the code in docs/http.md, and
// says when to try again (0 is within seconds).
func TurnAway(w http.ResponseWriter, r *http.Request, code string, err error,
	after time.Duration) {
	f := refuse(code, err)
	f.after = after
	f.answer(w, r)
}

// answer sends the refusal in the form that the route of r speaks.
func (f *refusal) answer(w http.ResponseWriter, r *http.Request) {
	status := codes[f.code].status
	switch {
	case status == http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="taploop"`)
	case f.after > 0, status == http.StatusServiceUnavailable:
		seconds := math.Ceil(cmp.Or(f.after, busyTime).Seconds())
		w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
	}
	if spokenInOpenAI(r.URL.Path) {
		_ = send(w, status, openAIError(f))
		return
	}
	detail := map[string]any{"code": cmp.Or(f.name, f.code), "message": f.Error()}
	if remedy := f.hint(); remedy != "" {
		detail["mend"] = remedy
	}
	body := map[string]any{"error": detail}
	maps.Copy(body, f.body)
	_ = send(w, status, body)
}

// notFound answers where there is nothing: in JSON below /v1, and elsewhere with what there is.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request) error {
	if strings.HasPrefix(r.URL.Path, "/v1/") {
		var paths []string
		for _, x := range s.table() {
			if strings.HasPrefix(x.path, "/v1/") {
				paths = append(paths, x.method+" "+x.path)
			}
		}
		err := fmt.Errorf("there is nothing at %s", r.URL.Path)
		return refuse("NOT_FOUND", hint.Add(err, "there are "+strings.Join(paths, ", ")))
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusNotFound)
	_, _ = fmt.Fprintf(w,
		"There is nothing here. This is taploop: the inbox page is at /ui, the HTTP API below "+
			"/v1, MCP at /mcp.\n")
	return nil
}

// checkQuery refuses names in the query of a request to a route that the route does not know.
// Clients of OpenAI's API add the version for Azure.
func checkQuery(r *http.Request, x route) error {
	known := queries()[x.method+" "+x.path]
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if slices.Contains(known, name) || name == "api-version" && spokenInOpenAI(x.path) {
			continue
		}
		remedy := "leave it out"
		if near := schema.Nearest(name, known); near != "" {
			remedy = "pass it as " + near
		}
		if x.method != http.MethodGet {
			remedy = "pass it in the body"
		}
		return refuse("INVALID_ARGUMENT", hint.Add(fmt.Errorf("there is no query parameter %s",
			text.Quote(name, 60)), fmt.Sprintf("%s; those of %s %s are: %s", remedy, x.method,
			x.path, schema.NamesOf(known))))
	}
	return nil
}
