package tools

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/tools/schema"
)

const (
	skillPrefix = "skill_"
	longestName = 64 // of a tool, for most clients
	lookEvery   = 2 * time.Second
)

// skillTools are tools of skills, as the folder has them. One that was removed leaves the list, but
// stays known to the server, so that a call says so. Those that the list has no room for are known
// to it, too.
type skillTools struct {
	mu     sync.Mutex
	server *server.MCPServer // nil before Register, and where skills are not offered
	stamp  string            // of the folder when the list was made
	list   []tool
}

// WatchSkills tells clients when the skills that are tools change, until ctx ends.
func (t *Tools) WatchSkills(ctx context.Context) {
	for wait.For(ctx, lookEvery) == nil {
		t.skillTools()
	}
}

// skillTools are the tools of the skills that there are now.
func (t *Tools) skillTools() []tool {
	s := &t.skills
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return nil
	}
	stamp, err := t.edge.opts.Skills.Stamp()
	if err == nil && stamp == s.stamp {
		return s.list
	}
	all, err := t.edge.cases.Skills()
	if err != nil {
		t.edge.opts.Log.Warn("reading the skills", "err", err)
		return s.list
	}
	s.list, s.stamp = nil, stamp
	var added []server.ServerTool
	for _, one := range all {
		d, ok := t.toolOf(one)
		if !ok {
			continue
		}
		if len(s.list) < t.edge.opts.MostSkills {
			s.list = append(s.list, d)
		}
		added = append(added, server.ServerTool{Tool: mcp.Tool{Name: d.name},
			Handler: t.handler(d)})
	}
	s.server.AddTools(added...) // which tells the clients
	return s.list
}

// toolOf is run_skill for one skill, whose parameters are arguments. ok is false for a skill that
// cannot be run, or whose name is too long for a tool.
func (t *Tools) toolOf(s usecase.ListedSkill) (d tool, ok bool) {
	var own schema.Schema
	if s.Problem != "" || len(skillPrefix+s.Name) > longestName ||
		s.Params != nil && json.Unmarshal(s.Params, &own) != nil {
		return d, false
	}
	run := t.byName[skillTool]
	d = run
	d.name, d.title = skillPrefix+s.Name, "Repeat "+s.Name
	d.wording = sync.OnceValue(func() wording {
		w := run.wording()
		return wording{s.Description + "\n" + described("skill"), withParams(w.input, &own),
			func(wants func(string) bool) *schema.Schema {
				return withParams(w.listed(wants), &own)
			}}
	})
	d.call = func(ctx context.Context, c *call) (*toolResult, error) {
		given, err := schema.Object(c.request.GetRawArguments())
		if err == nil {
			err = schema.Known(d.wording().input, given)
		}
		if err != nil {
			return nil, runs.Coded(runs.InvalidArgument, err)
		}
		p := &c.request.Params
		p.Name, p.RawArguments = skillTool, nil
		p.Arguments = ofSkill(s.Name, &own, given)
		return run.call(ctx, c)
	}
	return d, true
}

// ofSkill are run_skill's arguments for those of a skill's tool.
func ofSkill(name string, own *schema.Schema, given map[string]any) map[string]any {
	params := map[string]any{}
	for key, v := range given {
		if own.Properties[key] != nil {
			params[key] = v
			delete(given, key)
		}
	}
	given["name"], given["params"] = name, params
	return given
}

// withParams is the schema of run_skill with a skill's parameters in the place of name and params.
func withParams(run, own *schema.Schema) *schema.Schema {
	out := run.CloneSchemas()
	delete(out.Properties, "name")
	delete(out.Properties, "params")
	order := slices.Sorted(maps.Keys(own.Properties))
	for name, p := range own.Properties {
		out.Properties[name] = p.CloneSchemas()
		out.Properties[name].Description = text.Cut(text.Line(p.Description), 200)
	}
	for _, name := range out.PropertyOrder {
		if out.Properties[name] != nil && !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	out.PropertyOrder, out.Required = order, slices.Clone(own.Required)
	return out
}
