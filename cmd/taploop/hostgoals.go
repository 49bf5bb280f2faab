package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/tools"
)

// hostGoals works on goals that clients of a server delegate. It implements tools.Goals.
type hostGoals struct {
	app  *app
	deps *deps

	ctx    context.Context // of all work; ends with close
	cancel context.CancelCauseFunc

	mu     sync.Mutex // held while work begins
	closed bool
	places int // that are left
	work   sync.WaitGroup
}

// mostGoals is how many goals are worked on at the same time.
const mostGoals = 8

// newHostGoals checks what every work begins with.
func newHostGoals(ctx context.Context, a *app, d *deps) (*hostGoals, error) {
	if _, err := newHostWork(a, d, nil).readServers(a.conf.Host.MCP); err != nil {
		return nil, err
	}
	g := &hostGoals{app: a, deps: d, places: mostGoals}
	g.ctx, g.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	return g, nil
}

// close pauses the work and waits for that.
func (g *hostGoals) close() error {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cancel(agentloop.ErrClosing)
	g.work.Wait()
	return nil
}

// Start implements tools.Goals.
func (g *hostGoals) Start(ctx context.Context, t tools.Goal) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	sess, err := g.deps.store.SessionByKey(ctx, t.Client, t.Key)
	if err == nil {
		return sess.ID, g.same(ctx, sess, t.Text)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	w := newHostWork(g.app, g.deps, nil)
	w.client, w.key = t.Client, t.Key
	w.by = t.By
	err = g.begin(w, "", func() error { return w.begin(ctx, t.Text, g.app.conf.Host.MCP) })
	return w.sess.ID, err
}

// same refuses a key that stands for something else.
func (g *hostGoals) same(ctx context.Context, sess store.Session, goal string) error {
	first, err := g.deps.store.Runs.Of(ctx, sess.ID)
	if err != nil {
		return err
	}
	if !sess.Phoneless() || len(first) == 0 ||
		strings.TrimSpace(first[0].Task) != strings.TrimSpace(goal) {
		return runs.Refuse(runs.InvalidArgument, "use a new key for a new goal",
			"the key stands for session %s, which was begun with something else", sess.ID)
	}
	return nil
}

// GoOn implements tools.Goals.
func (g *hostGoals) GoOn(ctx context.Context, id, said string, by runs.Actor) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := newHostWork(g.app, g.deps, nil)
	w.by = by
	return g.begin(w, said, func() error { return w.resume(ctx, id) })
}

// begin begins work and lets it go on in the background. g.mu is held.
func (g *hostGoals) begin(w *hostWork, said string, begin func() error) error {
	switch {
	case g.closed:
		return agentloop.ErrClosing
	case g.places == 0:
		return runs.Refuse(runs.RunInProgress, "wait for one of them, or stop it",
			"%d goals are being worked on, and no more are at the same time", mostGoals)
	}
	if err := begin(); err != nil {
		return err
	}
	g.places--
	g.work.Go(func() {
		if end, err := w.work(g.ctx, said); err != nil {
			g.app.log.Warn("working on a goal", "session", w.sess.ID, "err", err)
		} else {
			g.app.log.Info("worked on a goal", "session", w.sess.ID, "state", end.State)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.places++
	})
	return nil
}
