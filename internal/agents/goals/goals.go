// Package goals carries out the runs of sessions of agents. The agents call tools of MCP servers,
// start sessions on phones, and ask people.
package goals

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Options configure Goals. Store, Phones, OpenModel and OpenServer must be set.
type Options struct {
	Store  *store.Store
	Phones runs.Phones // that agents may use
	// OpenModel opens the model with the name. "" means the configured model. end closes it.
	OpenModel func(name string) (m agents.Priced, end func() error, err error)
	// OpenServer connects to a server through the guard for a session. end closes both.
	OpenServer func(s clients.ServerSettings, session string) (
		p agents.Proxy, end func(), err error)
	Servers  string            // names the servers, "" for the session's file
	Environ  map[string]string // that the file may refer to
	Agents   agents.Options    // roles, limits and language, the other fields are set here
	Channels []string          // list every question
	// Tell an agent when its question is not answered in time. Otherwise the work is paused.
	TellSilence bool
	Patience    time.Duration // how long a question may be open, 0 for no limit
	Watcher     Watcher       // may be nil
	Log         *slog.Logger  // nil discards
}

// Watcher observes agents. Its methods are called concurrently.
type Watcher interface {
	Opened(session string, h *agents.Host) // the servers are connected
	Event(e agents.Event)
	Task(session, serial, task string) // a session on a phone has started
	Waits(serial string)               // for a phone of another session, "" for any phone
}

// unwatched is a Watcher that does nothing.
type unwatched struct{}

func (unwatched) Opened(string, *agents.Host) {}
func (unwatched) Event(agents.Event)          {}
func (unwatched) Task(_, _, _ string)         {}
func (unwatched) Waits(string)                {}

// Goals implements runs.Goals. It is safe for concurrent use.
type Goals struct{ opts Options }

// New returns Goals, or an error if the file with the servers is invalid.
func New(opts *Options) (*Goals, error) {
	g := &Goals{*opts}
	g.opts.Log = cmp.Or(g.opts.Log, slog.New(slog.DiscardHandler))
	if g.opts.Watcher == nil {
		g.opts.Watcher = unwatched{}
	}
	_, _, err := g.readServers(g.opts.Servers)
	return g, err
}

// Work implements runs.Goals.
func (g *Goals) Work(goal *runs.Goal) (runs.Work, error) {
	w := &work{Options: &g.opts, goal: *goal}
	var err error
	w.servers, goal.Settings.Servers, err =
		g.readServers(cmp.Or(g.opts.Servers, goal.Settings.Servers))
	return w, err
}

// Host connects to the servers without a goal, to list their tools. The caller must call end.
func (g *Goals) Host(ctx context.Context) (h *agents.Host, servers int, end func(), err error) {
	w := &work{Options: &g.opts}
	if w.servers, _, err = g.readServers(g.opts.Servers); err != nil {
		return nil, 0, nil, err
	}
	h, err = w.open(ctx)
	return h, len(w.servers), w.Close, err
}

// readServers reads the file with the servers and returns its absolute path. It returns nothing for
// "".
func (g *Goals) readServers(file string) (list []clients.ServerSettings, whole string, err error) {
	if file == "" {
		return nil, "", nil
	}
	b, err := files.Read(file)
	if err != nil {
		return nil, "", runs.Refuse(runs.InvalidArgument, "--mcp FILE names another one",
			"the file of the MCP servers: %w", err)
	}
	if whole, err = filepath.Abs(file); err != nil {
		return nil, "", err
	}
	all, err := clients.ReadServers(b, whole, g.opts.Environ)
	if err != nil {
		return nil, "", runs.Coded(runs.InvalidArgument, fmt.Errorf("in %s: %w", file, err))
	}
	for _, s := range all {
		if s.Disabled {
			continue
		}
		if s.Unusable != nil {
			list = append(list, s)
			continue
		}
		if err := addEnv(&s); err != nil {
			return nil, "", runs.Refuse(runs.InvalidArgument,
				"write a file with lines NAME=VALUE, or leave envFile out",
				"in %s: server %s: envFile: %w", file, text.Quote(s.Name, 80), err)
		}
		list = append(list, s)
	}
	return list, whole, nil
}

