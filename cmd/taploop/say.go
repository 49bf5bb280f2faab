package main

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/store"
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
	w := wordsIn(a.Lang()).Heard
	return a.act(ctx, c.Session, w, func(d *app.Parts, x store.Session) (*usecase.Outcome, error) {
		m.SessionID = x.ID
		return d.Cases.Message(ctx, app.Call(x.Client), m)
	})
}

// act does something in a session, and says how its run stands then: in the words of told, if there
// are some for that, and with what can be done next.
func (a *invocation) act(ctx context.Context, session string, told map[store.State]string,
	do func(*app.Parts, store.Session) (*usecase.Outcome, error)) error {
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
		sess, err := findSession(ctx, d.Store, session)
		if err != nil {
			return err
		}
		o, err := do(d, sess)
		if err != nil {
			return err
		}
		state, next := o.Status.Run.State, a.nextOf(o.Status)
		if next == nil || state == store.Running || state == store.Queued {
			next = &nextCommand{Command: "taploop sessions show " + sess.ID}
		}
		err = a.tell(a.state(state, told))
		a.try(next.Command)
		return err
	})
}
