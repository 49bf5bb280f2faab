package main

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/agents/goals"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/mcp/proxy"
	"github.com/taploop/taploop/internal/mcp/proxy/upstream"
)

// hosting is what a command that works on goals of agents adds to the configuration.
type hosting struct {
	watcher  goals.Watcher // nil means that nobody watches
	attended bool          // a person at the terminal answers, however long that takes
}

// goals works on goals of agents as the configuration says.
func (a *app) goals(d *deps, b *inquiry.Broker, h *hosting) (*goals.Goals, error) {
	c, q := a.conf.Host, a.conf.Questions
	o := &goals.Options{Store: d.store, Phones: d.phones, OpenModel: a.openModel,
		OpenServer: func(s agents.ServerSettings, session string) (agents.Proxy, func(), error) {
			p, err := a.proxy(proxy.Options{Name: s.Name, Target: *a.mcpTarget(s),
				Session: session, Channels: d.channels, Stdio: true,
				Wait: func(string, bool) time.Duration { return wholeQuestion }}, b)
			if err != nil {
				return nil, nil, err
			}
			return p, p.Close, nil
		},
		Servers: c.MCP, Environ: environment(a.opts.Environ), Channels: d.channels,
		Agents:   agents.Options{Textual: c.Textual, Lang: a.conf.Model.Lang},
		Patience: q.Attention, Watcher: h.watcher, Log: a.log,
	}
	if h.attended {
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

// openModel opens a profile of models, or a model of the endpoint; "" is the configured one.
func (a *app) openModel(name string) (agents.Priced, func() error, error) {
	conf := a.conf
	if name != "" {
		all, err := a.named([]string{name})
		if err != nil {
			return agents.Priced{}, nil, err
		}
		conf = all[name]
	}
	client, end, err := a.models().open(conf.Model)
	return agents.Priced{Model: client, Prompt: conf.Model.PromptPrice,
		Reply: conf.Model.ReplyPrice}, end, err
}

// mcpTarget is a server of a file.
func (w *wiring) mcpTarget(s agents.ServerSettings) *upstream.Target {
	t := newTarget(environment(w.opts.Environ))
	t.URL, t.Dir = s.URL, s.Dir
	if s.Command != "" {
		t.Command = append([]string{s.Command}, s.Args...)
	}
	for name, value := range s.Env {
		t.Env = append(t.Env, name+"="+value) // the last one counts
		if secretName.MatchString(name) {
			t.Secrets = append(t.Secrets, value)
		}
	}
	for name, value := range s.Headers {
		t.header(name, value)
	}
	return t.Target
}
