package web

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// events is the stream of what happens: a snapshot first, unless the listener brings the id of an
// event that is still in the ring. A listener that falls behind the ring gets a snapshot again.
func (s *Server) events(w http.ResponseWriter, r *http.Request, v viewer) error {
	leave, err := s.takePlace(w, v)
	if err != nil {
		return err
	}
	defer leave()
	s.feed.listening.Add(1)
	defer s.feed.listening.Add(-1)
	w.Header().Set("Content-Type", "text/event-stream")
	// a proxy that collects what it passes on would hold events back
	w.Header().Set("X-Accel-Buffering", "no")
	l := &listener{s: s, w: w, r: r, v: v, out: http.NewResponseController(w)}
	from, ok := s.feed.ring.number(r.Header.Get("Last-Event-ID"))
	if _, _, gone := s.feed.ring.after(from); !ok || gone {
		if err := l.snapshot(); err != nil {
			return l.broken(err)
		}
	} else {
		l.at = from
		if err := l.send(wire.AppendComment(nil, "replay")); err != nil {
			return nil
		}
	}
	err = l.run()
	_ = l.extend() // net/http writes the end of the stream
	return l.broken(err)
}

// takePlace takes a place among those who listen or wait, of which every client has its share. The
// caller leaves it.
func (s *Server) takePlace(w http.ResponseWriter, v viewer) (leave func(), err error) {
	leave, ok := s.listeners.Take(v.name, v.all)
	if ok && s.ctx.Err() == nil {
		return leave, nil
	}
	w.Header().Set("Retry-After", "5")
	if ok {
		leave()
		return nil, errClosing
	}
	return nil, refuse("TOO_MANY_LISTENERS", fmt.Errorf(
		"this client listens or waits as often as its share of the server's %d places allows",
		s.opts.MaxListeners))
}

// listener is one event stream.
type listener struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	v     viewer
	out   *http.ResponseController
	at    uint64 // the number of the last event that it has
	begun bool   // something was sent
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

// run sends what happens until the listener or the server is gone, or the listener's credential
// does not hold any more.
func (l *listener) run() error {
	ping := time.NewTicker(l.s.opts.Ping)
	defer ping.Stop()
	changed := l.s.opts.Changed()
	if l.s.auth.recheck(l.r, l.v) != nil { // it was, but perhaps not until changed was there
		return errGone
	}
	for {
		list, more, gone := l.s.feed.ring.after(l.at)
		if gone {
			if err := l.snapshot(); err != nil {
				return err
			}
			continue
		}
		if err := l.pass(list); err != nil {
			return err
		}
		select {
		case <-more:
		case <-changed:
			changed = l.s.opts.Changed()
			if l.s.auth.recheck(l.r, l.v) != nil {
				return errGone
			}
		case <-ping.C:
			if err := l.ping(); err != nil {
				return err
			}
		case <-l.r.Context().Done():
			return errGone
		case <-l.s.ctx.Done():
			if list, _, gone := l.s.feed.ring.after(l.at); !gone {
				_ = l.pass(list) // a listener that is gone does not need it
			}
			return errGone
		}
	}
}

// pass sends those of the events that the viewer may see, in one write.
func (l *listener) pass(list []pageEvent) error {
	var b []byte
	for _, e := range list {
		l.at++
		if l.v.sees(e.client) {
			b = wire.AppendEvent(b, wire.Event{ID: l.s.feed.ring.id(l.at), Name: e.name,
				Data: e.data})
		}
	}
	if len(b) == 0 {
		return nil
	}
	return l.send(b)
}

// ping keeps the connection and shows the listener that it is there.
func (l *listener) ping() error {
	if l.s.auth.recheck(l.r, l.v) != nil {
		return errGone
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	return l.send(wire.AppendEvent(nil, wire.Event{Name: "ping",
		Data: fmt.Appendf(nil, `{"at":%q}`, now)}))
}

// snapshot sends all open questions and the sessions that are under way. The events after it may
// repeat what is in it already.
func (l *listener) snapshot() error {
	at, text, err := l.s.feed.snapshot(l.r.Context(), l.v)
	if err != nil {
		return err
	}
	l.at = at
	return l.send(text)
}

// extend gives the listener time from now on to take what is written.
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
