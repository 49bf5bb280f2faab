package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/httpguard"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/store"
)

// core is what all routes share: settings, credentials, records, and the server's life.
type core struct {
	opts    *Options
	auth    authenticator
	records records

	ctx       context.Context // of the server's life: ends requests that wait
	cancel    context.CancelCauseFunc
	listeners *httpguard.Shares
}

func newCore(o *Options) *core {
	s := &core{opts: o, auth: authenticator{o.Logins, o.Authorize, o.Rights, o.Log, nil},
		records:   records{o.Questions, o.Sessions, o.Channels},
		listeners: httpguard.NewShares(o.MaxListeners)}
	if o.Farm != nil {
		s.auth.sign = o.Farm.Sign
	}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	return s
}

// untilClosing is ctx until the server closes, which is its cause then. The caller calls end.
func (s *core) untilClosing(ctx context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(errClosing) })
	return ctx, func() { stop(); cancel(nil) }
}

// takePlace takes a place among those who listen or wait, of which every client has its share. The
// context is the request's until the credential of v does not hold any more, which is its cause
// then. The caller leaves the place.
func (s *core) takePlace(w http.ResponseWriter, r *http.Request, v viewer) (
	held context.Context, leave func(), err error) {
	free, ok := s.listeners.Take(v.Name, v.All)
	if ok && s.ctx.Err() == nil {
		ctx, cancel := context.WithCancelCause(r.Context())
		var watching sync.WaitGroup
		watching.Go(func() { cancel(s.untilRefused(ctx, r, v)) })
		return ctx, func() { cancel(nil); watching.Wait(); free() }, nil
	}
	w.Header().Set("Retry-After", "5")
	if ok {
		free()
		return nil, nil, errClosing
	}
	return nil, nil, refuse("TOO_MANY_LISTENERS", fmt.Errorf(
		"this client listens or waits as often as its share of the server's %d places allows",
		s.opts.MaxListeners))
}

// untilRefused waits until the credential of v does not hold any more, and returns how the request
// is refused then. It returns nil when ctx ends first.
func (s *core) untilRefused(ctx context.Context, r *http.Request, v viewer) error {
	for {
		changed := s.opts.Changed() // before the look, so that no later change is missed
		if err := s.auth.recheck(r, v); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-time.After(s.opts.Ping): // logins expire
		case <-ctx.Done():
			return nil
		}
	}
}

// answer sends a body that is JSON already. The request may have waited for long.
func (s *core) answer(w http.ResponseWriter, status int, body json.RawMessage) error {
	deadline := time.Now().Add(s.opts.WriteTimeout)
	_ = http.NewResponseController(w).SetWriteDeadline(deadline)
	return send(w, status, body)
}

// handler answers a request of somebody who may come in, or says why not.
type handler func(w http.ResponseWriter, r *http.Request, v viewer) error

// forPeople serves people alone, and says why.
func forPeople(why string, serve handler) handler {
	return allowed(func(v viewer) error { return v.person(why) }, serve)
}

// allowed serves those who may ask.
func allowed(may func(viewer) error, serve handler) handler {
	return func(w http.ResponseWriter, r *http.Request, v viewer) error {
		if err := may(v); err != nil {
			return err
		}
		return serve(w, r, v)
	}
}

// sessionHandler answers a request about a session that the viewer may see.
type sessionHandler func(http.ResponseWriter, *http.Request, viewer, store.Session) error

// ofSession serves the session that the path names by its id or the beginning of that.
func (s *core) ofSession(serve sessionHandler) handler {
	return func(w http.ResponseWriter, r *http.Request, v viewer) error {
		x, err := s.opts.Sessions.Find(r.Context(), r.PathValue("id"), v.owners())
		if err != nil {
			return err
		}
		logs.Learn(r.Context(), logs.Session, x.ID, logs.Phone, x.Serial)
		return serve(w, r, v, x)
	}
}

// listener reads what the server sends piece by piece.
type listener struct {
	s     *core
	w     http.ResponseWriter
	r     *http.Request
	v     viewer
	out   *http.ResponseController
	begun bool // something was sent
}

// stream makes a listener of who sends a request.
func (s *core) stream(w http.ResponseWriter, r *http.Request, v viewer) *listener {
	return &listener{s: s, w: w, r: r, v: v, out: http.NewResponseController(w)}
}

// begin sets the headers of a stream. A proxy that collects responses would hold pieces back.
func (l *listener) begin(contentType string) {
	l.w.Header().Set("Content-Type", contentType)
	l.w.Header().Set("X-Accel-Buffering", "no")
}

// errGone says that the listener is gone.
var errGone = errors.New("the listener is gone")

// broken is err when it can still be answered with.
func (l *listener) broken(err error) error {
	if l.begun || errors.Is(err, errGone) {
		if err != nil && !errors.Is(err, errGone) && l.s.ctx.Err() == nil {
			l.s.opts.Log.Error("event stream", "err", err)
		}
		return nil
	}
	return err
}

// extend gives the listener time from now on to read.
func (l *listener) extend() error {
	return l.out.SetWriteDeadline(time.Now().Add(l.s.opts.WriteTimeout))
}

// send writes and flushes. A listener that does not read is dropped when the time is over.
func (l *listener) send(text []byte) error {
	if err := l.extend(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return errGone
	}
	l.begun = true
	if _, err := l.w.Write(text); err != nil {
		return errGone
	}
	if err := l.out.Flush(); err != nil {
		return errGone
	}
	return nil
}
