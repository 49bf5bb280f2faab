package tools

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
)

// listener is a client's session, or its subscriptions/listen, that can hear of resources. Package
// mcptransport has them.
type listener interface {
	server.ClientSession
	Updated(uris ...string) // of those that it has subscribed to
	Relisted()
}

// audience are the clients that are there, and whose the sessions are that they may hear of.
type audience struct {
	mu        sync.Mutex
	listeners map[string]heard  // by id
	owners    map[string]string // of sessions that something was heard of
}

type heard struct {
	listener
	principal string
}

// maxOwners bounds the memory of owners. Of a session that is forgotten the clients hear once more
// that it is in the list.
const maxOwners = 4096

func (t *Tools) enter(ctx context.Context, s server.ClientSession) {
	l, is := s.(listener)
	if !is {
		return
	}
	a := &t.audience
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners == nil {
		a.listeners, a.owners = map[string]heard{}, map[string]string{}
	}
	a.listeners[s.SessionID()] = heard{l, t.opts.Principal(ctx)}
}

func (t *Tools) leave(_ context.Context, s server.ClientSession) {
	t.audience.mu.Lock()
	defer t.audience.mu.Unlock()
	delete(t.audience.listeners, s.SessionID())
}

// Changed says that something has happened in a run: the clients of its session's owner hear of the
// resources that have changed. It waits for no client, so a run may call it at each of its events.
func (t *Tools) Changed(ctx context.Context, e runs.Event) {
	a := &t.audience
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.listeners) == 0 {
		return
	}
	owner, known := a.owners[e.SessionID]
	if !known {
		x, err := t.opts.Store.Find(ctx, e.SessionID, nil)
		if err != nil {
			t.opts.Log.Warn("looking whose a session is", "session", e.SessionID, "err", err)
			return
		}
		if len(a.owners) >= maxOwners {
			clear(a.owners)
		}
		owner = x.Client
		a.owners[e.SessionID] = owner
	}
	at := sessionsURI + "/" + e.SessionID
	for _, l := range a.listeners {
		if l.principal != owner {
			continue
		}
		l.Updated(sessionsURI, at, at+"/steps", at+"/trajectory")
		if !known && l.Initialized() {
			l.Relisted()
		}
	}
}

// MaySubscribe says why the caller may not subscribe to a resource, nil when it may. It is for
// mcptransport.Options.Subscribe.
func (t *Tools) MaySubscribe(ctx context.Context, uri string) error {
	shown := text.Quote(uri, 200)
	id, part, _ := strings.Cut(strings.TrimPrefix(uri, sessionsURI+"/"), "/")
	switch {
	case uri == sessionsURI:
		return nil
	case !strings.HasPrefix(uri, sessionsURI+"/"):
		return fmt.Errorf("there is no resource %s (resources/templates/list says which there are)",
			shown)
	case strings.HasPrefix(part, "frames/"):
		return fmt.Errorf("%s never changes: subscribe to %s/SESSION_ID/steps", shown, sessionsURI)
	case part != "" && part != "steps" && part != "trajectory":
		return fmt.Errorf("there is no resource %s", shown)
	case part == "trajectory" && t.opts.Privacy == PrivacyCaptions:
		return errPrivate
	}
	client := t.opts.Principal(ctx)
	x, err := t.opts.Store.Find(ctx, id, &client)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s", server.ErrResourceNotFound, shown)
	case x.ID != id:
		return fmt.Errorf("write the whole id of the session: %s/%s", sessionsURI, x.ID)
	}
	return nil
}
