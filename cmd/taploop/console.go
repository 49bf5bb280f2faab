package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// console asks the person at the other end of the standard streams.
type console struct {
	in   io.Reader
	out  io.Writer
	once sync.Once
	line chan typed
	read chan struct{} // holds one token when a line is wanted
}

// typed is one line, or why there is none.
type typed struct {
	text string
	err  error
}

func newConsole(in io.Reader, out io.Writer) *console {
	return &console{in: in, out: out, line: make(chan typed), read: make(chan struct{}, 1)}
}

// Ask implements runs.Console. The read of a terminal cannot be called off, so one may still be under way for a question that
// was settled elsewhere: what was typed before the prompt is dropped, so that no answer goes to another question.
func (c *console) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	c.once.Do(func() { go c.lines() }) // ends with the input or with the process
	select {
	case <-c.line:
	default:
	}
	if secret {
		if restore, ok := c.hide(); ok { // before the prompt: who types fast has begun when it is there
			defer fmt.Fprintln(c.out)
			defer restore()
		}
	}
	fmt.Fprint(c.out, prompt)
	select {
	case c.read <- struct{}{}:
	default: // a read is under way since an earlier question
	}
	select {
	case t := <-c.line:
		return t.text, t.err
	case <-ctx.Done():
		fmt.Fprintln(c.out)
		return "", context.Cause(ctx)
	}
}

// lines reads one line for each token.
func (c *console) lines() {
	r := bufio.NewReader(c.in)
	for range c.read {
		text, err := r.ReadString('\n')
		if text != "" {
			err = nil
		}
		c.line <- typed{strings.TrimRight(text, "\r\n"), err}
	}
}

// hide switches the terminal's echo off.
func (c *console) hide() (restore func(), ok bool) {
	f, ok := c.in.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return nil, false
	}
	return echoOff(int(f.Fd()))
}
