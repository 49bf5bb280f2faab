package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/text"
)

type sessionsCmd struct {
	List   sessionsListCmd   `cmd:""`
	Show   sessionsShowCmd   `cmd:""`
	Export sessionsExportCmd `cmd:""`
	Prune  sessionsPruneCmd  `cmd:""`
}

type sessionsListCmd struct {
	State   string `placeholder:"STATE"`
	Limit   whole  `default:"20" from:"0" to:"1000000"`
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run lists sessions.
func (c *sessionsListCmd) Run(ctx context.Context, a *invocation) error {
	if s := store.State(c.State); c.State != "" && !s.Known() {
		return app.Usage(fmt.Errorf("unknown state %q", c.State), "want one of "+
			strings.Trim(strings.ReplaceAll(fmt.Sprint(store.States()), " ", ", "), "[]"))
	}
	return a.reading(ctx, func(db *store.Store) error {
		list, err := db.Sessions(ctx, store.Filter{State: store.State(c.State),
			Limit: int(c.Limit)})
		if err != nil {
			return err
		}
		all := summaries(list)
		id := tableIDs(a, all, func(s summary) string { return s.ID })
		return printList(a, c.JSON, all, "no sessions",
			"SESSION CHANGED PHONE STEPS STATE TASK", func(s summary) []any {
				return []any{id(s), s.UpdatedAt.Local().Format(toMinute),
					cmp.Or(s.Serial, a.term("host")), s.Steps, a.state(s.State, nil), s.Task}
			})
	})
}

// summary is a session in a list.
type summary struct {
	ID        string      `json:"session_id"`
	Serial    string      `json:"device_id"`
	Task      string      `json:"task,omitempty"`
	State     store.State `json:"state,omitempty"`
	Reason    string      `json:"stop_reason,omitempty"`
	Steps     int         `json:"steps"`
	CreatedAt time.Time   `json:"created_at"`
	UpdatedAt time.Time   `json:"updated_at"`
}

func summaries(list []store.Overview) []summary {
	var out []summary
	for _, o := range list {
		s := summary{ID: o.ID, Serial: o.Serial, Steps: o.Steps, CreatedAt: o.CreatedAt,
			UpdatedAt: o.UpdatedAt}
		if r := o.Latest; r != nil {
			s.Task = r.Task
			s.State, s.Reason = r.State, string(r.StopReason)
		}
		out = append(out, s)
	}
	return out
}

type sessionsShowCmd struct {
	Session string `arg:"" optional:""`
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run prints one session.
func (c *sessionsShowCmd) Run(ctx context.Context, a *invocation) error {
	return a.readingSession(ctx, c.Session, func(db *store.Store, sess store.Session) error {
		next := func(id string, q *inquiry.Question) string {
			return continueCommand(id, q, a.attended())
		}
		shown, err := story.Read(ctx, db, sess, next)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(a.out, shown)
		}
		shown.Print(a.out, a.Lang())
		return nil
	})
}

type sessionsExportCmd struct {
	Session string `arg:"" optional:""`
	All     bool
	Format  string `enum:"html,gelab" default:"html"`
	Output  string `short:"o" placeholder:"PATH"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run writes a session out and prints the path.
func (c *sessionsExportCmd) Run(ctx context.Context, a *invocation) error {
	if c.All {
		return c.all(ctx, a)
	}
	return a.readingSession(ctx, c.Session, func(db *store.Store, sess store.Session) error {
		path := cmp.Or(c.Output, sess.ID+".html")
		var err error
		switch {
		case c.Format == "gelab":
			path = cmp.Or(c.Output, "gelab-"+sess.ID)
			err = export.Gelab(ctx, path, db, sess.ID)
		case c.Output == "-":
			return export.HTML(ctx, a.out, db, sess.ID)
		default:
			err = exportPage(ctx, db, sess.ID, path)
		}
		if err == nil {
			_, err = fmt.Fprintln(a.out, path)
		}
		return err
	})
}

// all writes a page of each session and a list of them into a folder, and prints the list's path.
func (c *sessionsExportCmd) all(ctx context.Context, a *invocation) error {
	if c.Session != "" || c.Format != "html" || c.Output == "-" {
		return app.Usage(errors.New("--all writes the pages of all sessions into a folder"),
			"name no session and no other format, and the folder with -o")
	}
	return a.reading(ctx, func(db *store.Store) error {
		dir := cmp.Or(c.Output, "taploop-sessions")
		list, err := db.Sessions(ctx, store.Filter{})
		for _, o := range append(list, store.Overview{}) {
			err = errors.Join(err, exportPage(ctx, db, o.ID,
				filepath.Join(dir, cmp.Or(o.ID, "index")+".html")))
		}
		if err == nil {
			_, err = fmt.Fprintln(a.out, filepath.Join(dir, "index.html"))
		}
		return err
	})
}

type sessionsPruneCmd struct {
	OlderThan time.Duration `required:"" placeholder:"DURATION"`
	DataDir   string        `key:"data_dir" placeholder:"DIR"`
}

// Run deletes old sessions with their frames.
func (c *sessionsPruneCmd) Run(ctx context.Context, a *invocation) error {
	if c.OlderThan <= 0 {
		return app.Usage(fmt.Errorf("--older-than is %s", c.OlderThan),
			"want a duration above 0, for example 30d")
	}
	return a.withStore(ctx, func(db *store.Store) error {
		n, err := db.Prune(ctx, time.Now().Add(-c.OlderThan), byCommandLine())
		if err == nil {
			a.notef("deleted %s", text.Count(n, "session"))
		}
		return err
	})
}
