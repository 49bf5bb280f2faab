package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/secret"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
)

type replyCmd struct {
	Question string   `arg:""`
	Text     *string  `arg:"" optional:""`
	Field    []string `placeholder:"NAME=VALUE" sep:"none"`
	Done     bool
	CouldNot bool
	Approve  bool
	Edit     *string `placeholder:"JSON"`
	Reject   *string `placeholder:"WHY"`
	Respond  *string `placeholder:"ANSWER"`
	Delegate bool
	Timeout  bool
	Decision []string `placeholder:"TYPE[=TEXT]" sep:"none"`
	Refuse   bool
	Remember string `placeholder:"session|app|always"`
	ReplyID  string `placeholder:"ID"`
	JSON     bool
	DataDir  string `key:"data_dir" placeholder:"DIR"`
}

// errOpenly refuses a secret on the command line.
var errOpenly = errors.New("the answer is a secret, and others can read the command line")

// maxAnswer is more than the bytes of any answer that is taken.
const maxAnswer = 1 << 20

// Run answers a question in the data folder. The server that waits for it, in whatever process,
// notices within a second.
func (c *replyCmd) Run(ctx context.Context, a *invocation) error {
	said, err := c.said()
	if err != nil {
		return err
	}
	return a.withStore(ctx, func(db *store.Store) error {
		b := app.NewBroker(&a.Settings, db)
		q, err := identify(ctx, b, c.Question)
		if err != nil {
			return err
		}
		r, err := c.reply(ctx, a, q, said)
		if err != nil {
			return err
		}
		res, err := b.Resolve(ctx, q.ID, r)
		if err != nil {
			return c.refused(ctx, a, db, err)
		}
		return c.taken(a, res)
	})
}

// said returns the decisions of the flags, none if the answer is in words.
func (c *replyCmd) said() (said []inquiry.Said, err error) {
	given := 0
	for _, f := range []struct {
		set  bool
		name string
		text *string
	}{{c.Refuse, "refuse", c.Text}, {c.Delegate, "delegate", c.Text},
		{c.Timeout, "timeout", c.Text},
		{c.Done, "done", c.Text}, {c.CouldNot, "cannot", c.Text}, {c.Approve, inquiry.Approve, nil},
		{c.Edit != nil, inquiry.Edit, c.Edit}, {c.Reject != nil, inquiry.Reject, c.Reject},
		{c.Respond != nil, inquiry.Respond, c.Respond}} {
		if f.set {
			given++
			said = []inquiry.Said{{Name: f.name}}
			if f.text != nil {
				said[0].Words = *f.text
			}
		}
	}
	if len(c.Decision) > 0 {
		given++
	}
	for _, words := range c.Decision {
		name, more, _ := strings.Cut(words, "=")
		said = append(said, inquiry.Said{Name: name, Words: more})
		if !inquiry.IsOffer(name) {
			return nil, app.Usage(fmt.Errorf("--decision %q is no decision", text.Cut(words, 40)),
				"approve, edit=JSON, reject=WHY or respond=ANSWER")
		}
	}
	if given > 1 {
		return nil, app.Usage(errors.New("--refuse, --delegate, --timeout, --done, --could-not, "+
			"--approve, --edit, --reject, --respond and --decision exclude each other"),
			"give one of them")
	}
	if c.decides() && (c.Text != nil || len(c.Field) > 0) {
		return nil, app.Usage(errors.New("there is a decision and an answer in words"),
			"give one of them")
	}
	return said, nil
}

// decides reports whether a flag is about actions.
func (c *replyCmd) decides() bool {
	return c.Approve || c.Edit != nil || c.Reject != nil || c.Respond != nil || len(c.Decision) > 0
}

// reply is what the flags and the words say to the question.
func (c *replyCmd) reply(ctx context.Context, a *invocation, q inquiry.Question,
	said []inquiry.Said) (r inquiry.Reply, err error) {
	if !c.decides() {
		words, err := c.response(ctx, a, q)
		if err != nil {
			return r, err
		}
		if len(said) == 0 {
			r.Response = words
		} else {
			said[0].Words = words
		}
	}
	if len(said) > 0 {
		r, err = q.Say(said...)
	}
	if _, unread := errors.AsType[*inquiry.EditError](err); unread {
		return r, app.Usage(fmt.Errorf("edit: %w", err), "taploop inquiries ID shows the "+
			"action as it can be edited")
	}
	r.ID, r.Channel, r.Authority = c.ReplyID, inquiry.ChannelCommandLine,
		inquiry.AuthorityLocalOperator
	r.By, r.Remember = app.UserName(), inquiry.Scope(c.Remember)
	return r, err
}

