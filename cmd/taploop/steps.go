package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
)

// steps shows the steps of a run as they happen, one or a few lines each.
type steps struct {
	out      io.Writer
	thoughts bool // show what the model thought, too

	mu   sync.Mutex
	max  int
	base int // steps of the session before this call
}

// begin says which phone and session it is.
func (s *steps) begin(st runs.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := st.Session.Device
	fmt.Fprintf(s.out, "session %s on %s", st.Session.ID, clean(d.ID))
	if d.Model != "" {
		fmt.Fprintf(s.out, " (%s, Android %s, %s)", clean(d.Model), clean(d.Android), d.Size)
	}
	fmt.Fprintln(s.out)
	s.max, s.base = st.Run.MaxSteps, st.Session.Steps-st.Local
}

// event implements the manager's observer.
func (s *steps) event(e runs.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case agentloop.Stepped:
		s.step(e.Step)
	case agentloop.Asking:
		fmt.Fprintf(s.out, "         asks: %s\n", clean(e.Question.Text))
	case runs.StateChanged:
		if x := e.Progress.Exchanges; e.State == session.Running && e.Progress.ReplyJustIn && len(x) > 0 {
			s.exchange(x[len(x)-1])
		}
	}
}

func (s *steps) exchange(x actions.Exchange) {
	fmt.Fprintf(s.out, "         %s: %s\n", x.Outcome, clean(x.Answer))
}

func (s *steps) step(st agentloop.Step) {
	fmt.Fprintf(s.out, "step %-3d %-44s %6s  (%s)\n", st.Index, s.action(st), st.Timing.Total().Round(10*time.Millisecond), s.count(st.Index-s.base))
	p := st.Proposal
	if s.thoughts && p.Thought != "" {
		fmt.Fprintf(s.out, "         thought: %s\n", short(clean(p.Thought), 200))
	}
	if p.Explain != "" {
		fmt.Fprintf(s.out, "         %s\n", short(clean(p.Explain), 200))
	}
	if st.Refusal != "" {
		fmt.Fprintf(s.out, "         the phone refused: %s\n", clean(st.Refusal))
	}
	if st.Exchange != nil {
		s.exchange(*st.Exchange)
	}
}

func (s *steps) count(local int) string {
	if s.max == 0 {
		return fmt.Sprint(local)
	}
	return fmt.Sprintf("%d of at most %d", local, s.max)
}

func (s *steps) action(st agentloop.Step) string {
	if st.Proposal.Action == nil {
		return "(nothing that could be read)"
	}
	return short(clean(actions.Describe(st.Proposal.Action)), 80)
}

// clean makes text from models, phones and people fit for a terminal: one line, no control characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, text)
	return strings.TrimSpace(text)
}

// short cuts text to n characters.
func short(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return text
}
