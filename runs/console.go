package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/channel"
	"github.com/taploop/taploop/internal/text"
)

// Console is where a person sits.
type Console interface {
	// Ask shows the prompt and returns the line that is typed, without its end. A secret line is
	// not echoed. It returns when ctx ends, and io.EOF when nobody can type any more. One caller at
	// a time.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// consoleChannel is the channel at which the person at the console is asked, one question at a
// time.
type consoleChannel struct {
	console Console
	broker  *inquiry.Broker
	busy    chan struct{}            // holds a token while a question is on the console
	stop    func(q inquiry.Question) // ends the run that asks
}

// Ask implements route.Asker. It asks until there is an answer; io.EOF means that the console is
// closed.
func (c *consoleChannel) Ask(ctx context.Context, q inquiry.Question) error {
	select {
	case c.busy <- struct{}{}:
		defer func() { <-c.busy }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	prompt := consolePrompt(q)
	for {
		line, err := c.console.Ask(ctx, prompt, q.Secret)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, io.EOF):
			return fmt.Errorf("nobody is at the console: %w", err)
		case err != nil:
			return fmt.Errorf("asking at the console: %w", err)
		}
		r := channel.ManualReply.Answer(picked(line, q.Options))
		switch strings.TrimSpace(line) {
		case "":
			prompt = "Please type an answer / 请输入回答: "
			continue
		case "/stop":
			c.stop(q)
			return nil
		case "/refuse":
			r.Type, r.Response = inquiry.TypeDecline, ""
		}
		var unfit *inquiry.InvalidReplyError
		_, err = c.broker.Resolve(ctx, q.ID, r)
		switch {
		case errors.As(err, &unfit):
			prompt = fmt.Sprintf("%v\nPlease type an answer / 请输入回答: ", unfit)
		case inquiry.Late(err):
			return nil
		default:
			return err
		}
	}
}

func consolePrompt(q inquiry.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nThe agent asks / 手机助手提问:\n  %s\n",
		strings.ReplaceAll(text.Lines(q.Text), "\n", "\n  "))
	for i, o := range q.Options {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, text.Line(o))
	}
	b.WriteString(
		"Answer (/refuse: do not answer, /stop: end the task) / 请回答(/refuse:不回答,/stop:停止任务): ",
	)
	return b.String()
}

// picked is the option whose number was typed, else the line.
func picked(line string, options []string) string {
	if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(options) {
		return options[n-1]
	}
	return line
}