// addEnv adds the variables in the server's envFile that are not in its env.
func addEnv(s *clients.ServerSettings) error {
	if s.EnvFile == "" {
		return nil
	}
	b, err := files.Read(s.EnvFile)
	if err != nil {
		return err
	}
	env, err := clients.ReadEnv(b)
	if err != nil {
		return err
	}
	maps.Copy(env, s.Env)
	s.Env = env
	return nil
}

// work is a life of a run of a session of agents.
type work struct {
	*Options
	goal    runs.Goal
	servers []clients.ServerSettings
	life    runs.Life
	models  models
	host    *agents.Host // nil until open
	ends    []func()     // close the servers
}

// Open implements runs.Work.
func (w *work) Open(_ context.Context, serial string) (store.Device, error) {
	if serial != "" {
		return store.Device{}, runs.Refuse(runs.InvalidArgument, "leave the phone out",
			"agents use any phone that is free")
	}
	return store.Device{}, nil
}

// Close implements runs.Work.
func (w *work) Close() {
	if w.host != nil {
		w.host.Close()
	}
	var closing sync.WaitGroup
	for _, end := range w.ends {
		closing.Go(end)
	}
	closing.Wait()
	w.host, w.ends = nil, nil
	if err := w.models.close(); err != nil {
		w.Log.Warn("the recording of a model", "error", err)
	}
}

// open connects to the servers.
func (w *work) open(ctx context.Context) (*agents.Host, error) {
	var servers []agents.Server
	o := w.Agents
	for _, s := range w.servers {
		if s.Unusable != nil {
			o.Down = append(o.Down, agents.Down{Server: s.Name, Err: s.Unusable})
			continue
		}
		p, end, err := w.OpenServer(s, w.life.Session.ID)
		if err != nil {
			return nil, err
		}
		w.ends = append(w.ends, end)
		servers = append(servers, agents.Server{Name: s.Name, Proxy: p})
	}
	w.models.open = w.OpenModel
	o.Session, o.Model = w.life.Session.ID, w.models.get
	o.Phones = &phones{work: w, taken: map[string]bool{}}
	o.People = people{w}
	o.Journal = journal{w.Store.Entries(w.life.Run)}
	o.Observe = w.Watcher.Event
	w.host = agents.New(ctx, &o, servers)
	return w.host, nil
}

// journal is a session's journal in the store.
type journal struct{ *store.Entries }

func (j journal) Append(ctx context.Context, e agents.Entry) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return j.Entries.Append(ctx, body)
}

// Pursue implements runs.Work.
func (w *work) Pursue(ctx context.Context, l runs.Life) runs.Outcome {
	w.life = l
	h, err := w.open(ctx)
	if err != nil {
		return outcome(ctx, &agentloop.Ending{Reason: agentloop.NotStarted, Err: err})
	}
	noted, err := w.Store.Noted(ctx, l.Session.ID)
	if err != nil {
		return outcome(ctx, &agentloop.Ending{Reason: agentloop.Failed(err), Err: err})
	}
	w.Watcher.Opened(l.Session.ID, h)
	working, cancel := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { w.awaitSilence(working, cancel) })
	answer, err := h.Work(working, l.Run.Task, w.goal.Said, noted)
	cancel(nil)
	watching.Wait()
	if err == nil {
		ctx = context.WithoutCancel(ctx)
		err = w.goal.Runs.WithdrawAll(ctx, l.Session.ID, "the work has ended")
	}
	if err == nil {
		return runs.Outcome{Ending: agentloop.Ending{Reason: agentloop.TaskCompleted,
			Answer: answer}}
	}
	return outcome(ctx, endingOf(err))
}

// outcome returns the outcome of unfinished work. If ctx has ended, that is the reason.
func outcome(ctx context.Context, end *agentloop.Ending) runs.Outcome {
	if ctx.Err() != nil {
		end = agentloop.Stopped(ctx)
	}
	if end.Reason == agentloop.UserPaused {
		end.Err = nil
	}
	if end.Err != nil {
		end.Err = hint.Add(errors.New(text.Line(end.Err.Error())), hint.Of(end.Err))
	}
	return runs.Outcome{Ending: *end}
}
