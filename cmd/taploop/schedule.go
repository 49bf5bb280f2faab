package main

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/schedule"
	"github.com/taploop/taploop/internal/skill"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type scheduleCmd struct {
	Add    scheduleAddCmd    `cmd:""`
	List   scheduleListCmd   `cmd:"" default:"withargs"`
	Remove scheduleRemoveCmd `cmd:""`
	Run    scheduleRunCmd    `cmd:""`
}

type scheduleAddCmd struct {
	Times   string `arg:""`
	Task    string `arg:""`
	Name    string `placeholder:"NAME"`
	Phone   string `short:"s" placeholder:"SERIAL"`
	Zone    string `placeholder:"ZONE"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
	turnFlags
}

var scheduleName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Run stores a schedule and prints its name.
func (c *scheduleAddCmd) Run(ctx context.Context, a *invocation) error {
	if err := runs.CheckTask(c.Task); err != nil {
		return app.Usage(err, "")
	}
	times, err := schedule.Parse(c.Times, c.Zone)
	if err != nil {
		return app.Usage(err, "")
	}
	turn, err := c.turn()
	if err != nil {
		return err
	}
	name := cmp.Or(c.Name, skill.NameOf(c.Task, "schedule"))
	if !scheduleName.MatchString(name) {
		return app.Usage(fmt.Errorf("%q cannot name a schedule", text.Line(name)),
			"use at most 64 letters, digits, dots, dashes and underscores, a letter or a digit "+
				"first")
	}
	return app.With(ctx, &a.Settings, app.Options{StoreOnly: true}, func(d *app.Parts) error {
		var away error
		if c.Phone != "" {
			_, away = runs.Choose(ctx, d.Phones, c.Phone, a.Log)
		}
		if runs.CodeOf(away) == runs.InvalidArgument {
			return away
		}
		err := d.Store.Schedules.Add(ctx, store.Schedule{Name: name, Spec: c.Times, Zone: c.Zone,
			Task: c.Task, Serial: c.Phone, Priority: string(turn.Priority),
			QueueSeconds: int64(turn.QueueSeconds)})
		if err != nil {
			return err
		}
		if away != nil {
			a.notef("%q is no phone that can be used now; it may come later", c.Phone)
		}
		a.notef("next: %s", times.Next(time.Now()).Local().Format(toMinute))
		if none, err := unserved(ctx, a, d.Store); err == nil && none {
			a.notef("no server is up that would begin it: taploop serve --http")
		}
		_, err = fmt.Fprintln(a.out, name)
		return err
	})
}

// unserved reports whether no server is up, here or on the machines that share the store.
func unserved(ctx context.Context, a *invocation, db *store.Store) (bool, error) {
	if db.Farm.Shared() {
		workers, err := db.Farm.Workers(ctx)
		return !slices.ContainsFunc(workers, func(w store.Worker) bool { return !w.Gone }), err
	}
	here, _, err := serve.Servers(a.Conf.DataDir)
	return len(here) == 0, err
}

type scheduleListCmd struct {
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// listedSchedule is a schedule as it is listed.
type listedSchedule struct {
	store.Schedule
	Next time.Time   `json:"next,omitzero"`
	Last *store.Tick `json:"last,omitempty"`
}

// Run lists the schedules.
func (c *scheduleListCmd) Run(ctx context.Context, a *invocation) error {
	return a.reading(ctx, func(db *store.Store) error {
		all, err := db.Schedules.List(ctx)
		if err != nil {
			return err
		}
		list := make([]listedSchedule, 0, len(all))
		for _, s := range all {
			l := listedSchedule{Schedule: s}
			last, err := db.Schedules.Last(ctx, s.Name)
			if err != nil {
				return err
			} else if !last.At.IsZero() {
				l.Last = &last
			}
			if times, err := schedule.Parse(s.Spec, s.Zone); err == nil {
				l.Next = times.Upcoming(s, last, time.Now())
			}
			list = append(list, l)
		}
		return printList(a, c.JSON, list, `no schedules; taploop schedule add "0 8 * * 1-5" `+
			`"TASK" makes one`, "NAME TIMES NEXT LAST PHONE TASK",
			func(l listedSchedule) []any { return scheduleRow(a, l) })
	})
}

func scheduleRow(a *invocation, l listedSchedule) []any {
	last := "-"
	if l.Last != nil {
		last = l.Last.At.Local().Format(toMinute) + " " + a.term(string(l.Last.State))
	}
	return []any{l.Name, text.Line(strings.TrimSpace(l.Spec + " " + l.Zone)),
		whenOrDash(l.Next), last, cmp.Or(text.Line(l.Serial), "-"),
		text.Cut(text.Line(l.Task), 80)}
}

type scheduleRemoveCmd struct {
	Name    string `arg:""`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run removes a schedule.
func (c *scheduleRemoveCmd) Run(ctx context.Context, a *invocation) error {
	return a.withStore(ctx, func(db *store.Store) error {
		return db.Schedules.Remove(ctx, c.Name)
	})
}

type scheduleRunCmd struct {
	Name      string `arg:""`
	Supersede bool
	taskFlags
}

// Run begins a schedule's task now, and follows it to its end.
func (c *scheduleRunCmd) Run(ctx context.Context, a *invocation) error {
	var s store.Schedule
	err := a.withStore(ctx, func(db *store.Store) (err error) {
		s, err = db.Schedules.Get(ctx, c.Name)
		return err
	})
	if err != nil {
		return err
	}
	if s.Serial != "" {
		a.Options.Flags["adb.serial"] = s.Serial
	}
	run := runCmd{Task: s.Task, Supersede: c.Supersede, taskFlags: c.taskFlags}
	return run.Run(ctx, a)
}
