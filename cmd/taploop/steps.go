package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/runs"
	"github.com/taploop/taploop/session"
	"github.com/taploop/taploop/session/export"
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
	fmt.Fprintf(s.out, "session %s on %s", st.Session.ID, text.Line(d.ID))
	if d.Model != "" {
		fmt.Fprintf(s.out, " (%s, Android %s, %s)", text.Line(d.Model), text.Line(d.Android),
			d.Size)
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
		fmt.Fprintf(s.out, "         asks: %s\n", text.Line(e.Question.Text))
	case runs.StateChanged:
		if x := e.Progress.Exchanges; e.State == session.Running && e.Progress.ReplyJustIn &&
			len(x) > 0 {
			s.exchange(x[len(x)-1])
		}
	}
}

func (s *steps) exchange(x actions.Exchange) {
	fmt.Fprintf(s.out, "         %s: %s\n", x.Outcome, text.Line(x.Answer))
}

func (s *steps) step(st agentloop.Step) {
	action := text.Cut(text.Line(export.Words(st.Proposal)), 80)
	fmt.Fprintf(s.out, "step %-3d %-44s %6s  (%s)\n", st.Index, action,
		st.Timing.Total().Round(10*time.Millisecond),
		s.count(st.Index-s.base))
	p := st.Proposal
	if s.thoughts && p.Thought != "" {
		fmt.Fprintf(s.out, "         thought: %s\n", text.Cut(text.Line(p.Thought), 200))
	}
	if p.Explain != "" {
		fmt.Fprintf(s.out, "         %s\n", text.Cut(text.Line(p.Explain), 200))
	}
	if st.Refusal != "" {
		fmt.Fprintf(s.out, "         the phone refused: %s\n", text.Line(st.Refusal))
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
