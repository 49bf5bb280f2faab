package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/mcp/transport"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/tools/result"
)

const (
	sessionsURI = "taploop://sessions"
	sessionURI  = sessionsURI + "/{session_id}"
)

// resources are the stored sessions that the caller sees, for clients that read resources.
type resources struct {
	opts        *Options
	subscribers subscribers
}

var errPrivate = errors.New("this server keeps pictures private")

// add adds the resources to a server.
func (r *resources) add(s *server.MCPServer) {
	server.WithResourceCapabilities(true, true)(s)
	s.AddResource(mcp.NewResource(sessionsURI, "sessions",
		mcp.WithResourceDescription("Your sessions, the newest change first."),
		mcp.WithMIMEType("application/json")), r.read(r.sessions))
	for _, row := range []struct {
		at, name, says, kind string
		read                 func(context.Context, *mcp.ReadResourceRequest) (any, error)
	}{
		{"", "session", "A session with its latest run.", "application/json", r.session},
		{"/steps", "steps", "The steps of a session, in words.", "application/json", r.steps},
		{"/frames/{step}", "frame", "The screen on which a step was decided.", "image/jpeg",
			r.frame},
		{"/trajectory", "trajectory", "A session as one page, with its screens.", "text/html",
			r.trajectory},
	} {
		s.AddResourceTemplate(mcp.NewResourceTemplate(sessionURI+row.at, row.name,
			mcp.WithTemplateDescription(row.says), mcp.WithTemplateMIMEType(row.kind)),
			server.ResourceTemplateHandlerFunc(r.read(row.read)))
	}
}

// read makes a handler: bytes are a picture, a string is a page, anything else is JSON.
func (r *resources) read(get func(context.Context, *mcp.ReadResourceRequest) (any, error)) func(
	context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		v, err := get(ctx, &req)
		code := mcp.RESOURCE_NOT_FOUND
		if mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) {
			code = mcp.INVALID_PARAMS
		}
		switch {
		case errors.Is(err, errPrivate):
			return nil, transport.Refuse(ctx, code, err.Error(), nil)
		case errors.Is(err, store.ErrNotFound):
			return nil, transport.Refuse(ctx, code,
				fmt.Sprintf("%v: %s", server.ErrResourceNotFound, req.Params.URI), nil)
		}
		if err != nil {
			return nil, err
		}
		switch v := v.(type) {
		case []byte:
			return []mcp.ResourceContents{mcp.BlobResourceContents{URI: req.Params.URI,
				MIMEType: "image/jpeg", Blob: base64.StdEncoding.EncodeToString(v)}}, nil
		case string:
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI,
				MIMEType: "text/html", Text: v}}, nil
		}
		b, err := json.Marshal(v)
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI,
			MIMEType: "application/json", Text: string(b)}}, err
	}
}

// of is the caller's session that the address names.
func (r *resources) of(ctx context.Context, req *mcp.ReadResourceRequest) (store.Session, error) {
	rest, _ := strings.CutPrefix(req.Params.URI, sessionsURI+"/")
	id, _, _ := strings.Cut(rest, "/")
	return r.opts.Store.Find(ctx, id, r.opts.owners(ctx))
}

// mostListed is how many sessions the list of resources has, the newest ones.
const mostListed = 50

// list adds the caller's newest sessions to the list of resources, for clients without templates.
func (r *resources) list(ctx context.Context, _ any, _ *mcp.ListResourcesRequest,
	result *mcp.ListResourcesResult) {
	list, err := r.opts.Store.Sessions(ctx,
		store.Filter{Owners: r.opts.owners(ctx), Limit: mostListed})
	if err != nil {
		r.opts.Log.ErrorContext(ctx, "listing the sessions", "err", err)
		return
	}
	for _, x := range list {
		task := ""
		if x.Latest != nil {
			task = text.Cut(text.Line(x.Latest.Task), 80)
		}
		result.Resources = append(result.Resources, mcp.NewResource(sessionsURI+"/"+x.ID,
			"session "+x.ID, mcp.WithResourceTitle(task),
			mcp.WithMIMEType("application/json")))
	}
}

func (r *resources) sessions(ctx context.Context, _ *mcp.ReadResourceRequest) (any, error) {
	list, err := r.opts.Store.Sessions(ctx,
		store.Filter{Owners: r.opts.owners(ctx), Limit: 100})
	out := []map[string]any{}
	for _, x := range list {
		out = append(out, overview(x.Session, x.Latest))
	}
	return map[string]any{"sessions": out}, err
}

func (r *resources) session(ctx context.Context, req *mcp.ReadResourceRequest) (any, error) {
	x, err := r.of(ctx, req)
	if err != nil {
		return nil, err
	}
	run, err := r.opts.Store.LatestRun(ctx, x.ID)
	return overview(x, &run), err
}

