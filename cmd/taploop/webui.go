package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/web"
)

// webUI is what an HTTP server shows to people. The zero value shows nothing yet: runs may begin
// before there is a page.
type webUI struct {
	web    atomic.Pointer[web.Server]
	hands  hands
	visits calls
}

// open puts the reply API and the page at their paths. The caller closes it.
func (u *webUI) open(a *app, svc *service, auth *authenticator, mux *http.ServeMux) {
	d := svc.deps
	u.hands = newHands(a, d)
	server := web.New(&web.Options{
		Phones:    u.hands,
		Questions: d.manager.Broker(), Sessions: presented{d.store, d.manager},
		Answers: d.store.Answers, Grants: d.store.Grants,
		Logins:  logins(a.conf.DataDir),
		Stopper: stopper{d}, Tasks: svc.tools.Cases(), Results: svc.tools,
		Requests: svc.tools.Requests(), Waits: svc.waits, BaseURL: d.url,
		Channels: d.manager.Desk().Channels, Authorize: auth.person,
		Changed:  auth.files.Changed,
		Operator: func(name string) bool { return a.isOperator(name) || auth.isPerson(name) },
		Hosts:    a.conf.HTTP.Hosts, Origins: a.conf.HTTP.Origins, Log: a.log,
	})
	u.web.Store(server)
	for _, path := range []string{"/v1/", "/ui", "/ui/", "/"} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			u.visits.enter()
			defer u.visits.leave()
			server.ServeHTTP(w, r)
		})
	}
}

// presented are the sessions of a store, with runs as their Manager tells of them.
type presented struct {
	*store.Store
	manager *runs.Manager
}

// LatestRun is the session's latest run.
func (p presented) LatestRun(ctx context.Context, sessionID string) (store.Run, error) {
	r, err := p.Store.LatestRun(ctx, sessionID)
	return p.manager.Presented(r), err
}

// Sessions lists sessions.
func (p presented) Sessions(
	ctx context.Context, f store.Filter,
) ([]store.Overview, error) {
	list, err := p.Store.Sessions(ctx, f)
	for _, o := range list {
		if o.Latest != nil {
			*o.Latest = p.manager.Presented(*o.Latest)
		}
	}
	return list, err
}

// logins are the browsers that may use the page of a data folder's servers.
func logins(dir string) *web.Logins { return web.OpenLogins(loginsFile(dir)) }

func loginsFile(dir string) string { return filepath.Join(dir, "logins.json") }

// observe tells the page what a run does. It returns at once.
func (u *webUI) observe(e runs.Event) {
	if server := u.web.Load(); server != nil {
		server.Changed(e.SessionID)
	}
}

// requestGrace is how long requests under way may take once the end has come.
const requestGrace = 500 * time.Millisecond

// close ends event streams and requests that wait, and returns when every request is answered.
// Somebody who sends or reads slowly is not waited for.
func (u *webUI) close(ctx context.Context) error {
	err := u.web.Load().Close()
	_ = wait.Until(ctx, requestGrace, u.visits.over()) // over or not: the rest is cut off
	return errors.Join(err, u.hands.mirror.Close())
}

// stopper stops runs for a person. It implements web.Runs.
type stopper struct{ *deps }

func (s stopper) Stop(ctx context.Context, id, how string, by web.Person) error {
	_, err := s.manager.Stop(ctx,
		runs.StopRequest{SessionID: id, Mode: runs.StopMode(how), By: actor(by)})
	return conflict(err)
}
