package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type backupCmd struct {
	File    string `arg:""`
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run writes a backup while servers and runs go on, also of a folder whose disk is full.
func (c *backupCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	if c.File == "-" {
		return app.Usage(errors.New("a backup is read back, which `-` cannot be"), "name a file")
	}
	if !store.Exists(a.Conf.DataDir, string(a.Conf.Store.URL)) {
		return app.Usage(fmt.Errorf("there is nothing in %s", a.Conf.DataDir),
			"name the data folder: --data-dir DIR")
	}
	return a.lend(ctx, &store.Options{Reading: true}, func(db *store.Store) error {
		sum, err := db.Backup(ctx, c.File)
		if err != nil {
			return err
		}
		return tellSummary(a, c.JSON, "backed up, and read back: ", sum)
	})
}

type restoreCmd struct {
	File    string `arg:""`
	Replace bool
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run makes the data folder from a backup.
func (c *restoreCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	sum, kept, err := store.Restore(ctx, c.File, a.Conf.DataDir, c.Replace)
	if err != nil {
		return err
	}
	a.notef("what was going on is paused, and schedules' times before now do not begin any more")
	if kept != "" {
		a.notef("what was there is in %s", kept)
	}
	return tellSummary(a, c.JSON, "restored: ", sum)
}

// tellSummary tells the contents of a backup.
func tellSummary(a *invocation, asJSON bool, what string, sum store.Summary) error {
	if asJSON {
		return printJSON(a.out, sum)
	}
	return a.tell(a.term(what) + a.term(fmt.Sprintf("%s, %s, %s, %s, %s, %s of the audit",
		text.Count(sum.Sessions, "session"), text.Count(sum.Steps, "step"),
		text.Count(sum.Pictures, "picture"), text.Count(sum.Questions, "question"),
		text.Count(sum.Skills, "skill"), text.Count(sum.Audit, "line"))))
}

type auditPruneCmd struct {
	Before  string `required:"" placeholder:"TIME"`
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run deletes the audit's old entries. That is noted in the audit, for ever.
func (c *auditPruneCmd) Run(ctx context.Context, a *invocation) error {
	before, err := parseSince(c.Before, time.Now())
	if err == nil && (before.IsZero() || before.After(time.Now())) {
		err = app.Usage(errors.New("--before is not in the past"),
			"write a date such as 2026-01-31")
	}
	if err != nil {
		return err
	}
	return a.withStore(ctx, func(db *store.Store) error {
		n, err := db.Audit.Prune(ctx, before, byCommandLine())
		if err == nil {
			a.notef("deleted %s from before %s, which the audit notes",
				text.Count(n, "line"), before.Local().Format(toMinute))
		}
		return err
	})
}
