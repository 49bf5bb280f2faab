package tty

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
)

// Console asks the person at the other end of the standard streams.
type Console struct {
	in   io.Reader
	out  io.Writer
	once sync.Once
	line chan inputLine
	read chan struct{} // holds one token when a line is wanted

	// A token was given, and its line has not come yet. Only Ask uses it.
	reading bool
	prompts atomic.Int64 // shown so far
}

// inputLine is one line, or the error of reading it.
type inputLine struct {
	text   string
	err    error
	prompt int64 // that was the last one when it was typed
}

func NewConsole(in io.Reader, out io.Writer) *Console {
	return &Console{in: in, out: out, line: make(chan inputLine), read: make(chan struct{}, 1)}
}

// Ask implements terminal.Lines. When ctx ends it says why. What was typed at a terminal before the
// prompt is dropped, be it a line or half of one, so that nothing answers a question that was
// not read. The read of a terminal cannot be called off, so one may still be under way for a
// question that was settled elsewhere.
func (c *Console) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	c.once.Do(func() { go c.lines() }) // ends with the input or with the process
	current := c.prompts.Add(1)
	// Both before the prompt: who types fast has begun when it is there. What is piped in was meant
	// beforehand, and stays.
	f, atTerminal := Of(c.in)
	if atTerminal {
		flushTyped(int(f.Fd()))
		if secret {
			if restore, ok := echoOff(int(f.Fd())); ok {
				defer fmt.Fprintln(c.out)
				defer restore()
			}
		}
	}
	if columns := Columns(c.out); columns > 0 {
		prompt = ansi.Wrap(prompt, columns, "")
	}
	fmt.Fprint(c.out, prompt)
	for {
		if !c.reading {
			c.read <- struct{}{}
			c.reading = true
		}
		select {
		case t := <-c.line:
			if c.reading = false; t.prompt != current && t.err == nil {
				continue
			}
			if !atTerminal {
				c.echo(t.text, secret)
			}
			return t.text, t.err
		case <-ctx.Done():
			fmt.Fprintf(c.out, "\n(%v)\n", context.Cause(ctx))
			return "", context.Cause(ctx)
		}
	}
}

// echo shows piped input, as a terminal shows typed input.
func (c *Console) echo(answer string, secret bool) {
	if secret {
		answer = ""
	}
	fmt.Fprintln(c.out, answer)
}

// lines reads one line for each token.
func (c *Console) lines() {
	r := bufio.NewReader(c.in)
	for range c.read {
		text, err := r.ReadString('\n')
		if text != "" {
			err = nil
		}
		c.line <- inputLine{strings.TrimRight(text, "\r\n"), err, c.prompts.Load()}
	}
}
