package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/agents"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/text"
)

// hostLines tell at a terminal what agents do, as they do it; nil tells nothing. They are the
// console of the work, too: nothing is told while a question is on the terminal, but after it.
type hostLines struct {
	out    io.Writer
	lang   string
	person terminal.Lines // nil: no question is asked here

	mu     sync.Mutex
	phones map[string]string // of the sessions below, by session
	asking bool
	held   []string // meanwhile
	left   bool     // the person leaves questions to later
}

// phone tells what a phone is to do, in which session.
func (l *hostLines) phone(session, serial, task string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	if l.phones == nil {
		l.phones = map[string]string{}
	}
	l.phones[session] = serial
	l.mu.Unlock()
	l.line("    %s: %s (%s)", text.Line(serial), text.Cut(text.Line(task), mostTold),
		fmt.Sprintf(l.words().Session, session))
}

// Ask implements terminal.Lines.
func (l *hostLines) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	line, err := l.person.Ask(ctx, prompt, secret)
	if errors.Is(err, io.EOF) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.left = true
		fmt.Fprintln(l.out) // behind the prompt
	}
	return line, err
}

// asks reports whether the next question is asked here. Then nothing is printed until asked is
// called.
func (l *hostLines) asks() bool {
	if l == nil || l.person == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = !l.left
	return l.asking
}

// asked prints what has happened while a question was asked here.
func (l *hostLines) asked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = false
	for _, line := range l.held {
		fmt.Fprint(l.out, line)
	}
	l.held = nil
}

// step shows a step of a phone. It is an observer of runs.
func (l *hostLines) step(e runs.Event) {
	if e.Kind != agentloop.Stepped {
		return
	}
	l.mu.Lock()
	serial := l.phones[e.SessionID]
	l.mu.Unlock()
	l.line("    %s %d: %s", text.Line(serial), e.Step.Index, export.Headline(e.Step.Proposal))
}

func (l *hostLines) line(format string, args ...any) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf(format+"\n", args...)
	if l.asking {
		l.held = append(l.held, line)
		return
	}
	fmt.Fprint(l.out, line)
}

func (l *hostLines) words() hostWords {
	if l == nil {
		return wordsIn("").Host
	}
	return wordsIn(l.lang).Host
}

func (l *hostLines) begin(session string, h *agents.Host) {
	w := l.words()
	l.line(w.Session, session)
	for _, d := range h.Down() {
		l.line(w.Down, text.Line(d.Server), whyDown(d))
	}
	for _, p := range h.Unmatched() {
		l.line(w.Unmatched, text.Line(p))
	}
}

// whyDown is why a server cannot be reached, without its name, which stands before it.
func whyDown(d agents.Down) string {
	return text.Line(strings.TrimPrefix(d.Err.Error(), "the server "+d.Server+": "))
}

func (l *hostLines) spent(u agents.Spent) string {
	w := l.words()
	calls := w.OneCall
	if u.Calls != 1 {
		calls = fmt.Sprintf(w.Calls, u.Calls)
	}
	return fmt.Sprintf(w.Spent, calls, u.PromptTokens, u.CompletionTokens)
}

// mostTold is how many characters of somebody's words are told.
const mostTold = 200

// event tells an event. Those of an agent below another one stand further to the right.
func (l *hostLines) event(e agents.Event) {
	words := text.Cut(text.Line(e.Text), mostTold)
	switch e.Kind {
	case "call":
		words = text.Line(e.Name) + " " + words
	case "result":
		if e.Failed {
			words = l.words().Failed + words
		}
		words = "= " + words
	case "goal":
		if e.Agent == agents.First {
			return
		}
		words = text.Line(e.Role) + ": " + words
	case "slow":
		l.line(l.words().Slow, text.Line(e.Name))
		return
	case "end":
		return // the result of the call, or the answer, says it
	}
	id := e.Agent
	if e.Call != "" {
		id = e.Call
	}
	depth := strings.Count(e.Agent, "-")
	l.line("%s[%s] %s", strings.Repeat("  ", depth), id, words)
}

// waits tells that a question is to be answered elsewhere, and how.
func (l *hostLines) waits(q inquiry.Question) {
	var more strings.Builder
	for _, r := range inquiry.As[inquiry.Approval](q).ActionRequests {
		fmt.Fprintf(&more, "\n  %s", text.Cut(text.Line(r.Edited()), mostTold))
	}
	for _, o := range inquiry.As[inquiry.Ask](q).Options {
		fmt.Fprintf(&more, "\n  - %s", text.Line(o))
	}
	l.line(l.words().Waits, text.Cut(text.Line(q.Text), mostTold), more.String(), replyTo(q))
}
