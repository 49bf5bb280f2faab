package story

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
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/usecase"
	"github.com/taploop/taploop/internal/words"
)

// Goals print at a terminal what agents do, as they do it. They are the console of the work, too:
// while a question is on the terminal, lines are held back until it is answered. Goals are safe for
// concurrent use.
type Goals struct {
	Words GoalWords
	opts  GoalOptions

	mu     sync.Mutex
	phones map[string]string // of the sessions below, by session
	asking bool
	held   []string // meanwhile
	left   bool     // the person leaves questions to later
}

// GoalOptions say where agents are told of, and who is asked.
type GoalOptions struct {
	Out    io.Writer
	Lang   string
	Person terminal.Lines // nil: no question is asked here
	// Attended says that a person reads Out.
	Attended bool
}

// GoalWords are the texts of the story of agents in one language.
type GoalWords struct {
	Session, Down, Waits, Failed, Queue, Pausing, Slow, Unpriced, Unmatched, Held string
	Spent, Calls, OneCall, Goal, Next                                             string
}

var goalWordsIn = words.Of[GoalWords]("goals")

// NewGoals returns what tells of agents.
func NewGoals(o GoalOptions) *Goals {
	return &Goals{Words: *goalWordsIn(o.Lang), opts: o, phones: map[string]string{}}
}

// Task implements goals.Watcher.
func (l *Goals) Task(session, serial, task string) {
	l.mu.Lock()
	l.phones[session] = serial
	l.mu.Unlock()
	l.Line("    %s: %s (%s)", text.Line(serial), text.Cut(text.Line(task), mostTold),
		fmt.Sprintf(l.Words.Session, session))
}

// Waits implements goals.Watcher.
func (l *Goals) Waits(serial string) {
	if serial == "" {
		l.Line("    %s", l.Words.Queue)
		return
	}
	l.Line("    "+l.Words.Held, text.Line(serial))
}

// Ask implements terminal.Lines.
func (l *Goals) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	line, err := l.opts.Person.Ask(ctx, prompt, secret)
	if errors.Is(err, io.EOF) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.left = true
		fmt.Fprintln(l.opts.Out) // behind the prompt
	}
	return line, err
}

// asks reports whether the next question is asked here. Then nothing is printed until asked is
// called.
func (l *Goals) asks() bool {
	if l.opts.Person == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = !l.left
	return l.asking
}

// asked prints what has happened while a question was asked here.
func (l *Goals) asked() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asking = false
	for _, line := range l.held {
		fmt.Fprint(l.opts.Out, line)
	}
	l.held = nil
}

// Step shows a step of a phone. It is an observer of runs.
func (l *Goals) Step(e runs.Event) {
	if e.Kind != agentloop.Stepped {
		return
	}
	l.mu.Lock()
	serial := l.phones[e.SessionID]
	l.mu.Unlock()
	l.Line("    %s %d: %s", text.Line(serial), e.Step.Index, In(l.opts.Lang).Made(e.Step))
}

// Line prints a line, at once or after the question that is on the terminal.
func (l *Goals) Line(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := fmt.Sprintf(format+"\n", args...)
	if l.asking {
		l.held = append(l.held, line)
		return
	}
	fmt.Fprint(l.opts.Out, line)
}

// Opened implements goals.Watcher.
func (l *Goals) Opened(session string, h *agents.Host) {
	w := l.Words
	l.Line(w.Session, session)
	for _, d := range h.Down() {
		l.Line(w.Down, text.Line(d.Server), WhyDown(d))
	}
	for _, p := range h.Unmatched() {
		l.Line(w.Unmatched, text.Line(p))
	}
}

// WhyDown is why a server cannot be reached, without its name, which stands before it.
func WhyDown(d agents.Down) string {
	return text.Line(strings.TrimPrefix(d.Err.Error(), "the server "+d.Server+": "))
}

// Spent is what the work has cost.
func (l *Goals) Spent(u agents.Spent) string {
	w := l.Words
	calls := w.OneCall
	if u.Calls != 1 {
		calls = fmt.Sprintf(w.Calls, u.Calls)
	}
	return fmt.Sprintf(w.Spent, calls, u.PromptTokens, u.CompletionTokens)
}

// mostTold is how many characters of somebody's words are told.
const mostTold = 200

// Event implements goals.Watcher. Those of an agent below another one stand further to the right.
func (l *Goals) Event(e agents.Event) {
	words := text.Cut(text.Line(e.Text), mostTold)
	switch e.Kind {
	case "call":
		words = text.Line(e.Name) + " " + words
	case "result":
		if e.Failed {
			words = l.Words.Failed + words
		}
		words = "= " + words
	case "goal":
		if e.Agent == agents.First {
			return
		}
		words = text.Line(e.Role) + ": " + words
	case "slow":
		l.Line(l.Words.Slow, text.Line(e.Name))
		return
	case "end":
		return // the result of the call, or the answer, says it
	}
	id := e.Agent
	if e.Call != "" {
		id = e.Call
	}
	depth := strings.Count(e.Agent, "-")
	l.Line("%s[%s] %s", strings.Repeat("  ", depth), id, words)
}

// waits tells that a question is to be answered elsewhere, and how.
func (l *Goals) waits(q inquiry.Question) {
	var more strings.Builder
	for _, o := range inquiry.As[inquiry.Ask](q).Options {
		fmt.Fprintf(&more, "\n  - %s", text.Line(o))
	}
	asks := text.Cut(text.Line(q.In(l.opts.Lang).Text), mostTold)
	l.Line(l.Words.Waits, asks, more.String(), Reply(q, l.opts.Attended))
}

// Questions asks at the terminal what waits for a person, in the session and those of its phones,
// one after the other, or says where it can be answered, until ctx ends.
func (l *Goals) Questions(ctx context.Context, cases *usecase.Cases, broker *inquiry.Broker,
	st runs.Status) {
	events := broker.Subscribe()
	defer events.Close()
	known := map[string]bool{}
	for {
		open, err := cases.Open(ctx, st)
		if err != nil && ctx.Err() == nil {
			l.Line("%s", text.Line(err.Error()))
		}
		for _, q := range open {
			if !known[q.ID] {
				known[q.ID] = true
				l.question(ctx, cases, q)
			}
		}
		for e := (inquiry.Event{}); e.Type != inquiry.Created && e.Type != inquiry.Lost; {
			if e, err = events.Next(ctx); err != nil {
				return
			}
		}
	}
}

func (l *Goals) question(ctx context.Context, cases *usecase.Cases, q inquiry.Question) {
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
