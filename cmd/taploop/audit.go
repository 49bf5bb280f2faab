package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

type auditCmd struct {
	List  auditListCmd  `cmd:"" default:"withargs"`
	Prune auditPruneCmd `cmd:""`
}

type auditListCmd struct {
	Session  string `placeholder:"ID"`
	Question string `placeholder:"ID"`
	Since    string `placeholder:"TIME"`
	Limit    whole  `default:"100" from:"0" to:"1000000"`
	JSON     bool
	DataDir  string `key:"data_dir" placeholder:"DIR"`
}

// Run lists the audit, oldest first.
func (c *auditListCmd) Run(ctx context.Context, a *invocation) error {
	since, err := parseSince(c.Since, time.Now())
	if err != nil {
		return err
	}
	return a.reading(ctx, func(db *store.Store) error {
		if c.Question != "" {
			q, err := identify(ctx, app.NewBroker(&a.Settings, db), c.Question)
			if _, several := errors.AsType[*inquiry.AmbiguousError](err); several {
				return err
			} else if err == nil {
				c.Question = q.ID // else it may be one of a session that was deleted
			}
		}
		if c.Session != "" {
			x, err := findSession(ctx, db, c.Session)
			if runs.CodeOf(err) == runs.InvalidArgument {
				return err
			} else if err == nil {
				c.Session = x.ID // else it may have been deleted
			}
		}
		list, err := db.Audit.List(ctx, store.AuditFilter{SessionID: c.Session,
			QuestionID: c.Question, Since: since, Limit: int(c.Limit)})
		if err != nil {
			return err
		}
		sessions := tableIDs(a, list, func(e store.AuditEntry) string { return e.SessionID })
		questions := tableIDs(a, list, func(e store.AuditEntry) string { return e.QuestionID })
		layout := time.DateTime
		if tty.Columns(a.out) > 0 {
			layout = toMinute
		}
		return printList(a, c.JSON, list, "nothing is in the audit that fits",
			"TIME EVENT QUESTION SESSION CHANNEL BY TOOK WORDS", func(e store.AuditEntry) []any {
				e.SessionID, e.QuestionID = sessions(e), questions(e)
				return auditRow(a, e, layout)
			})
	})
}

func auditRow(a *invocation, e store.AuditEntry, layout string) []any {
	took := ""
	if e.Took > 0 {
		took = e.Took.Round(time.Millisecond).String()
	}
	switch e.Event {
	case store.AuditRemembered, store.AuditGranted, store.AuditGrantEnded, store.AuditUnasked:
		e.Text = a.term(e.Text)
	}
	words := text.Line(strings.TrimSpace(e.Text + " " + e.Answer))
	row := []any{e.At.Local().Format(layout), a.term(string(e.Event))}
	for _, cell := range []string{e.QuestionID, e.SessionID,
		a.term(e.Channel), actorOf(e, a.term), took, words} {
		row = append(row, cmp.Or(cell, "-"))
	}
	return row
}

// actorOf is who acted, and with which authority.
func actorOf(e store.AuditEntry, term func(string) string) string {
	by, authority := text.Line(e.By), term(text.Line(e.Authority))
	switch {
	case authority == "":
		return by
	case by == "":
		return authority
	}
	return by + " (" + authority + ")"
}
