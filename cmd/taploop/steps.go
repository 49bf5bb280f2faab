package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/text"
)

// steps shows a run as it happens: a line for each step, and below them at a terminal what is being
// done now. It is the run's console, too: nothing is rewritten while a question is on the terminal.
type steps struct {
	out     io.Writer
	live    *statusLine // nil where nothing can be rewritten
	words   texts
	console terminal.Lines

	mu      sync.Mutex
	pending []runs.Event  // that came before begin
	begun   chan struct{} // closed by begin
	max     int
	base    int // steps of the session before this call
	asked   bool
	gone    bool // no more answers come from here
	warned  int  // of the run's warnings, how many are known
}

func (a *invocation) newSteps(console terminal.Lines) *steps {
	return &steps{out: a.err, live: statusOf(a.err), words: wordsIn(a.Lang()), console: console,
		begun: make(chan struct{})}
}

// begin says which phone and session it is, and what has happened since.
func (s *steps) begin(st runs.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := st.Session.Device
	line := fmt.Sprintf(s.words.Session, st.Session.ID, text.Line(d.ID))
	if d.Model != "" {
		line += fmt.Sprintf(s.words.Model, text.Line(d.Model), text.Line(d.Android), d.Size)
	}
	s.line("", line)
	s.max, s.base = st.Run.MaxSteps, st.Session.Steps-st.Local
	close(s.begun)
	for _, e := range s.pending {
		s.tell(e)
	}
	s.pending = nil
}

// end erases the status line.
func (s *steps) end() { s.live.show("") }

// Ask implements terminal.Lines.
func (s *steps) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	select {
	case <-s.begun: // the session comes first
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	s.mu.Lock()
	s.asked = true
	s.mu.Unlock()
	s.live.show("")
	line, err := s.console.Ask(ctx, prompt, secret)
	if errors.Is(err, io.EOF) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gone = true
	}
	return line, err
}

// left reports whether the person has left a question to later.
func (s *steps) left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// event implements the manager's observer.
func (s *steps) event(e runs.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.begun:
		s.tell(e)
	default:
		s.pending = append(s.pending, e)
	}
}

func (s *steps) tell(e runs.Event) {
	w := s.words
	s.warn(e)
	switch e.Kind {
	case agentloop.Looking:
		s.present(e.Step, w.Look)
	case agentloop.Settled, agentloop.Looked:
		s.present(e.Step, w.Think)
	case agentloop.Decided:
		s.present(e.Step, w.Check)
	case agentloop.Acted:
		s.present(e.Step, w.Note)
	case agentloop.Acting:
		s.present(e.Step, fmt.Sprintf(w.Act, actions.Brief(e.Step.Proposal.Action, w.lang)))
	case agentloop.Stepped:
		s.live.show("")
		s.step(e.Step)
	case agentloop.Asking, agentloop.Ended:
		s.live.show("")
	case runs.PhoneBusy:
		s.live.show(w.Queue)
	case runs.StateChanged:
		s.state(e)
	}
}

// warn prints new warnings of the run. Earlier warnings were printed by earlier calls.
func (s *steps) warn(e runs.Event) {
	all := e.Progress.Warnings
	switch {
	case e.Kind == agentloop.Started:
		s.warned = len(all)
	case e.Kind == agentloop.Stepped:
		for _, w := range all[min(s.warned, len(all)):] {
			s.line(s.words.Warning, w.Text)
		}
		s.warned = len(all)
	}
}

func (s *steps) state(e runs.Event) {
	if e.State != store.Running {
		s.live.show("")
		return
	}
	s.live.show(s.words.Ready)
	if x := e.Progress.Exchanges; e.Progress.ReplyJustIn && len(x) > 0 {
		s.exchange(x[len(x)-1])
	}
}

// present shows the current phase of a step.
func (s *steps) present(st agentloop.Step, doing string) {
	s.live.show(fmt.Sprintf(s.words.Now, st.Index-s.base, s.max) + doing)
}

// exchange says what came of a question, if there was one. What was asked and answered here is here
// already.
func (s *steps) exchange(x actions.Exchange) {
	known := s.asked && (x.Outcome == actions.Answered || x.Outcome == actions.Refused)
	if known || x.Question == "" {
		return
	}
	outcome := cmp.Or(s.words.Outcomes[x.Outcome], string(x.Outcome))
	said := fmt.Sprintf(s.words.Unanswered, text.Line(x.Question), outcome)
	if answer := text.Line(x.Answer); answer != "" {
		said = fmt.Sprintf(s.words.Exchange, text.Line(x.Question), outcome, answer)
	}
	s.line("         ", said)
}

// step says a step in one line: what was done or why, once, and how long it took.
func (s *steps) step(st agentloop.Step) {
	s.line(fmt.Sprintf(s.words.Step, st.Index), s.words.made(st))
	if st.Exchange != nil {
		s.exchange(*st.Exchange)
	}
}

func (s *steps) line(label, words string) {
	fmt.Fprint(s.out, wrapped(label, words, columnsOf(s.out)))
}
