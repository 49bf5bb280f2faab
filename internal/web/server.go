package web

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"sync"

	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/words"
	"github.com/taploop/taploop/tools/result"
	"github.com/taploop/taploop/tools/schema"
)

// Server serves /v1 and /ui. It is safe for concurrent use.
type Server struct {
	opts  *Options
	guard *httpguard.Guard
	mux   *http.ServeMux

	auth    authenticator
	records records
	feed    *feed

	ctx       context.Context // of the server's life: ends requests that wait
	cancel    context.CancelCauseFunc
	listeners *httpguard.Shares
}

var errClosing = errors.New("the server is closing")

// New makes a server and starts the goroutines that read the broker's events and publish sessions.
// The owner calls Close.
func New(opts *Options) *Server {
	o := settings(opts)
	s := &Server{opts: &o, guard: &httpguard.Guard{Hosts: o.Hosts, Origins: o.Origins},
		auth: authenticator{&o}, records: records{&o},
		listeners: httpguard.NewShares(o.MaxListeners)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	s.mux = s.routes()
	s.feed = newFeed(s.ctx, s.records)
	return s
}

// Close ends the requests that wait and the event streams, and waits for the server's own
// goroutines. What has happened by then is still sent to those who listen; it does not wait for
// them to read it.
func (s *Server) Close() error {
	s.feed.stop()
	s.cancel(errClosing)
	return nil
}

// untilClosing is ctx until the server closes, which is its cause then. The caller calls end.
func (s *Server) untilClosing(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(errClosing) })
	return ctx, func() { stop(); cancel(nil) }
}

// ServeHTTP implements http.Handler for /v1/ and /ui, and for what no other handler serves.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setSecurityHeaders(w.Header())
	if err := s.guard.Check(r); err != nil {
		s.opts.Log.Warn("request refused", "err", err, "remote", r.RemoteAddr)
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
			"connect-src 'self'; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "+
			"require-trusted-types-for 'script'; trusted-types 'none'")
}

// route is a method and a path with what answers there. Those who may not come in learn nothing of
// what is there.
type route struct {
	method, path string
	serve        handler
}

// handler answers a request of somebody who may come in, or says why not.
type handler func(w http.ResponseWriter, r *http.Request, v viewer) error

