package agents

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/taploop/taploop/internal/text"
)

// First is the id of the agent with the goal.
const First = "1"

// Host runs agents. Its tools are those of the servers. If several servers have a tool of the same
// name, the name is prefixed with the server's.
type Host struct {
	opts   Options
	limits Limits
	conns  []*connection
	down   []Down
	tools  []Tool // of the servers

	mu      sync.Mutex
	states  map[string]*State
	spent   Spent
	results map[string]string
	textual map[string]bool // models without native calls, by name
}

// New connects to the servers. Down returns the ones that cannot be reached. The model learns as
// well. The caller must close the Host.
func New(ctx context.Context, opts *Options, servers []Server) *Host {
	h := &Host{opts: *opts, limits: opts.Limits, states: map[string]*State{},
		textual: map[string]bool{}}
	l := &h.limits
	l.Rounds, l.Calls = cmp.Or(l.Rounds, 30), cmp.Or(l.Calls, 200)
	l.Depth, l.Result = cmp.Or(l.Depth, 3), cmp.Or(l.Result, 8000)
	l.Time = cmp.Or(l.Time, 30*time.Minute)
	if h.opts.Observe == nil {
		h.opts.Observe = func(Event) {}
	}
	conns, errs := make([]*connection, len(servers)), make([]error, len(servers))
	var connecting sync.WaitGroup
	for i, s := range servers {
		connecting.Go(func() {
			ctx, cancel := context.WithTimeoutCause(ctx, startTime,
				fmt.Errorf("its tools were not listed within %v", startTime))
			defer cancel()
			slow := time.AfterFunc(slowStart, func() {
				h.opts.Observe(Event{Kind: "slow", Name: s.Name})
			})
			defer slow.Stop()
			if conns[i], errs[i] = connect(ctx, s); errs[i] != nil && ctx.Err() != nil {
				errs[i] = context.Cause(ctx)
			}
		})
	}
	connecting.Wait()
	h.down = append(h.down, h.opts.Down...)
	for i, c := range conns {
		if c == nil {
			h.down = append(h.down, Down{servers[i].Name, errs[i]})
			continue
		}
		h.conns = append(h.conns, c)
	}
	h.tools = catalog(h.conns, append(h.builtinTools(), h.roleTools()...))
	return h
}

// A server has this long to start and list its tools. After slowStart an event reports the delay.
const (
	startTime = time.Minute
	slowStart = 3 * time.Second
)

// Tools returns the tools of the servers.
func (h *Host) Tools() []Tool { return h.tools }

// Down returns the servers that could not be reached.
func (h *Host) Down() []Down { return h.down }

// Spent returns the total of the session.
func (h *Host) Spent() Spent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.spent
}

// Close closes the connections and waits until they are closed.
func (h *Host) Close() {
	var closing sync.WaitGroup
	for _, c := range h.conns {
		closing.Go(c.end)
	}
	closing.Wait()
}

// Work works on the goal and returns the answer. It resumes from the journal if there is one. said,
// unless "", is a message to the first agent then, and so is a goal after the one in the journal.
// Work may be called once.
//
// The error is one of the limits, ErrUnreadable, an error of a model or the journal, or ctx's
// cause.
func (h *Host) Work(ctx context.Context, goal, said string, journal []json.RawMessage) (
	string, error) {
	var err error
	if h.states, h.spent, err = Read(journal); err != nil {
		return "", err
	}
	h.results = results(h.states)
	ctx, cancel := context.WithTimeoutCause(ctx, h.limits.Time, ErrTime)
	defer cancel()
	a, err := h.agent(ctx, First, Begin{Goal: goal}, h.opts.Main, 0)
	if err != nil {
		return "", err
	}
	begun := len(a.state.Entries) > 0 || a.state.Begin.Goal != goal
	if _, ended := a.state.Answer(); ended && a.state.Begin.Goal != goal {
		said = goal // of a run after the one that has the answer
	}
	if said != "" && begun {
		if err := a.note(ctx, Entry{Said: said}); err != nil {
			return "", err
		}
	}
	answer, err := a.work(ctx)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return answer, err
}

// agent returns the agent with the id from the journal, or a new one.
func (h *Host) agent(ctx context.Context, id string, b Begin, r Role, depth int) (*agent, error) {
	h.mu.Lock()
	s := h.states[id]
	h.mu.Unlock()
	m, err := h.opts.Model(r.Model)
	if err != nil {
		return nil, err
	}
	a := &agent{h: h, role: r, depth: depth, model: m, tools: h.toolsOf(r, depth), state: s}
	if s != nil {
		return a, nil
	}
	a.state = newState(id, b)
	if err := h.opts.Journal.Append(ctx, Entry{Agent: id, Begin: &b}); err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.states[id] = a.state
	h.mu.Unlock()
	a.emit("goal", "", "", b.Goal, false)
	return a, nil
}

// spend adds an entry to the total and keeps its result.
func (h *Host) spend(e Entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.spent.add(e)
	if e.Result != nil {
		h.results[e.Result.Call] = e.Result.Text
	}
}

// read returns the part of a result from offset in the form for models.
func (h *Host) read(id string, offset int) (string, error) {
	h.mu.Lock()
	whole, ok := h.results[id]
	h.mu.Unlock()
	if !ok {
		return "", fmt.Errorf("no call has the id %s", text.Quote(id, 100))
	}
	runes := []rune(whole)
	if offset < 0 || offset > len(runes) {
		return "", fmt.Errorf("the result has %d characters, and the offset is %d", len(runes),
			offset)
	}
	runes = runes[offset:]
	if len(runes) <= h.limits.Result {
		return string(runes), nil
	}
	end := offset + h.limits.Result
	return fmt.Sprintf("%s\n[cut: characters %d to %d of %d; %s with id %q and offset %d reads on]",
		string(runes[:h.limits.Result]), offset, end, offset+len(runes), readResult, id, end), nil
}
