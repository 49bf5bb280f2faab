package terminal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/wait"
	"github.com/taploop/taploop/internal/words"
)

// Lines reads lines from a terminal.
type Lines interface {
	// Ask shows the prompt and returns the next line without its end. The input is not echoed if
	// secret. Ask returns when ctx ends. It returns io.EOF if the input is closed. It is not safe
	// for concurrent use.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// dialogue asks a person at a terminal one question at a time. It is safe for concurrent use.
type dialogue struct {
	lines Lines
	lang  string
	words *texts
	busy  wait.Mutex // held while a question is on the terminal
}

// New returns a Dialogue in the supported language that matches lang best.
func New(lines Lines, lang string) *dialogue {
	return &dialogue{lines: lines, lang: lang, words: textsIn(lang), busy: wait.NewMutex()}
}

// closedError says why the console takes no more replies. It is an io.EOF.
type closedError string

func (o closedError) Error() string { return string(o) }
func (o closedError) Unwrap() error { return io.EOF }

const (
	errEnded = closedError("the input at the terminal has ended")
	// the person has said that there is no answer in time
	errSilence = closedError("no answer in time was given here, and the question stays open")
)

// Ask asks a question until it is settled, and returns nil then. It passes replies to b, with
// resume. stop ends the run that asks. When ctx ends, Ask returns its cause. It returns io.EOF if
// the terminal is closed.
func (d *dialogue) Ask(
	ctx context.Context, b *inquiry.Broker, q inquiry.Question, resume json.RawMessage,
	stop func(),
) error {
	if err := d.busy.Lock(ctx); err != nil {
		return err
	}
	defer d.busy.Unlock()
	shown, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(d.words.closed(context.Cause(ctx))) })()
	q = q.In(d.lang)
	prompt := d.words.prompt(q)
	var typed []string // the answers to the question's parts so far
	for {
		line, err := d.lines.Ask(shown, prompt, q.Secret)
		if err := unread(ctx, err); err != nil {
			return err
		}
		said := strings.TrimSpace(line)
		if said == "/stop" {
			stop()
			return nil
		}
		if more, aside := d.aside(ctx, b, &q, line); aside {
			prompt = more
			continue
		}
		if said == "" {
			line = q.Suggestion.Answer
		}
		line = d.words.meant(q, line)
		r, err := q.Read(line)
		if err != nil {
			prompt = fmt.Sprintf("%v\n%s", err, d.words.again(q))
			continue
		}
		if whole := q.Parts(); whole > 1 && len(r.Decisions) > 0 {
			if typed = append(typed, line); len(typed) < whole {
				prompt = fmt.Sprintf("%d. %s", len(typed)+1, d.words.again(q))
				continue
			}
			r, _ = q.Read(typed...) // each line was parsed before
			typed = nil
		}
		if prompt, err = d.resolve(ctx, b, q, r, resume); prompt == "" {
			return err
		}
	}
}

// unread is why no line was read, or nil.
func unread(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, io.EOF):
		return errEnded
	case err != nil:
		return fmt.Errorf("asking at the terminal: %w", err)
	}
	return nil
}

// aside returns the next prompt after a line that is no answer. It returns false for an answer.
func (d *dialogue) aside(ctx context.Context, b *inquiry.Broker, q *inquiry.Question,
	line string) (prompt string, aside bool) {
	switch said := strings.TrimSpace(line); {
	case said == "/help":
		return d.words.help(*q) + d.words.again(*q), true
	case said == "/details" && hasDetails(*q):
		return actions(*q, inquiry.ActionRequest.Line) + d.words.again(*q), true
	case d.words.near(*q, line) != "":
		return d.words.near(*q, line) + "\n" + d.words.again(*q), true
	case said == "" && (q.Suggestion == nil || q.Secret):
		return d.empty(ctx, b, q), true
	}
	return "", false
}

// resolve settles the question. If it stays open, prompt is what to ask next, or "" for nothing.
func (d *dialogue) resolve(
	ctx context.Context, b *inquiry.Broker, q inquiry.Question, r inquiry.Reply,
	resume json.RawMessage,
) (prompt string, err error) {
	at := channel.ManualReply.Answer("")
	r.Channel, r.Authority, r.Resume = at.Channel, at.Authority, resume
	var unfit *inquiry.InvalidReplyError
	res, err := b.Resolve(ctx, q.ID, r)
	switch {
	case errors.As(err, &unfit):
		return fmt.Sprintf("%v\n%s", unfit, d.words.again(q)), nil
	case err != nil:
		return "", inquiry.UnlessLate(err)
	case !res.Question.Open(), res.Question.Deferred != nil: // a model is asked next
		return "", nil
	case q.OnTimeout.Model() != "":
		return d.words.Again, nil // until the model has answered
	}
	return "", errSilence
}

