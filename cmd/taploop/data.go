package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/text"
)

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
			// The store can be read all the same.
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

// findSession finds the session whose id begins with the text, whoever it belongs to; "" and "-"
// are the one of this user that changed last.
func findSession(ctx context.Context, db *store.Store, id string) (store.Session, error) {
	if id != "" && id != "-" {
		x, err := db.Find(ctx, id, nil)
		return x, runs.UnknownSession(id, err)
	}
	list, err := db.Sessions(ctx, store.Filter{Owners: store.Owners{""}, Limit: 1})
	if err == nil && len(list) == 0 {
		err = runs.Refuse(runs.SessionNotFound, "taploop run \"TASK\"", "there is no session yet")
	}
	if err != nil {
		return store.Session{}, err
	}
	return list[0].Session, nil
}

// identify finds the question whose id begins with the text. One that is open goes before those
// that are settled.
func identify(ctx context.Context, b *inquiry.Broker, id string) (inquiry.Question, error) {
	q, err := b.Find(ctx, id, nil)
	_, several := errors.AsType[*inquiry.AmbiguousError](err)
	switch {
	case several:
		return q, app.Usage(err, "give more of the id")
	case errors.Is(err, inquiry.ErrNotFound):
		return q, hint.Add(fmt.Errorf("there is no question %q", text.Line(id)),
			"taploop inquiries lists the open ones, with --all also the others")
	}
	return q, err
}

// byCommandLine is who does something at the command line, for the audit.
func byCommandLine() store.AuditEntry {
	who := app.Operator()
	return store.AuditEntry{By: who.Name, Channel: who.Channel, Authority: who.Authority}
}

// exportPage writes the HTML page of a session, or of all with the id "", readable by its owner
// only: it shows what was on the screen.
func exportPage(ctx context.Context, db *store.Store, id, path string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	var f *os.File
	if err == nil {
		f, err = files.Overwrite(path)
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
