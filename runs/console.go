package runs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
)

// Console is where a person sits.
type Console interface {
	// Ask shows the prompt and returns the line that is typed, without its end. A secret line is not echoed. It returns when
	// ctx ends, and io.EOF when nobody can type any more. One caller at a time.
	Ask(ctx context.Context, prompt string, secret bool) (string, error)
}

// atConsole asks the person at the console until there is an answer. It returns nil when the question is settled,
// agentloop.ErrStopped when the person wants the run to end, io.EOF when nobody is at the console, and the cause of ctx, which ends
// when the question is settled elsewhere.
func (f *Manager) atConsole(ctx context.Context, q inquiry.Question) error {
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
		r := inquiry.Reply{Type: inquiry.TypeAnswer, Response: picked(line, q.Options), Channel: inquiry.ChannelConsole, Authority: inquiry.AuthorityLocalOperator}
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
		_, err = f.broker.Resolve(ctx, q.ID, r)
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