// table is all routes that want a credential.
func (s *Server) table() []route {
	return []route{
		{"GET", "/v1/inquiries", s.listInquiries},
		{"GET", "/v1/inquiries/{id}", s.getInquiry},
		{"POST", "/v1/inquiries/{id}/reply", s.reply},
		{"GET", "/v1/answers", s.listAnswers},
		{"POST", "/v1/answers/{id}/forget", s.forget},
		{"GET", "/v1/grants", s.listGrants},
		{"POST", "/v1/grants/end", s.endGrant},
		{"GET", "/v1/events", s.events},
		{"GET", "/v1/sessions", s.listSessions},
		{"POST", "/v1/sessions", s.startSession},
		{"GET", "/v1/sessions/{id}", s.getSession},
		{"GET", "/v1/sessions/{id}/steps", s.listSteps},
		{"GET", "/v1/sessions/{id}/frames/{frame}", s.getFrame},
		{"POST", "/v1/sessions/{id}/continue", s.goOn},
		{"POST", "/v1/sessions/{id}/message", s.say},
		{"POST", "/v1/sessions/{id}/stop", s.halt("cancel")},
		{"POST", "/v1/sessions/{id}/pause", s.halt("pause")},
		{"POST", "/v1/sessions/{id}/takeover", s.halt("takeover")},
		{"GET", "/v1/devices/{id}/live", s.live},
		{"POST", "/v1/devices/{id}/input", s.input},
		{"GET", "/v1/models", s.listModels},
		{"GET", "/v1/models/{model}", s.getModel},
		{"POST", chatPath, s.chat},
		{"GET", "/v1/openapi.json", s.openAPI},
		{"POST", "/ui/logout", s.auth.logout},
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
			v, err := s.auth.authenticate(r)
			if err != nil {
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
	handle("POST /ui/login", s.auth.login)
	handle("GET /ui", page)
	mux.Handle("GET /ui/{$}", http.RedirectHandler("/ui", http.StatusFound))
	handle("/ui/{asset}", asset)
	handle("/", s.notFound)
	return mux
}

// openAPIDocument describes the routes below /v1 in OpenAPI 3.1. Its schemas of arguments and
// results of tools are filled in: see Options.Requests.
//
//go:embed openapi.json
var openAPIDocument []byte

// describe is the document with the schemas, by their names.
func describe(schemas map[string]*schema.Schema) ([]byte, error) {
	var doc map[string]any
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		return nil, fmt.Errorf("reading openapi.json: %w", err)
	}
	components, _ := doc["components"].(map[string]any)
	known, _ := components["schemas"].(map[string]any)
	known["Result"] = schema.JSON(result.Schema[result.Result]())
	for name, of := range schemas {
		if known[name] == nil {
			return nil, fmt.Errorf("openapi.json has no schema %s", name)
		}
		known[name] = schema.JSON(of)
	}
	return json.Marshal(doc)
}

func (s *Server) openAPI(w http.ResponseWriter, _ *http.Request, _ viewer) error {
	doc, err := describe(s.opts.Requests)
	if err != nil {
		return err
	}
	return s.answer(w, http.StatusOK, doc)
}

//go:embed assets
var assets embed.FS

// types are the kinds of files that the page is made of.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// page serves the inbox page, in the language that the browser asks for. There is nothing secret in
// it: what it shows it has to fetch.
func page(w http.ResponseWriter, r *http.Request) error {
	b, err := assets.ReadFile("assets/index.html")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Language")
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(bytes.Replace(b, []byte(`<html lang="en">`),
		[]byte(`<html lang="`+words.Match(r.Header.Get("Accept-Language"))+`">`), 1))
	return nil
}

func asset(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return notAllowed(w, "GET")
	}
	name := r.PathValue("asset")
	kind, known := types[path.Ext(name)]
	b, err := assetOf(name)
	if !known || err != nil {
		return refuse("NOT_FOUND", fmt.Errorf("there is nothing at %s", r.URL.Path))
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(b)
	return nil
}

// pageTexts are a tree of texts, which the page's scripts name and fill.
var pageTexts = words.Of[map[string]any]("page")

// textsScript hands the page its texts in every language.
var textsScript = sync.OnceValues(func() ([]byte, error) {
	all := map[string]any{}
	for _, lang := range words.Languages() {
		all[lang] = pageTexts(lang)
	}
	b, err := json.Marshal(all)
	return slices.Concat([]byte("\"use strict\";\nconst WORDS = "), b, []byte(";\n")), err
})

// assetOf returns one of the files that the page is made of.
func assetOf(name string) ([]byte, error) {
	if name == "texts.js" {
		return textsScript()
	}
	return assets.ReadFile("assets/" + name)
}

// login takes the code of a link, once, and gives the browser the secret that it logs in with from
// then on. No other page may ask: what a link is worth is for ours.
func (g authenticator) login(w http.ResponseWriter, r *http.Request) error {
	if err := samePage(r); err != nil {
		return err
	}
	var body struct {
		Code string `json:"code"`
	}
	if err := receive(r, &body); err != nil {
		return err
	}
	secret, err := g.Logins.redeem(body.Code)
	if errors.Is(err, errNoLogin) {
		g.Log.Warn("login refused", "remote", r.RemoteAddr)
		return refuse("LINK_USED", err)
	}
	if err != nil {
		return err
	}
	g.Log.Info("browser logged in", "remote", r.RemoteAddr)
	return send(w, http.StatusOK, map[string]any{"login": secret})
}

func (g authenticator) logout(w http.ResponseWriter, r *http.Request, v viewer) error {
	if v.page {
		if err := g.Logins.forget(r.Header.Get(loginHeader)); err != nil {
			return err
		}
	}
	return send(w, http.StatusOK, map[string]any{"ok": true})
}
