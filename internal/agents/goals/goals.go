// Package goals works on the goals of sessions of agents: it is what their runs carry out. The
// agents call tools of MCP servers, hand tasks to phones, whose sessions belong to theirs, and ask
// people.
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
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

// Options of Goals. Store, Phones, OpenModel and OpenServer must be set.
type Options struct {
	Store  *store.Store
	Phones runs.Phones // that agents may use
	// OpenModel opens the model with the name, "" for the configured one. end closes it.
	OpenModel func(name string) (m agents.Priced, end func() error, err error)
	// OpenServer puts the guard in front of a server for a session. end closes both.
	OpenServer func(s agents.ServerSettings, session string) (p agents.Proxy, end func(), err error)
	Servers    string            // the file that names the servers; "" means that of the session
	Environ    map[string]string // that the file may name
	Agents     agents.Options    // roles, limits and language; the other fields are set here
	Channels   []string          // where every question is listed
	// an agent is told when nobody answers its question in time; otherwise the work is paused
	TellSilence bool
	Patience    time.Duration // how long a question waits before that; 0 means for ever
	Watcher     Watcher       // nil means that nobody watches
	Log         *slog.Logger  // nil discards
}

// Watcher is told what agents do, by several goroutines.
type Watcher interface {
	Opened(session string, h *agents.Host) // its servers are connected
	Event(e agents.Event)
	Task(session, serial, task string) // a session with a phone has begun
	Waits(serial string)               // for a phone of another session; "" for any phone
}

// unwatched is a Watcher that does nothing.
type unwatched struct{}

func (unwatched) Opened(string, *agents.Host) {}
func (unwatched) Event(agents.Event)          {}
func (unwatched) Task(_, _, _ string)         {}
func (unwatched) Waits(string)                {}

// Goals makes the work of sessions of agents. It is a runs.Goals, and safe for concurrent use.
type Goals struct{ opts Options }

// New checks the file that names the servers.
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

// Host connects agents that have no goal to the servers, to list their tools. The caller calls end.
func (g *Goals) Host(ctx context.Context) (h *agents.Host, servers int, end func(), err error) {
	w := &work{Options: &g.opts}
	if w.servers, _, err = g.readServers(g.opts.Servers); err != nil {
		return nil, 0, nil, err
	}
	h, err = w.open(ctx)
	return h, len(w.servers), w.Close, err
}

// readServers reads the file with the servers, and gives its whole path; "" names none.
func (g *Goals) readServers(file string) (list []agents.ServerSettings, whole string, err error) {
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
	all, err := agents.ReadServers(b, whole, g.opts.Environ)
	if err != nil {
		return nil, "", runs.Coded(runs.InvalidArgument, fmt.Errorf("in %s: %w", file, err))
	}
	for _, s := range all {
		if s.Disabled {
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

// addEnv adds the variables of the server's envFile that its env does not have.
func addEnv(s *agents.ServerSettings) error {
	if s.EnvFile == "" {
		return nil
	}
	b, err := files.Read(s.EnvFile)
	if err != nil {
		return err
	}
	env, err := agents.ReadEnv(b)
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
	servers []agents.ServerSettings
	life    runs.Life
	models  models
	host    *agents.Host // nil until open
	ends    []func()     // of servers
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
	for _, s := range w.servers {
		p, end, err := w.OpenServer(s, w.life.Session.ID)
		if err != nil {
			return nil, err
		}
		w.ends = append(w.ends, end)
		servers = append(servers, agents.Server{Name: s.Name, Proxy: p})
	}
	w.models.open = w.OpenModel
	o := w.Agents
	o.Session, o.Model = w.life.Session.ID, w.models.get
	o.Phones = &phones{work: w, taken: map[string]bool{}}
	o.People = people{w}
	o.Journal = journal{w.Store.Entries(w.life.Run)}
	o.Observe = w.Watcher.Event
	w.host = agents.New(ctx, &o, servers)
	return w.host, nil
}

// journal is that of a session, in the store.
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
		return outcome(ctx, &agentloop.Ending{Reason: agentloop.InternalError, Err: err})
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

// outcome is that of work which was not completed, perhaps only because ctx has ended.
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
