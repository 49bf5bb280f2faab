package main

import (
	"context"
	"maps"
	"slices"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/text"
)

type farmCmd struct {
	Status  farmStatusCmd  `cmd:"" default:"withargs"`
	Drain   farmDrainCmd   `cmd:""`
	Cordon  farmCordonCmd  `cmd:""`
	Requeue farmRequeueCmd `cmd:""`
}

type farmStatusCmd struct {
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run lists the machines.
func (c *farmStatusCmd) Run(ctx context.Context, a *invocation) error {
	return a.onFarm(ctx, func(d *app.Parts) error {
		s, err := d.Farm.State(ctx)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(a.out, s)
		}
		type line struct {
			app.FarmWorker
			app.FarmPhone
		}
		var lines []line
		for _, w := range s.Workers {
			if len(w.Phones) == 0 {
				lines = append(lines, line{FarmWorker: w})
			}
			for _, p := range w.Phones {
				lines = append(lines, line{w, p})
			}
		}
		if s.Waiting > 0 {
			a.notef("%d waiting for a worker with their phone", s.Waiting)
		}
		return printList(a, false, lines, "no machine is up",
			"WORKER ROLE PHONE STATE SESSION LABELS",
			func(l line) []any {
				state, session, labels := l.State, "-", ""
				for _, name := range slices.Sorted(maps.Keys(l.Labels)) {
					if name != "device_id" && name != "worker" {
						labels += name + "=" + l.Labels[name] + " "
					}
				}
				if l.Cordoned {
					state = "cordoned"
				}
				if l.Drained {
					state = "drained"
				}
				if l.Holder != nil {
					session = l.Holder.SessionID + " " + a.term(string(l.Holder.State))
				}
				return []any{text.Line(l.Name), a.term(l.Role), text.Line(l.FarmPhone.ID),
					a.term(state), session, text.Line(labels)}
			})
	})
}

// onFarm lends the parts to a command that carries nothing out.
func (a *invocation) onFarm(ctx context.Context, use func(*app.Parts) error) error {
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, use)
}

type farmDrainCmd struct {
	Worker  string `arg:""`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run drains a worker.
func (c *farmDrainCmd) Run(ctx context.Context, a *invocation) error {
	err := a.onFarm(ctx, func(d *app.Parts) error { return d.Farm.Drain(ctx, c.Worker) })
	if err == nil {
		a.notef("worker %s hands its runs over, and ends", text.Line(c.Worker))
	}
	return err
}

type farmCordonCmd struct {
	Phone   string `arg:""`
	Off     bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run cordons a phone.
func (c *farmCordonCmd) Run(ctx context.Context, a *invocation) error {
	err := a.onFarm(ctx, func(d *app.Parts) error { return d.Farm.Cordon(ctx, c.Phone, c.Off) })
	if err == nil {
		says := "phone %s gets no new tasks"
		if c.Off {
			says = "phone %s gets tasks again"
		}
		a.notef(says, text.Line(c.Phone))
	}
	return err
}

type farmRequeueCmd struct {
	Session string `arg:""`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run requeues a session's run.
func (c *farmRequeueCmd) Run(ctx context.Context, a *invocation) error {
	return a.onFarm(ctx, func(d *app.Parts) error {
		x, err := findSession(ctx, d.Store, c.Session)
		if err != nil {
			return err
		}
		run, err := d.Manager.Requeue(ctx, x.ID)
		if err == nil {
			err = a.tell(string(run.State))
		}
		return err
	})
}
