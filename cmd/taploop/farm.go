package main

import (
	"context"
	"maps"
	"slices"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
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
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
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
				switch {
				case l.Gone:
					state = "gone"
				case l.Drained:
					state = "drained"
				case l.Cordoned:
					state = "cordoned"
				}
				if l.Holder != nil {
					session = l.Holder.SessionID + " " + a.state(l.Holder.State, nil)
				}
				return []any{text.Line(l.Name), a.term(l.Role), text.Line(l.FarmPhone.ID),
					a.term(state), session, text.Line(labels)}
			})
	})
}

// changing carries a change of the farm out, and says what holds of the name then.
func (a *invocation) changing(ctx context.Context, says, name, why string,
	change func(*app.Farm, store.AuditEntry) error) error {
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
		err := change(d.Farm, app.Operator().Entry(why))
		if err == nil {
			a.notef(says, text.Line(name))
		}
		return err
	})
}

type farmDrainCmd struct {
	Worker  string `arg:""`
	Why     string `placeholder:"TEXT"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run drains a worker.
func (c *farmDrainCmd) Run(ctx context.Context, a *invocation) error {
	return a.changing(ctx, "worker %s hands its runs over, and ends", c.Worker, c.Why,
		func(f *app.Farm, by store.AuditEntry) error { return f.Drain(ctx, c.Worker, by) })
}

type farmCordonCmd struct {
	Phone   string `arg:""`
	Off     bool
	Why     string `placeholder:"TEXT"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run cordons a phone.
func (c *farmCordonCmd) Run(ctx context.Context, a *invocation) error {
	says := "phone %s gets no new tasks"
	if c.Off {
		says = "phone %s gets tasks again"
	}
	return a.changing(ctx, says, c.Phone, c.Why,
		func(f *app.Farm, by store.AuditEntry) error { return f.Cordon(ctx, c.Phone, c.Off, by) })
}

type farmRequeueCmd struct {
	Session string `arg:""`
	Why     string `placeholder:"TEXT"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run requeues a session's run.
func (c *farmRequeueCmd) Run(ctx context.Context, a *invocation) error {
	return a.act(ctx, c.Session, nil, func(d *app.Parts,
		x store.Session) (*usecase.Outcome, error) {
		run, err := d.Manager.Requeue(ctx, x.ID, app.Operator().Entry(c.Why))
		return &usecase.Outcome{Status: runs.Status{Run: run}}, err
	})
}
