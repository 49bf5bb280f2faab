package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/app/serve"
	"github.com/taploop/taploop/internal/store"
)

type storeCmd struct {
	Migrate storeMigrateCmd `cmd:""`
	Check   storeCheckCmd   `cmd:""`
	Copy    storeCopyCmd    `cmd:""`
}

type storeMigrateCmd struct {
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run opens the store.
func (c *storeMigrateCmd) Run(ctx context.Context, a *invocation) error {
	return a.withStore(ctx, func(*store.Store) error {
		return a.tell(fmt.Sprintf("the store has schema %d", store.Schema()))
	})
}

type storeCheckCmd struct {
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run checks the store.
func (c *storeCheckCmd) Run(ctx context.Context, a *invocation) error {
	return a.withStore(ctx, func(db *store.Store) error {
		if err := db.Check(ctx); err != nil {
			return err
		}
		return a.tell("the store is whole")
	})
}

type storeCopyCmd struct {
	From       string `required:"" placeholder:"URL"`
	To         string `required:"" placeholder:"URL"`
	FramesFrom string `placeholder:"URL"`
	FramesTo   string `placeholder:"URL"`
	DataDir    string `key:"data_dir" placeholder:"DIR"`
}

// Run copies a store.
func (c *storeCopyCmd) Run(ctx context.Context, a *invocation) error {
	if err := a.Load(); err != nil {
		return err
	}
	open := func(opts store.Options, use func(*store.Store) error) error {
		db, err := store.Open(ctx, a.Conf.DataDir, &opts)
		if err != nil {
			return err
		}
		return app.Closing(use(db), db.Close)
	}
	of := store.Options{URL: c.From, Frames: cmp.Or(c.FramesFrom, a.Conf.Store.Frames),
		Existing: true}
	with := store.Options{URL: c.To, Frames: cmp.Or(c.FramesTo, a.Conf.Store.Frames),
		Pictured: true}
	err := open(of, func(from *store.Store) error {
		if _, err := serve.Tokens(a.Conf.DataDir, from); err != nil {
			return err
		}
		return open(with, func(to *store.Store) error {
			last := ""
			return from.Copy(ctx, to, func(what string, _ int) {
				if what != last {
					a.notef("%s", what)
				}
				last = what
			})
		})
	})
	if err != nil {
		return err
	}
	return a.tell("both stores have the same now; name the new one in store.url")
}
