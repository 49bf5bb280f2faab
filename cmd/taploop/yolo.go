package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/taploop/taploop/device"
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type yoloCmd struct {
	On     yoloOnCmd     `cmd:""`
	Off    yoloOffCmd    `cmd:""`
	Status yoloStatusCmd `cmd:""`
}

// yoloScope is what a leave is about.
type yoloScope struct {
	Session string `placeholder:"ID"`
	App     string `placeholder:"PACKAGE"`
	Action  string `placeholder:"NAME"`
	Server  string `placeholder:"NAME"`
	Tool    string `placeholder:"NAME"`
	All     bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// of returns the scope and the name in it: a session's id, and an app's package.
func (y *yoloScope) of(ctx context.Context, a *invocation, db *store.Store) (
	guard.Scope, string, error) {
	var scope guard.Scope
	var name string
	n := 0
	for _, one := range []struct {
		scope guard.Scope
		name  string
		given bool
	}{{guard.ForSession, y.Session, y.Session != ""}, {guard.ForApp, y.App, y.App != ""},
		{guard.ForAction, y.Action, y.Action != ""}, {guard.ForServer, y.Server, y.Server != ""},
		{guard.ForTool, y.Tool, y.Tool != ""}, {guard.ForAll, "", y.All}} {
		if one.given {
			scope, name = one.scope, one.name
			n++
		}
	}
	if n > 1 {
		return "", "", app.Usage(errors.New("there is more than one scope"),
			"keep one of --session, --app, --action, --server, --tool and --all")
	}
	var err error
	switch scope {
	case guard.ForSession:
		var sess store.Session
		sess, err = findSession(ctx, db, name)
		name = sess.ID
	case guard.ForApp:
		var host *device.Host
		if host, err = app.NewHost(&a.Settings, nil); err == nil {
			if name, err = host.Package(ctx, name); err != nil {
				err = app.Usage(err, "")
			}
		}
	}
	return scope, name, err
}

type yoloOnCmd struct {
	yoloScope
	For    time.Duration `default:"15m" placeholder:"TIME"`
	Times  *int          `placeholder:"N"`
	Target string        `placeholder:"TEXT"`
}

// Run gives leave.
func (c *yoloOnCmd) Run(ctx context.Context, a *invocation) error {
	if c.For <= 0 || c.For > guard.MaxGrantTime {
		return app.Usage(fmt.Errorf("--for is %v", c.For),
			"want a duration above 0 and up to 24h, such as 15m")
	}
	if c.Times != nil && (*c.Times < 1 || *c.Times > guard.MaxGrantUses) {
		return app.Usage(fmt.Errorf("--times is %d", *c.Times),
			fmt.Sprintf("want 1 to %d, or leave it out", guard.MaxGrantUses))
	}
	return a.withStore(ctx, func(db *store.Store) error {
		scope, name, err := c.of(ctx, a, db)
		if err == nil && scope == "" {
			err = app.Usage(errors.New("it is not said what is not to be asked about"),
				"taploop yolo on --session ID, --app PACKAGE, --action NAME, "+
					"--server NAME, --tool NAME, or --all")
		}
		if err != nil {
			return err
		}
		l := guard.Leave{Scope: scope, Name: name, Target: c.Target,
			Times: *cmp.Or(c.Times, new(int))}
		g, err := l.Grant(time.Now(), c.For)
		if err != nil {
			return app.Usage(err, "")
		}
		if scope == guard.ForAction {
			app.NoteMisspelt(&a.Settings, name)
		}
		g.By = app.UserName()
		if err := db.Grants.Give(ctx, g, byCommandLine()); err != nil {
			return err
		}
		return a.tell(text.Line(g.String()))
	})
}

type yoloOffCmd struct{ yoloScope }

// Run takes leave back: all of it when no scope is named.
func (c *yoloOffCmd) Run(ctx context.Context, a *invocation) error {
	return a.withStore(ctx, func(db *store.Store) error {
		scope, name, err := c.of(ctx, a, db)
		if err != nil {
			return err
		}
		if scope == guard.ForAll { // everything, whatever it was given for
			scope = ""
		}
		ended, err := db.Grants.End(ctx, guard.Leave{Scope: scope, Name: name}, nil,
			byCommandLine())
		if err != nil {
			return err
		}
		for _, g := range ended {
			err = cmp.Or(err, a.tell("ended: "+text.Line(g.String())))
		}
		if len(ended) == 0 {
			a.notef("there was nothing to end")
		}
		return err
	})
}

type yoloStatusCmd struct {
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run lists what holds.
func (c *yoloStatusCmd) Run(ctx context.Context, a *invocation) error {
	return a.reading(ctx, func(db *store.Store) error {
		list, err := db.Grants.List(ctx, nil)
		if err != nil {
			return err
		}
		return printList(a, c.JSON, list, "whatever the guard asks about is asked",
			"SCOPE NAME UNTIL LEFT BY ONLY", func(g guard.Grant) []any {
				left := a.term("any")
				if g.Times > 0 {
					left = strconv.Itoa(g.Times - g.Used)
				}
				return []any{a.term(string(g.Scope)), g.Name,
					g.Until.Local().Format(time.DateTime), left,
					g.By, g.Target}
			})
	})
}
