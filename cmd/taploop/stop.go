package main

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/runs"
)

type stopCmd struct {
	Session string `arg:"" help:"The session's id."`
	Pause   bool   `help:"Only pause it: it can be continued."`
	DataDir string `key:"data_dir" help:"Where sessions are kept." placeholder:"DIR"`
}

// Run stops a session's run, even one of another process, and gives its phone back.
func (c *stopCmd) Run(ctx context.Context, a *app) error {
	if err := a.load(); err != nil {
		return err
	}
	d, err := a.open(ctx, overrides{storeOnly: true})
	if err != nil {
		return err
	}
	mode := runs.Cancel
	if c.Pause {
		mode = runs.Pause
	}
	st, err := d.manager.Stop(ctx,
		runs.StopRequest{SessionID: c.Session, Mode: mode, By: operator()})
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.out, st.Run.State)
	return err
}
