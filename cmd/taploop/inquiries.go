package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/files"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	questionroute "github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal/story"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

type inquiriesCmd struct {
	Question string `arg:"" optional:""`
	JSON     bool
	Picture  string `placeholder:"FILE.jpg"`
	All      bool
	DataDir  string `key:"data_dir" placeholder:"DIR"`
}

// Run lists questions, oldest first, or shows one. It needs no server: it reads the data folder.
func (c *inquiriesCmd) Run(ctx context.Context, a *invocation) error {
	return a.reading(ctx, func(db *store.Store) error {
		b, now := app.NewBroker(&a.Settings, db), time.Now()
		if !db.ReadOnly() { // without a server the clock was not looked at
			if err := b.Sweep(ctx, now); err != nil {
				return err
			}
		}
		if c.Question != "" {
			return c.show(ctx, a, b, db)
		}
		if c.Picture != "" {
			return app.Usage(errors.New("--picture is of one question"),
				"taploop inquiries ID --picture FILE.jpg")
		}
		f, column, of := inquiry.Filter{Status: inquiry.Pending}, "CHANNELS", channelsOf
		if c.All {
			f.Status, column = "", "STATUS"
			of = func(q inquiry.Question) string { return outcome(q, a.term) }
		}
		list, err := b.List(ctx, f)
		if err != nil {
			return err
		}
		id := tableIDs(a, list, idOf)
		session := tableIDs(a, list, func(q inquiry.Question) string { return q.SessionID })
		return printList(a, c.JSON, list, "no questions",
			"QUESTION SESSION AGE UNTIL "+column+" TEXT", func(q inquiry.Question) []any {
				return []any{id(q), cmp.Or(session(q), "-"), age(now.Sub(q.AskedAt)),
					q.ExpiresAt.Local().Format(toMinute), cmp.Or(a.term(of(q)), "-"),
					wording(q.In(a.Lang()), a.term)}
			})
	})
}

// show prints one question with all that is needed to answer it.
func (c *inquiriesCmd) show(ctx context.Context, a *invocation, b *inquiry.Broker,
	db *store.Store) error {
	q, err := identify(ctx, b, c.Question)
	if err != nil {
		return err
	}
	if c.Picture != "" {
		return writePicture(ctx, db, q, c.Picture)
	}
	if c.JSON {
		return printJSON(a.out, q)
	}
	return printQuestion(a.out, a.Lang(), q.In(a.Lang()))
}

// printQuestion prints all of a question for people, with the commands that go on from there.
func printQuestion(out io.Writer, lang string, q inquiry.Question) error {
	w := &tty.Fields{To: out, Lang: lang}
	w.Line("question", q.ID)
	w.Line("status", outcome(q, func(s string) string { return words.Phrase(lang, s) }))
	w.Line("session", q.SessionID)
	w.Line("asked", q.AskedAt.Local().Format(time.DateTime))
	w.Line("until", q.ExpiresAt.Local().Format(time.DateTime))
	w.Line("channels", words.Phrase(lang, channelsOf(q)))
	w.Line("task", q.Task)
	w.Line("text", q.Text)
	for _, d := range q.Details() {
		if d.Name == "decide" || d.Name == "severity" || d.Name == "run" { // not others' words
			d.Text = words.Phrase(lang, d.Text)
		}
		w.Line(d.Name, d.Text)
	}
	if q.Frame != "" {
		w.Line("screen", "taploop inquiries "+prefix(q.ID, 8)+" --picture FILE.jpg")
	}
	if q.Suggestion != nil {
		w.Line("drafted", q.Suggestion.Answer+" ("+words.Phrase(lang, "by the model")+" "+
			q.Suggestion.By+")")
	}
	w.Line("models", q.Usage.String())
	if q.Secret && q.Open() {
		w.Line("secret", "taploop reply "+prefix(q.ID, 8)+" -")
	}
	if q.Resolution != nil {
		w.Line("answer", q.Resolution.Response.String())
		w.Line("reason", q.Resolution.Why)
	}
	return w.Err
}

// writePicture writes the screen that a question is about to a file that there is not yet.
func writePicture(ctx context.Context, db *store.Store, q inquiry.Question,
	file string) error {
	if q.Frame == "" {
		return fmt.Errorf("question %s has no picture: its screen was not seen", prefix(q.ID, 8))
	}
	b, err := db.Frame(ctx, q.Frame)
	if errors.Is(err, store.ErrNotFound) {
		return fmt.Errorf("the picture of question %s is not kept any more", prefix(q.ID, 8))
	}
	if err == nil {
		b, err = export.Shrink(b, 1280, 90, export.Touched(q)...)
	}
	if err != nil {
		return err
	}
	f, err := files.Create(file)
	if errors.Is(err, fs.ErrExist) {
		return app.Usage(err, "name a file that there is not yet")
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return cmp.Or(err, f.Close())
}

// channelsOf is where a question can still be answered.
func channelsOf(q inquiry.Question) string {
	name := func(c inquiry.Channel) string { return text.Line(c.Name) }
	return strings.Join(text.Each(channel.Settling(q, questionroute.Left(q, false)), name), ", ")
}

// outcome is what became of a question, and through which channel.
func outcome(q inquiry.Question, term func(string) string) string {
	status := term(string(q.Status))
	if q.Resolution == nil {
		return status
	}
	if q.Resolution.Type == inquiry.TypeCouldNot {
		status = term("could not be done")
	}
	return status + " " + term("by") + " " + term(text.Line(q.Resolution.Who()))
}

// wording is the question in one line, with what sort of answer it wants.
func wording(q inquiry.Question, term func(string) string) string {
	line := text.Line(q.Text)
	sort := ""
	if q.Body != nil {
		sort = term(text.Line(q.Body.Sort()))
	}
	if q.LeftBehind {
		line = fmt.Sprintf("%s (%s)", line, term("the program that ran it has ended"))
	}
	switch {
	case q.Kind.Flag() != "" && q.Open():
		line += " (" + sort + ": " + story.Reply(q, true) + ")"
	case q.Kind.Flag() != "":
	case q.Secret:
		line += " (" + term("secret") + ": " + story.Reply(q, true) + ")"
	case sort != "":
		line += " (" + sort + ")"
	}
	return line
}

func idOf(q inquiry.Question) string { return q.ID }