func overview(x store.Session, run *store.Run) map[string]any {
	out := map[string]any{"session_id": x.ID, "uri": sessionsURI + "/" + x.ID,
		"device_info": result.NewDevice(x.Device), "steps": x.Steps, "updated_at": x.UpdatedAt}
	if run != nil {
		maps.Copy(out, map[string]any{"run_id": run.ID, "task": run.Task, "state": run.State,
			"stop_reason": run.StopReason, "answer": run.Answer})
	}
	return out
}

func (r *resources) steps(ctx context.Context, req *mcp.ReadResourceRequest) (any, error) {
	x, err := r.of(ctx, req)
	if err != nil {
		return nil, err
	}
	type step struct {
		Number int `json:"global_step_idx"`
		export.Step
		Frame string `json:"frame,omitempty"` // its resource, when it can be read
	}
	list, err := r.opts.Store.Steps(ctx, x.ID, 0)
	out := []step{}
	for _, s := range list {
		listed := step{Number: s.Index, Step: export.NewStep(s)}
		if s.FrameID != "" && r.opts.Privacy != usecase.PrivacyCaptions {
			listed.Frame = fmt.Sprintf("%s/%s/frames/%d", sessionsURI, x.ID, s.Index)
		}
		out = append(out, listed)
	}
	return map[string]any{"session_id": x.ID, "steps": out}, err
}

// frame is the screen of the step whose number ends the address.
func (r *resources) frame(ctx context.Context, req *mcp.ReadResourceRequest) (any, error) {
	if r.opts.Privacy == usecase.PrivacyCaptions {
		return nil, errPrivate
	}
	x, err := r.of(ctx, req)
	if err != nil {
		return nil, err
	}
	list, err := r.opts.Store.Steps(ctx, x.ID, 0)
	if err != nil {
		return nil, err
	}
	number := req.Params.URI[strings.LastIndex(req.Params.URI, "/")+1:]
	for _, s := range list {
		if fmt.Sprint(s.Index) == number && s.FrameID != "" {
			return r.opts.Store.Frame(ctx, s.FrameID)
		}
	}
	return nil, store.ErrNotFound
}

func (r *resources) trajectory(ctx context.Context, req *mcp.ReadResourceRequest) (any, error) {
	if r.opts.Privacy == usecase.PrivacyCaptions {
		return nil, errPrivate
	}
	x, err := r.of(ctx, req)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = export.HTML(ctx, &page, r.opts.Store, x.ID)
	return page.String(), err
}

// listener is a client's session, or its subscriptions/listen, that can hear of resources. Package
// transport has them.
type listener interface {
	server.ClientSession
	Updated(uris ...string) // only subscribed ones count
	Relisted()
}

// subscribers are the clients that are there, and whose the sessions are that they may hear of.
type subscribers struct {
	mu        sync.Mutex
	listeners map[string]subscriber // by id
	owners    map[string]string     // of sessions that something was heard of
}

type subscriber struct {
	listener
	principal string
}

// maxOwners bounds the memory of owners. Of a session that is forgotten the clients hear once more
// that it is in the list.
const maxOwners = 4096

func (r *resources) enter(ctx context.Context, s server.ClientSession) {
	l, is := s.(listener)
	if !is {
		return
	}
	a := &r.subscribers
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners == nil {
		a.listeners, a.owners = map[string]subscriber{}, map[string]string{}
	}
	a.listeners[s.SessionID()] = subscriber{l, r.opts.Principal(ctx)}
}

func (r *resources) leave(_ context.Context, s server.ClientSession) {
	r.subscribers.mu.Lock()
	defer r.subscribers.mu.Unlock()
	delete(r.subscribers.listeners, s.SessionID())
}

// changed says that something has happened in a run: the clients that see its session hear of the
// resources that have changed. It waits for no client, so a run may call it at each of its events.
func (r *resources) changed(ctx context.Context, e runs.Event) {
	a := &r.subscribers
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.listeners) == 0 {
		return
	}
	owner, known := a.owners[e.SessionID]
	if !known {
		x, err := r.opts.Store.Find(ctx, e.SessionID, nil)
		if err != nil {
			r.opts.Log.Warn("looking whose a session is", "session", e.SessionID, "err", err)
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
		if l.principal != owner && // asked first, for rights are read from a file
			!r.opts.Rights(l.principal).Owners(l.principal).Has(owner) {
			continue
		}
		l.Updated(sessionsURI, at, at+"/steps", at+"/trajectory")
		if !known && l.Initialized() {
			l.Relisted()
		}
	}
}

// maySubscribe says why the caller may not subscribe to a resource, nil when it may.
func (r *resources) maySubscribe(ctx context.Context, uri string) error {
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
	case part == "trajectory" && r.opts.Privacy == usecase.PrivacyCaptions:
		return errPrivate
	}
	x, err := r.opts.Store.Find(ctx, id, r.opts.owners(ctx))
	switch {
	case err != nil:
		return fmt.Errorf("%w: %s", server.ErrResourceNotFound, shown)
	case x.ID != id:
		return fmt.Errorf("write the whole id of the session: %s/%s", sessionsURI, x.ID)
	}
	return nil
}
