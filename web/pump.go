package web

import (
	"encoding/json"
	"errors"
	"sync"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// pumpQuestions puts the broker's events into the ring until the server closes.
func (s *Server) pumpQuestions(sub *inquiry.Subscription) {
	defer sub.Close()
	for {
		// which gives what is there before it looks whether that has ended
		e, err := sub.Next(s.feeding)
		if err != nil {
			return
		}
		if e.Type == inquiry.Lost {
			s.ring.resync()
			continue
		}
		client, owned, err := s.ownerOf(s.ctx, e.Question)
		s.publish("inquiry."+string(e.Type), client, owned, err, s.viewOf(e.Question))
	}
}

// publish puts an event into the ring for those who may see what belongs to the client. When it
// could not be found out whom it belongs to, every listener gets a snapshot, and sees there what it
// may.
func (s *Server) publish(name, client string, owned bool, err error, view any) {
	if err == nil {
		var b []byte
		if b, err = json.Marshal(view); err == nil {
			s.ring.put(event{name, b, client, owned})
			return
		}
	}
	if s.ctx.Err() == nil {
		s.opts.Log.Error("publishing", "event", name, "err", err)
		s.ring.resync()
	}
}

// changes is the sessions that changed since they were last looked at.
type changes struct {
	mu   sync.Mutex
	ids  map[string]bool
	wake chan struct{} // holds one token when there is something to read
}

// Changed says that a session's run has moved or taken a step: listeners get session.state and
// step, read from the store. It returns at once, so a run may call it at each of its events.
func (s *Server) Changed(sessionID string) {
	c := &s.changes
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids[sessionID] = true
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *changes) take() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := c.ids
	c.ids = map[string]bool{}
	return ids
}

// known is what listeners know of a session.
type known struct {
	run, reason string
	state       session.State
	step        int
}

// maxKnown bounds the memory of pumpSessions. Of a session that is forgotten the state and the last
// step are published once more.
const maxKnown = 4096

// pumpSessions looks at the sessions that changed until the server closes.
func (s *Server) pumpSessions() {
	sessions := map[string]known{}
	for last := false; !last; {
		select {
		case <-s.feeding.Done():
			last = true
		case <-s.changes.wake:
		}
		if len(sessions) > maxKnown {
			clear(sessions)
		}
		for id := range s.changes.take() {
			before, seen := sessions[id]
			now, err := s.publishSession(id, before, seen)
			switch {
			case errors.Is(err, session.ErrNotFound):
				delete(sessions, id)
			case err != nil && s.ctx.Err() == nil:
				s.opts.Log.Error("looking at a session", "session", id, "err", err)
			case err != nil:
				return
			default:
				sessions[id] = now
			}
		}
	}
}

// publishSession publishes what is new in a session: of one that was not seen before the state and
// the last step.
func (s *Server) publishSession(id string, before known, seen bool) (now known, err error) {
	x, err := s.opts.Sessions.Session(s.ctx, id)
	if err != nil {
		return before, err
	}
	view, err := s.present(s.ctx, x)
	if err != nil || view.Run == nil {
		return before, err
	}
	now = known{view.Run.ID, view.Run.StopReason, view.Run.State, before.step}
	if !seen {
		now.step = max(x.Steps-1, 0)
	}
	steps, err := s.opts.Sessions.StepsAfter(s.ctx, id, now.step)
	if err != nil {
		return before, err
	}
	for _, st := range steps {
		if st.State == session.Intent {
			break
		}
		s.publish("step", x.Client, true, nil, viewOfStep(st))
		now.step = st.Index
	}
	if !seen || now.run != before.run || now.state != before.state || now.reason != before.reason {
		s.publish("session.state", x.Client, true, nil, view)
	}
	return now, nil
}
