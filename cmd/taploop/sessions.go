package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/tools/result"
)

type sessionsCmd struct {
	List   sessionsListCmd   `cmd:"" help:"List sessions, newest first."`
	Show   sessionsShowCmd   `cmd:"" help:"Print a session with its runs and steps."`
	Export sessionsExportCmd `cmd:"" help:"Write a session as one HTML page, or as gelab-zero's trace."`
	Prune  sessionsPruneCmd  `cmd:"" help:"Delete sessions that have not changed for long."`
}

// withStore lends the store of the configuration to use, and closes it.
func (a *invocation) withStore(ctx context.Context, use func(*store.Store) error) error {
	if err := a.Load(); err != nil {
		return err
	}
	return a.lend(ctx, nil, use)
}

// lend lends the data folder of the configuration that is loaded.
func (a *invocation) lend(ctx context.Context, o *store.Options,
	use func(*store.Store) error) error {
	db, err := app.OpenStore(ctx, &a.Settings, o)
	if err != nil {
		return err
	}
	return app.Closing(use(db), db.Close)
}

// reading is withStore for a command that changes nothing: the folder need not be writable. Where
// it is, runs that a dead process has left behind are PAUSED from then on.
func (a *invocation) reading(ctx context.Context, use func(*store.Store) error) error {
	if err := a.Load(); err != nil {
		return err
	}
	return a.lend(ctx, &store.Options{Reading: true}, func(db *store.Store) error {
		if !db.ReadOnly() {
			// What is stored can be read all the same.
			if _, err := db.Runs.Recover(ctx); err != nil {
				a.Log.WarnContext(ctx, "looking for runs that were left behind", "err", err)
			}
		}
		return use(db)
	})
}

// readingSession is reading with the session whose id begins with the text.
func (a *invocation) readingSession(ctx context.Context, id string,
	use func(*store.Store, store.Session) error) error {
	return a.reading(ctx, func(db *store.Store) error {
		sess, err := findSession(ctx, db, id)
		if err != nil {
			return err
		}
		return use(db, sess)
	})
}

// findSession finds the session whose id begins with the text, whoever it belongs to; "" is the one
// of this user that changed last.
func findSession(ctx context.Context, db *store.Store, id string) (store.Session, error) {
	if id != "" {
		x, err := db.Find(ctx, id, nil)
		return x, runs.UnknownSession(id, err)
	}
	list, err := db.Sessions(ctx, store.Filter{Client: new(string), Limit: 1})
	if err == nil && len(list) == 0 {
		err = runs.Refuse(runs.SessionNotFound, "taploop run \"TASK\"", "there is no session yet")
	}
	if err != nil {
		return store.Session{}, err
	}
	return list[0].Session, nil
}

type sessionsListCmd struct {
	State   string `help:"Only those whose last run is in this state, for example WAITING_REPLY." placeholder:"STATE"`
	Limit   whole  `default:"20" help:"Most sessions; 0 means all." from:"0" to:"1000000"`
	JSON    bool   `help:"Print JSON."`
	DataDir string `key:"data_dir" help:"Where sessions are kept." placeholder:"DIR"`
}

// Run lists sessions.
func (c *sessionsListCmd) Run(ctx context.Context, a *invocation) error {
	if s := store.State(c.State); c.State != "" && !s.Known() {
		return app.Usage(fmt.Errorf("unknown state %q", c.State), "want one of "+
			strings.Trim(strings.ReplaceAll(fmt.Sprint(result.States), " ", ", "), "[]"))
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
					cmp.Or(s.Serial, "host"), s.Steps,
					s.State, s.Task}
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
	Session string `arg:"" help:"The session's id, or its beginning."`
	JSON    bool   `help:"Print JSON."`
	DataDir string `key:"data_dir" help:"Where sessions are kept." placeholder:"DIR"`
}

// Run prints one session.
func (c *sessionsShowCmd) Run(ctx context.Context, a *invocation) error {
	return a.readingSession(ctx, c.Session, func(db *store.Store, sess store.Session) error {
		shown, err := read(ctx, db, sess)
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(a.out, shown)
		}
		shown.print(a.out)
		return nil
	})
}

type sessionsExportCmd struct {
	Session string `arg:"" help:"The session's id, or its beginning."`
	Format  string `enum:"html,gelab" default:"html" help:"html (one page) or gelab (traces and images)."`
	Output  string `short:"o" help:"File for html (- for stdout), folder for gelab." placeholder:"PATH"`
	DataDir string `key:"data_dir" help:"Where sessions are kept." placeholder:"DIR"`
}

// Run writes a session out and prints the path.
func (c *sessionsExportCmd) Run(ctx context.Context, a *invocation) error {
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

// exportPage writes the HTML page, readable by its owner only: it shows what was on the screen.
func exportPage(ctx context.Context, db *store.Store, id, path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var f *os.File
	if err == nil {
		f, err = overwrite(path)
	}
	if err == nil {
		err = errors.Join(export.HTML(ctx, f, db, id), f.Close())
	}
	if e, is := errors.AsType[*fs.PathError](err); is && strings.HasPrefix(path, e.Path) {
		return hint.Add(fmt.Errorf("writing the page: %w", err), "name with -o a file that this "+
			"user may write, on a disk with room")
	}
	return err
}

// overwrite opens a file for writing from its beginning, readable by this user only, also when it
// was there. What is no file, such as a pipe, stays as it is.
func overwrite(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().IsRegular() {
		if err = f.Chmod(0o600); err == nil {
			err = f.Truncate(0)
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

type sessionsPruneCmd struct {
	OlderThan time.Duration `required:"" help:"How long they have not changed, for example 720h." placeholder:"DURATION"`
	DataDir   string        `key:"data_dir" help:"Where sessions are kept." placeholder:"DIR"`
}

// Run deletes old sessions with their frames.
func (c *sessionsPruneCmd) Run(ctx context.Context, a *invocation) error {
	if c.OlderThan <= 0 {
		return app.Usage(fmt.Errorf("--older-than is %s", c.OlderThan),
			"want a duration above 0, for example 720h")
	}
	return a.withStore(ctx, func(db *store.Store) error {
		n, err := db.Prune(ctx, time.Now().Add(-c.OlderThan))
		if err == nil {
			a.notef("deleted %s", plural(n, "session"))
		}
		return err
	})
}
