package main

import (
	"context"
	"encoding/json"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/web"
	"github.com/taploop/taploop/tools"
)

// tasks carries out what requests want of runs, as the MCP tools do. It implements web.Tasks.
type tasks struct{ tools *tools.Tools }

// wordOf is whose word it is that a request brings. That of a program may be a model's; from the
// page, or with a person's token, it is a person's.
func wordOf(p web.Person) runs.Actor {
	who := runs.Actor{Channel: p.Channel, Authority: inquiry.AuthorityClientModel, Name: p.Name}
	if !p.Program {
		who.Authority = inquiry.AuthorityHumanToken
	}
	return who
}

// Do implements web.Tasks.
func (t tasks) Do(ctx context.Context, c web.TaskCall) (web.TaskResult, error) {
	arguments, err := json.Marshal(c.Arguments)
	if err != nil {
		return web.TaskResult{}, err
	}
	who := tools.Caller{Client: c.Client, By: wordOf(c.By), Names: c.Names}
	if c.Progress != nil {
		who.Progress = func(context.Context, tools.Progress) error {
			c.Progress()
			return nil
		}
	}
	out, err := t.tools.Do(ctx, who, c.Tool, arguments)
	return web.TaskResult{Body: out.Body, Code: out.Code}, err
}
