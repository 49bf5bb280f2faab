package web

import (
	"fmt"
	"net/http"
	"time"

	"github.com/taploop/taploop/internal/mcp/wire"
)

// events streams what happens.
type events struct {
	*core
	feed *feed
}

// serve sends a snapshot first, unless the listener brings the id of an event that is still in the
// ring. A listener that falls behind the ring gets a snapshot again.
func (s *events) serve(w http.ResponseWriter, r *http.Request, v viewer) error {
	held, leave, err := s.takePlace(w, r, v)
	if err != nil {
		return err
	}
	defer leave()
	s.feed.listening.Add(1)
	defer s.feed.listening.Add(-1)
	l := &reader{listener: s.stream(w, r.WithContext(held), v), feed: s.feed}
	l.begin("text/event-stream")
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

// reader is a listener to events.
type reader struct {
	*listener
	feed *feed
	at   uint64 // the number of the last event that it has
}

// run sends what happens until the listener or the server is gone, or the listener's credential
// does not hold any more.
func (l *reader) run() error {
	ping := time.NewTicker(l.s.opts.Ping)
	defer ping.Stop()
	for {
		list, more, gone := l.feed.ring.after(l.at)
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
		case <-ping.C:
			if err := l.ping(); err != nil {
				return err
			}
		case <-l.r.Context().Done():
			return errGone
		case <-l.s.ctx.Done():
			if list, _, gone := l.feed.ring.after(l.at); !gone {
				_ = l.pass(list) // a listener that is gone does not need it
			}
			return errGone
		}
	}
}

// pass sends those of the events that the viewer may see, in one write.
func (l *reader) pass(list []pageEvent) error {
	var b []byte
	for _, e := range list {
		l.at++
		if l.v.sees(e.client) {
			b = wire.AppendEvent(b, wire.Event{ID: l.feed.ring.id(l.at), Name: e.name,
				Data: e.data})
		}
	}
	if len(b) == 0 {
		return nil
	}
	return l.send(b)
}

// ping keeps the connection and shows the listener that it is there.
func (l *reader) ping() error {
	if l.s.auth.recheck(l.r, l.v) != nil {
		return errGone
	}
	now := time.Now().UTC().Format(time.RFC3339Nano)
	return l.send(wire.AppendEvent(nil, wire.Event{Name: "ping",
		Data: fmt.Appendf(nil, `{"at":%q}`, now)}))
}

// snapshot sends all open questions and the sessions that are under way. The events after it may
// repeat parts of it.
func (l *reader) snapshot() error {
	at, text, err := l.feed.snapshot(l.r.Context(), l.v)
	if err != nil {
		return err
	}
	l.at = at
	return l.send(text)
}
