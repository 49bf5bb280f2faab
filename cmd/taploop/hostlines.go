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
	"github.com/taploop/taploop/internal/app"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store/export"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
)

// hostLines print at a terminal what agents do, as they do it. They are the console of the work,
// too: while a question is on the terminal, lines are held back until it is answered.
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

// Task implements goals.Watcher.
func (l *hostLines) Task(session, serial, task string) {
	l.mu.Lock()
	if l.phones == nil {
		l.phones = map[string]string{}
	}
	l.phones[session] = serial
	l.mu.Unlock()
	l.line("    %s: %s (%s)", text.Line(serial), text.Cut(text.Line(task), mostTold),
		fmt.Sprintf(l.words().Session, session))
}

// Waits implements goals.Watcher.
func (l *hostLines) Waits(serial string) {
	if serial == "" {
		l.line("    %s", l.words().Queue)
		return
	}
	l.line("    "+l.words().Held, text.Line(serial))
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
	if l.person == nil {
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
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf(format+"\n", args...)
	if l.asking {
		l.held = append(l.held, line)
		return
	}
	fmt.Fprint(l.out, line)
}

func (l *hostLines) words() hostWords { return wordsIn(l.lang).Host }

// Opened implements goals.Watcher.
func (l *hostLines) Opened(session string, h *agents.Host) {
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

// Event implements goals.Watcher. Those of an agent below another one stand further to the right.
func (l *hostLines) Event(e agents.Event) {
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

// questions asks at the terminal what waits for a person, in the session and those of its phones,
// one after the other, or says where it can be answered, until ctx ends.
func (l *hostLines) questions(ctx context.Context, d *app.Parts, st runs.Status) {
	events := d.UseCases.Questions.Subscribe()
	defer events.Close()
	known := map[string]bool{}
	for {
		open, err := d.Cases.Open(ctx, st)
		if err != nil && ctx.Err() == nil {
			l.line("%s", text.Line(err.Error()))
		}
		for _, q := range open {
			if !known[q.ID] {
				known[q.ID] = true
				l.question(ctx, d.Cases, q)
			}
		}
		for e := (inquiry.Event{}); e.Type != inquiry.Created && e.Type != inquiry.Lost; {
			if e, err = events.Next(ctx); err != nil {
				return
			}
		}
	}
}

func (l *hostLines) question(ctx context.Context, cases *usecase.Cases, q inquiry.Question) {
	if !l.asks() {
		l.waits(q)
		return
	}
	err := cases.AskHere(ctx, q)
	l.asked()
	if err != nil && ctx.Err() == nil { // it stays open
		l.waits(q)
	}
}

// printAgent prints an agent with its calls.
func printAgent(p tty.Sheet, a agents.Shown) {
	by := strings.Repeat("  ", strings.Count(a.ID, "-"))
	fmt.Fprintln(p.To)
	p.Line(fmt.Sprintf("%sagent %s ", by, a.ID), strings.TrimSpace(a.Role+" "+a.Goal))
	for _, c := range a.Calls {
		if c.Result == "" {
			c.Result = "(no result)"
		}
		p.Line(fmt.Sprintf("%s  %s  ", by, c.ID), c.Name+" "+c.Args)
		if c.SessionID != "" {
			p.Line(by+"    session ", c.SessionID)
		}
		label := "= "
		if c.Failed {
			label = "failed: "
		}
		p.Line(by+"    "+label, text.Cut(c.Result, 400))
	}
	p.Line(by+"  answer: ", a.Answer)
}
