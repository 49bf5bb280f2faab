package main

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/runs"
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
	var o *usecase.Outcome
	err := app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
		sess, err := findSession(ctx, d.Store, c.Session)
		if err != nil {
			return err
		}
		r.SessionID = sess.ID
		o, err = d.Cases.Stop(ctx, app.Call(sess.Client), r)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, a.term(string(o.Status.Run.State)))
	return err
}
