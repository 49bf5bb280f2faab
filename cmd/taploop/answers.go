package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/text"
)

type answersCmd struct {
	List   answersListCmd   `cmd:"" default:"withargs"`
	Forget answersForgetCmd `cmd:""`
}

type answersListCmd struct {
	JSON    bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run lists the remembered answers.
func (c *answersListCmd) Run(ctx context.Context, a *invocation) error {
	return a.reading(ctx, func(db *store.Store) error {
		list, err := db.Answers.List(ctx, nil)
		if err != nil {
			return err
		}
		return printList(a, c.JSON, list, "no answer is remembered",
			"ID SINCE FOR USED BY ANSWER QUESTION", func(m inquiry.Remembered) []any {
				scope := a.term(string(m.Scope))
				if name := m.App + m.SessionID; name != "" {
					scope += " " + name
				}
				return []any{m.ID, m.At.Local().Format("2006-01-02"), scope, m.Uses, m.By,
					text.Cut(m.Answer, 60), text.Cut(m.Question, 100)}
			})
	})
}

type answersForgetCmd struct {
	ID      []string `arg:"" optional:""`
	All     bool
	DataDir string `key:"data_dir" placeholder:"DIR"`
}

// Run takes remembered answers back.
func (c *answersForgetCmd) Run(ctx context.Context, a *invocation) error {
	if c.All == (len(c.ID) > 0) {
		return app.Usage(errors.New("it is not said what is to be forgotten"),
			"taploop answers forget ID, or --all")
	}
	return a.withStore(ctx, func(db *store.Store) error {
		ids, err := c.wanted(ctx, db)
		if err != nil {
			return err
		}
		for _, id := range ids {
			gone, err := db.Answers.Forget(ctx, id, nil, byCommandLine())
			if err != nil {
				return err
			}
			for _, m := range gone {
				if _, err := fmt.Fprintf(a.out, "%s: %s: %s\n", a.term("forgotten"),
					text.Line(m.Question), text.Line(m.Answer)); err != nil {
					return err
				}
			}
			if len(gone) == 0 {
				a.notef("there was nothing to forget")
			}
		}
		return nil
	})
}

// wanted are the whole ids. "" means all answers.
func (c *answersForgetCmd) wanted(ctx context.Context, db *store.Store) ([]string, error) {
	if c.All {
		return []string{""}, nil
	}
	list, err := db.Answers.List(ctx, nil)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range c.ID {
		found := slices.DeleteFunc(slices.Clone(list), func(m inquiry.Remembered) bool {
			return id == "" || !strings.HasPrefix(m.ID, strings.ToLower(id))
		})
		if len(found) != 1 {
			return nil, hint.Add(fmt.Errorf("%d remembered answers begin with %q", len(found),
				text.Line(id)), "taploop answers lists them")
		}
		ids = append(ids, found[0].ID)
	}
	return ids, nil
}
