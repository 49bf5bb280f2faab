package main

import (
	"context"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

type stopCmd struct {
	Session string `arg:"" optional:""`
	Pause   bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run stops a session's run, even one of another process, and gives its phone back.
func (c *stopCmd) Run(ctx context.Context, a *invocation) error {
	r := usecase.Stop{Mode: runs.Cancel}
	if c.Pause {
		r.Mode = runs.Pause
	}
	w := wordsIn(a.Lang()).Stopped
	return a.act(ctx, c.Session, w, func(d *app.Parts, x store.Session) (*usecase.Outcome, error) {
		r.SessionID = x.ID
		return d.Cases.Stop(ctx, app.Call(x.Client), r)
	})
}
