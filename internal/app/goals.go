package app

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/agents/goals"
	"github.com/taploop/taploop/internal/clients"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/runs"
)

// Hosting is what a command that works on goals of agents adds to the configuration.
type Hosting struct {
	Watcher  goals.Watcher // may be nil
	Attended bool          // a person at the terminal answers, however long that takes
}

// newGoals returns the work on goals of agents, with the store, phones, broker and channels of
// runs.
func newGoals(s *Settings, r *runs.Options, h *Hosting) (*goals.Goals, error) {
	c, q := s.Conf.Host, s.Conf.Questions
	o := &goals.Options{Store: r.Store, Phones: r.Phones,
		OpenModel: func(name string) (agents.Priced, func() error, error) {
			return openModel(s, name)
		},
		OpenServer: func(c clients.ServerSettings, session string) (agents.Proxy, func(), error) {
			p, err := NewProxy(s, proxy.Options{Name: c.Name, Target: *listedUpstream(s, c),
				Session: session, Leave: ToolLeave(r.Store, session), Channels: r.Asking.Channels,
				Stdio: true, Wait: func(string) time.Duration { return wholeQuestion }}, r.Broker)
			if err != nil {
				return nil, nil, err
			}
			return p, p.Close, nil
		},
		Servers: c.MCP, Environ: Environment(s.Options.Environ), Channels: r.Asking.Channels,
		Agents:   agents.Options{Textual: c.Textual, Lang: s.Conf.Model.Lang},
		Patience: q.Attention, Watcher: h.Watcher, Log: s.Log,
	}
	if h.Attended {
		o.Patience = 0
	}
	switch q.OnTimeout {
	case string(inquiry.GoOn), string(inquiry.GiveUp):
		o.TellSilence = true
	}
	o.Agents.Limits = agents.Limits{Rounds: c.MaxRounds, Calls: c.MaxCalls,
		Depth: cmp.Or(c.MaxDepth, -1), Time: c.MaxTime, Cost: c.MaxCost}
	o.Agents.Roles = map[string]agents.Role{}
	for name, r := range c.Roles {
		o.Agents.Roles[name] = agents.Role(r)
	}
	o.Agents.Main = o.Agents.Roles["main"]
	delete(o.Agents.Roles, "main")
	if o.Agents.Main.Roles == nil {
		o.Agents.Main.Roles = slices.Sorted(maps.Keys(o.Agents.Roles))
	}
	return goals.New(o)
}

// wholeQuestion is longer than any question stays open.
const wholeQuestion = 10 * 365 * 24 * time.Hour

// openModel opens a profile of models, or a model of the endpoint. "" is the configured one.
func openModel(s *Settings, name string) (agents.Priced, func() error, error) {
	conf := s.Conf
	if name != "" {
		all, err := s.ForModels([]string{name})
		if err != nil {
			return agents.Priced{}, nil, err
		}
		conf = all[name]
	}
	client, end, err := NewModels(s).Open(conf.Model)
	return agents.Priced{Model: client, Prompt: conf.Model.PromptPrice,
		Reply: conf.Model.ReplyPrice}, end, err
}
