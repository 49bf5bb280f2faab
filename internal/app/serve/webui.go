package serve

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/web"
)

// webUI is the page and the API. The zero value ignores events: runs may begin before there is a
// page.
type webUI struct {
	web    atomic.Pointer[web.Server]
	hands  *Hands
	visits calls
}

// open puts the reply API and the page at their paths. The caller closes it.
func (u *webUI) open(s *app.Settings, svc *Service, auth *authenticator, mux *http.ServeMux) {
	d := svc.Parts
	u.hands = NewHands(d, s.Log)
	server := web.New(&web.Options{
		Phones: u.hands, AppOf: d.Host.Package,
		About:     tellsOf(s, svc, auth),
		Farm:      machines{d.Farm, d.Manager},
		Questions: d.Manager.Broker(), Sessions: presented{d.Store, d.Manager},
		Answers: d.Store.Answers, Grants: d.Store.Grants,
		Logins: OpenLogins(s.Conf.DataDir), Browsers: openBrowsers(s.Conf.DataDir),
		Tasks: svc.tools.Cases(), Results: svc.tools,
		Requests: svc.tools.Requests(), Waits: svc.waits, BaseURL: d.URL,
		Goals:    d.UseCases.Goals,
		Channels: d.Manager.Desk().Channels, Authorize: auth.known,
		Changed: auth.changes.Next,
		Rights:  rights(s, auth.tokens),
		Hosts:   s.Conf.HTTP.Hosts, Origins: s.Conf.HTTP.Origins, Log: s.Log,
	})
	u.web.Store(server)
	for _, path := range []string{"/v1/", "/ui", "/ui/", "/"} {
		mux.Handle(path, visited{server, &u.visits})
	}
}

// routed is what an http.ServeMux is, too.
type routed interface {
	http.Handler
	Handler(r *http.Request) (h http.Handler, pattern string)
}

// visited has routes of which no visit is cut off.
type visited struct {
	routed
	visits *calls
}

// ServeHTTP implements http.Handler.
func (v visited) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.visits.enter()
	defer v.visits.leave()
	v.routed.ServeHTTP(w, r)
}

// machines are those of the farm.
type machines struct {
	*app.Farm
	manager *runs.Manager
}

// State implements web.Farm.
func (m machines) State(ctx context.Context) (any, error) { return m.Farm.State(ctx) }

// Requeue implements web.Farm.
func (m machines) Requeue(ctx context.Context, sessionID string, by store.AuditEntry) error {
	_, err := m.manager.Requeue(ctx, sessionID, by)
	return err
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

// Trajectory is a whole session.
func (p presented) Trajectory(ctx context.Context, sessionID string) (store.Trajectory, error) {
	t, err := p.Store.Trajectory(ctx, sessionID)
	if n := len(t.Runs); n > 0 {
		t.Runs[n-1] = p.manager.Presented(t.Runs[n-1])
	}
	return t, err
}

// observe tells the page what a run does. It returns at once.
func (u *webUI) observe(e runs.Event) {
	if server := u.web.Load(); server != nil {
		server.Changed(e.SessionID)
	}
}

// requestGrace is how long requests under way may take once the end has come.
const requestGrace = 500 * time.Millisecond

// close ends event streams and requests that wait, and returns when every request is answered.
// It does not wait for those who send or read slowly.
func (u *webUI) close(ctx context.Context) error {
	err := u.web.Load().Close()
	_ = wait.Until(ctx, requestGrace, u.visits.over()) // over or not: the rest is cut off
	return errors.Join(err, u.hands.Close())
}
