package runs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/screen"
	"github.com/taploop/taploop/session"
)

// Answerer answers a question in a person's place.
type Answerer interface {
	Reply(ctx context.Context, task, question string, options []string, f *screen.Frame) (string, error)
}

// Console is where a person sits.
type Console interface {
	// Ask shows the prompt and returns the line that is typed, without its end. A secret line is not echoed. It returns when
	// ctx ends, and io.EOF when nobody can type any more. One caller at a time.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// agent is the authority of a model that answers in a person's place.
const agent = "agent"

// asker puts the questions of one life of a run to whoever answers in its reply mode.
type asker struct {
	f      *Fleet
	run    session.Run
	mode   ReplyMode
	parked *inquiry.Question // that the run waits for
}

// Ask implements agentloop.Asker.
func (a *asker) Ask(ctx context.Context, q agentloop.Question) (actions.Exchange, error) {
	x := actions.Exchange{Question: q.Info.Question}
	if a.mode == NoReply {
		x.Outcome = actions.NoReply
		return x, nil
	}
	if err := a.open(ctx, q); err != nil {
		return x, err
	}
	return x, agentloop.ErrParked
}

// open stores the question with the frame that it is about.
func (a *asker) open(ctx context.Context, q agentloop.Question) error {
	frame, err := a.f.store.SaveFrame(ctx, a.run, q.Step, q.Look.Frame)
	if err != nil {
		return fmt.Errorf("keeping the frame of a question: %w", err)
	}
	asked := inquiry.Question{SessionID: a.run.SessionID, RunID: a.run.ID, Fence: a.run.Fence, Step: q.Step,
		Kind: inquiry.Info, Task: q.Task, Text: q.Info.Question, Options: q.Info.Options, FreeText: true,
		Secret: q.Info.Secret || inquiry.AsksForSecret(q.Info.Question, q.Info.Options),
		Round:  q.Round, Frame: frame, OnTimeout: a.f.opts.OnTimeout}
	if err := a.f.put(&asked, a.mode); err != nil {
		return err
	}
	if asked, err = a.f.broker.Open(ctx, asked); err == nil {
		a.parked = &asked
	}
	return err
}

// atConsole asks the person at the console until there is an answer. It returns nil when the question is settled,
// agentloop.ErrStopped when the person wants the run to end, io.EOF when nobody is at the console, and the cause of ctx, which ends
// when the question is settled elsewhere.
func (f *Fleet) atConsole(ctx context.Context, q inquiry.Question) error {
	select {
	case f.console <- struct{}{}:
		defer func() { <-f.console }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	prompt := consolePrompt(q)
	for {
		line, err := f.opts.Console.Ask(ctx, prompt, q.Secret)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("nobody is at the console: %w", err)
		case err != nil:
			return fmt.Errorf("asking at the console: %w", err)
		}
		r := inquiry.Reply{Type: inquiry.TypeAnswer, Response: picked(line, q.Options), Channel: "console", Authority: "local_operator"}
		switch strings.TrimSpace(line) {
		case "":
			prompt = "Please type an answer / 请输入回答: "
			continue
		case "/stop":
			return agentloop.ErrStopped
		case "/refuse":
			r.Type, r.Response = inquiry.TypeDecline, ""
		}
		var unfit *inquiry.InvalidReplyError
		var taken *inquiry.AlreadyResolvedError
		_, err = f.broker.Resolve(ctx, q.ID, r)
		switch {
		case errors.As(err, &unfit):
			prompt = fmt.Sprintf("%v\nPlease type an answer / 请输入回答: ", unfit)
		case errors.As(err, &taken), errors.Is(err, inquiry.ErrGone):
			return nil
		default:
			return err
		}
	}
}

func consolePrompt(q inquiry.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe agent asks / 手机助手提问:\n  %s\n", strings.ReplaceAll(printable(q.Text), "\n", "\n  "))
	for i, o := range q.Options {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, printable(o))
	}
	b.WriteString("Answer (/refuse: do not answer, /stop: end the task) / 请回答(/refuse:不回答,/stop:停止任务): ")
	return b.String()
}

// printable is a model's text without what would steer a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
}

// picked is the option whose number was typed, else the line.
func picked(line string, options []string) string {
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(options) {
		return options[n-1]
	}
	return line
}

// answerInPlace lets the model answer a question in a person's place.
func (f *Fleet) answerInPlace(ctx context.Context, q inquiry.Question) error {
	var frame *screen.Frame
	if b, err := f.store.Frame(ctx, q.Frame); err == nil {
		if img, err := jpeg.Decode(bytes.NewReader(b)); err == nil {
			frame, _ = screen.NewFrame(img) // without a picture the model answers from the words
		}
	}
	text, err := f.opts.Answerer.Reply(ctx, q.Task, q.Text, q.Options, frame)
	if err != nil {
		return err
	}
	_, err = f.broker.Resolve(ctx, q.ID, inquiry.Reply{Response: text, Channel: "model", Authority: agent})
	var taken *inquiry.AlreadyResolvedError
	if errors.As(err, &taken) || errors.Is(err, inquiry.ErrGone) { // somebody else was faster
		return nil
	}
	return err
}
