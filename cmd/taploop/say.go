package main

import (
	"context"
	"fmt"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/usecase"
)

type sayCmd struct {
	Session     string `arg:""`
	Text        string `arg:""`
	Instruction bool
	DataDir     string `key:"data_dir" placeholder:"DIR"`
}

// Run says something to a run that is going, waiting or paused, also one of another process.
func (c *sayCmd) Run(ctx context.Context, a *invocation) error {
	m := usecase.Message{Text: c.Text, Mode: agentloop.AsNote}
	if c.Instruction {
		m.Mode = agentloop.AsInstruction
	}
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
		sess, err := findSession(ctx, d.Store, c.Session)
		if err != nil {
			return err
		}
		m.SessionID = sess.ID
		o, err := d.Cases.Message(ctx, app.Call(sess.Client), m)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(a.out, a.term(string(o.Status.Run.State)))
		return err
	})
}