// empty returns the prompt after an empty line. It includes a draft that has arrived since.
func (d *dialogue) empty(ctx context.Context, b *inquiry.Broker, q *inquiry.Question) string {
	if now, err := b.Get(ctx, q.ID); err == nil && now.Suggestion != nil {
		q.Suggestion = now.Suggestion
		return d.words.suggestion(q.Suggestion) + d.words.Again
	}
	return d.words.again(*q)
}

// suggestion formats a draft of the answer. An empty line sends the draft.
func (w *texts) suggestion(s *inquiry.Suggestion) string {
	return fmt.Sprintf(w.Draft, text.Line(s.By), strings.ReplaceAll(text.Lines(s.Answer), "\n",
		"\n  "))
}

// texts are the texts for a person at a terminal in one language.
type texts struct {
	Asks, Answer, Again string
	Hidden              string // of a secret, in the place of Answer
	// what each thing that can be said does, by its name, and what anything else is
	Does          map[string]string
	Else          string
	Near, NotHere string // a command that is not one
	// Why a question was taken away.
	Halted, Answered, TurnOver, PassedOn string
	Screen                               string // for an action that waits
	Draft                                string // of the answer, by a model

	Kinds   map[inquiry.Kind]asking
	Details map[string]string // labels of details by name
}

var textsIn = words.Of[texts]("terminal")

// asking is the text before and after the questions of a kind.
type asking struct {
	Asks, Answer string
	Says         map[string]string // short words for the kind's offers
}

// of returns the texts of the question's kind. Other kinds list what the question offers.
func (w *texts) of(q inquiry.Question) asking {
	if how, is := w.Kinds[q.Kind]; is {
		return how
	}
	if q.Secret {
		return asking{Asks: w.Asks, Answer: w.Hidden}
	}
	offers := text.Each(q.Offers(), func(o inquiry.Offer) string {
		return strings.TrimSpace("/" + o.Name + " " + o.Words)
	})
	if offers == nil {
		return asking{Asks: w.Asks, Answer: w.Answer}
	}
	return asking{Asks: w.Asks, Answer: strings.Join(offers, ", ") + ": "}
}

// again returns the prompt after invalid input.
func (w *texts) again(q inquiry.Question) string {
	if how := w.of(q).Answer; how != w.Answer {
		return how
	}
	return w.Again
}

func (w *texts) prompt(q inquiry.Question) string {
	about, how := inquiry.As[inquiry.Approval](q), w.of(q)
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n  %s\n", how.Asks,
		strings.ReplaceAll(text.Lines(q.Text), "\n", "\n  "))
	details := q.Details()
	details = slices.DeleteFunc(details, func(d inquiry.Detail) bool {
		return d.Full || d.Text == ""
	})
	for i, d := range details {
		if d.Name == "option" {
			fmt.Fprintf(&b, "  %d. %s\n", i+1, text.Line(d.Text))
		}
	}
	if q.Suggestion != nil {
		b.WriteString(w.suggestion(q.Suggestion))
	}
	if len(about.ActionRequests) > 1 { // the question itself says what a single one is
		b.WriteString(actions(q, inquiry.ActionRequest.What))
	}
	for _, d := range details {
		if d.Name != "option" {
			fmt.Fprintf(&b, "  %s%s\n", cmp.Or(w.Details[d.Name], d.Name+": "), text.Line(d.Text))
		}
	}
	if q.Frame != "" && len(about.ActionRequests) > 0 {
		fmt.Fprintf(&b, "  %staploop inquiries %.8s --picture FILE.jpg\n", w.Screen, q.ID)
	}
	b.WriteString(how.Answer)
	return b.String()
}

// hasDetails reports whether the question is about actions, whose arguments are shown on demand.
func hasDetails(q inquiry.Question) bool {
	return len(inquiry.As[inquiry.Approval](q).ActionRequests) > 0
}

// actions lists the actions that the question is about.
func actions(q inquiry.Question, as func(inquiry.ActionRequest) string) string {
	var b strings.Builder
	for i, r := range inquiry.As[inquiry.Approval](q).ActionRequests {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, as(r))
	}
	return b.String()
}

// closed returns the error for a question that was taken from the console, for the person there.
func (w *texts) closed(cause error) error {
	var settled *route.ElsewhereError
	switch {
	case errors.Is(cause, route.ErrHalted):
		return errors.New(w.Halted)
	case errors.Is(cause, route.ErrTurnOver):
		return errors.New(w.TurnOver)
	case errors.Is(cause, route.ErrPassedOn):
		return errors.New(w.PassedOn)
	case errors.As(cause, &settled):
		return fmt.Errorf("%s (%s)", w.Answered, settled.How)
	}
	return cause
}