// response is the words of the answer.
func (c *replyCmd) response(ctx context.Context, a *invocation, q inquiry.Question) (
	string, error) {
	// an answer without a text
	wordless := c.Refuse || c.Delegate || c.Timeout || c.Done || c.CouldNot
	switch {
	case c.Text != nil && len(c.Field) > 0:
		return "", app.Usage(errors.New("there is a text and --field"), "give one of them")
	case len(c.Field) > 0 && wordless:
		return "", app.Usage(errors.New("--field is of an answer, and there is none"),
			"leave --field out, or --refuse, --delegate, --timeout, --done and --could-not")
	case len(c.Field) > 0:
		words, err := q.Filled(c.Field...)
		if err != nil {
			err = app.Usage(err, "")
		}
		return words, err
	case c.Text == nil && wordless:
		return "", nil
	case c.Text == nil && q.Kind.Flag() != "":
		ways := text.Each(q.Offers(), func(o inquiry.Offer) string {
			return strings.TrimSpace(o.Flag() + " " + o.Words)
		})
		return "", app.Usage(errors.New("there is no decision"), "taploop reply "+
			prefix(q.ID, 8)+" "+strings.Join(ways, ", "))
	case c.Text == nil && q.Secret:
		return "", app.Usage(errors.New("there is no answer"),
			"taploop reply "+prefix(q.ID, 8)+" -, or --refuse")
	case c.Text == nil:
		return "", app.Usage(errors.New("there is no answer"), "taploop reply ID TEXT, or --refuse")
	case *c.Text == "-":
		return a.typed(ctx, q)
	case q.Secret && !wordless && q.Open() && !secret.Acknowledges(*c.Text):
		return "", app.Usage(errOpenly,
			"taploop reply "+prefix(q.ID, 8)+" -    (and type it, or pipe it in)")
	}
	return *c.Text, nil
}

// typed reads the answer from stdin: all that is piped in, or a line from a terminal, without an
// echo. A draft at a terminal is many lines, and no secret.
func (a *invocation) typed(ctx context.Context, q inquiry.Question) (string, error) {
	_, terminal := tty.Of(a.in)
	switch {
	case terminal && inquiry.As[inquiry.Ask](q).Draft == "":
		fmt.Fprintln(a.err, text.Cut(text.Line(q.Text), 200))
		text, err := tty.NewConsole(a.in, a.err).Ask(ctx, wordsIn(a.Lang()).Hidden, true)
		if errors.Is(err, io.EOF) {
			return "", errors.New("nothing was typed; the question is still open")
		}
		return text, err
	case terminal:
		a.notef("%s", wordsIn(a.Lang()).Whole)
	}
	return a.piped("the answer")
}

// piped reads all of stdin.
func (a *invocation) piped(what string) (string, error) {
	text, err := io.ReadAll(io.LimitReader(a.in, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", what, err)
	}
	return string(text), nil
}

// replyResult is what became of a reply, for programs.
type replyResult struct {
	Status   string           `json:"status"` // the question's own: "answered", "refused", ...
	Taken    bool             `json:"taken"`
	Replayed bool             `json:"replayed,omitempty"`
	Question inquiry.Question `json:"question"` // with the winner's resolution
}

// refused says why the reply was not taken.
func (c *replyCmd) refused(ctx context.Context, a *invocation, db *store.Store, err error) error {
	why, is := inquiry.RefusalOf(err)
	switch {
	case !is:
		return err
	case why.Question == nil:
		return app.Usage(fmt.Errorf("the reply cannot be taken: %w", err), why.Hint)
	}
	q := *why.Question
	if q.RunID != "" {
		if latest, err := db.LatestRun(ctx, q.SessionID); err == nil {
			why.Hint = latest.AfterLate(q)
		}
	}
	if c.JSON {
		if err := printJSON(a.out, replyResult{Status: string(q.Status), Question: q}); err != nil {
			return err
		}
	}
	if why.Code != inquiry.CodeResolved { // only another answer is exit code 3
		return hint.Add(err, why.Hint)
	}
	r := q.Resolution
	who := a.phrase(text.Line(r.Who()))
	if r.Authority != "" {
		who += " (" + a.phrase(r.Authority) + ")"
	}
	if said := text.Line(r.Response.String()); said != "" {
		who += ": " + text.Cut(said, 200)
	}
	at := r.At.Local()
	a.notef("taploop: too late: the question was %s %s at %s by %s, %s after it was asked",
		q.Status, at.Format(time.DateOnly), at.Format(time.TimeOnly), who,
		age(r.At.Sub(q.AskedAt).Round(time.Second)))
	a.try(why.Hint)
	return ended(exitNotCompleted)
}

func (c *replyCmd) taken(a *invocation, res inquiry.Result) error {
	q := res.Question
	if c.JSON {
		return printJSON(a.out, replyResult{string(q.Status), true, res.Replayed, q})
	}
	if res.Replayed {
		a.notef("this reply was taken before")
	}
	switch {
	case q.Open() && q.Deferred != nil:
		a.notef("a model is asked in its place; the question stays open until it has answered")
	case q.Open():
		a.notef("the question stays open: that is what on_timeout says (%s)",
			cmp.Or(q.OnTimeout, inquiry.Pause))
	case q.SessionID != "":
		a.notef("whatever runs it goes on by itself; when nothing does: taploop continue %s",
			q.SessionID)
	}
	return a.tell(string(q.Status))
}
