package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/secret"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/usecase"
)

type continueCmd struct {
	Session string  `arg:"" optional:""`
	Task    string  `arg:"" optional:""`
	Reply   *string `placeholder:"TEXT"`
	Refuse  bool
	ReplyID string `placeholder:"ID"`
	Reset   bool   `name:"reset-environment"`
	taskFlags
}

// Run continues a session and follows it to its end.
func (c *continueCmd) Run(ctx context.Context, a *invocation) error {
	if c.Reply != nil && c.Refuse {
		return app.Usage(fmt.Errorf("--reply and --refuse are both given"), "keep one of them")
	}
	c.answers = c.Reply != nil || c.Refuse
	if c.Task == "" && strings.ContainsAny(c.Session, " \t\n") { // no id has spaces
		c.Session, c.Task = "", c.Session
	}
	if h, err := c.ofHost(ctx, a); err != nil {
		return err
	} else if h != nil {
		return h.resume(ctx, a)
	}
	how, err := c.running()
	if err != nil {
		return err
	}
	return c.follow(ctx, a, func(d *app.Parts, call *usecase.Call) (*usecase.Outcome, error) {
		sess, err := findSession(ctx, d.Store, c.Session)
		if err != nil {
			return nil, err
		}
		call.Client = sess.Client
		r := usecase.Continue{SessionID: sess.ID, Task: c.Task, ReplyMode: c.ReplyMode,
			Reset: c.Reset, Here: a.asksHere(c.JSON) && !c.answers, Running: how}
		if c.answers {
			r.ReplyID = c.ReplyID
		}
		if c.Refuse {
			r.ReplyType = inquiry.TypeDecline
		}
		if c.Reply != nil {
			if r.Words, err = c.answer(ctx, a, d.Cases, call, sess.ID); err != nil {
				return nil, err
			}
		}
		return d.Cases.Continue(ctx, call, r)
	})
}

// ofHost is the command that goes on with a session of taploop host, nil when it is another one, or
// none can be found.
func (c *continueCmd) ofHost(ctx context.Context, a *invocation) (*hostCmd, error) {
	var sess store.Session
	err := a.withStore(ctx, func(db *store.Store) (err error) {
		sess, err = findSession(ctx, db, c.Session)
		return err
	})
	if err != nil || sess.Kind() != store.OfAgents {
		return nil, nil // the error is found again, and reported with the next command
	}
	if c.answers {
		return nil, app.Usage(fmt.Errorf("session %s is one of taploop host", sess.ID),
			"taploop inquiries names its questions, and taploop reply ID answers one")
	}
	return &hostCmd{Resume: sess.ID, Goal: c.Task, JSON: c.JSON}, nil
}

// answer is the words of the reply: those of the command line, or of stdin.
func (c *continueCmd) answer(ctx context.Context, a *invocation, cases *usecase.Cases,
	call *usecase.Call, id string) (string, error) {
	o, err := cases.Wait(ctx, call, usecase.Wait{SessionID: id})
	if err != nil {
		return "", err
	}
	typed := *c.Reply == "-"
	switch q := o.Status.Question; {
	case *c.Reply == "":
		return "", app.Usage(errors.New("--reply is empty"), "--reply TEXT, or --refuse")
	case q != nil && typed:
		return a.typed(ctx, *q)
	case q != nil && q.Secret && !secret.Acknowledges(*c.Reply):
		return "", app.Usage(errOpenly,
			"taploop continue "+id+" --reply -    (and type it, or pipe it in)")
	case typed && c.ReplyID != "": // perhaps the same reply again
		return a.typed(ctx, inquiry.Question{})
	}
	return *c.Reply, nil // without a question it is refused, or the same reply again
}
