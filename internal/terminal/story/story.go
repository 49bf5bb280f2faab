// Package story tells a run at a terminal while it happens, in people's words: a line for each
// step, below them the one under way, and how it ended.
package story

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/terminal"
	"github.com/taploop/taploop/internal/terminal/tty"
	"github.com/taploop/taploop/internal/text"
	"github.com/taploop/taploop/internal/words"
)

// Story tells one run. It is the run's console, too: nothing is rewritten while a question is on
// the terminal. It is safe for concurrent use.
type Story struct {
	Words
	out     io.Writer
	live    *tty.Status // nil where nothing can be rewritten
	paint   tty.Painter
	console terminal.Lines

	mu      sync.Mutex
	pending []runs.Event  // that came before Begin
	begun   chan struct{} // closed by Begin
	max     int
	base    int // steps of the session before this call
	asked   bool
	gone    bool // no more answers come from here
	warned  int  // of the run's warnings, how many are known
}

// New returns a Story that is printed on out, and asks at the console. Asked says that whoever
// answers the questions knows them, so that they are not repeated.
func New(out io.Writer, paint tty.Painter, console terminal.Lines, lang string,
	asked bool) *Story {
	return &Story{Words: In(lang), out: out, live: tty.StatusOf(out), paint: paint,
		console: console, begun: make(chan struct{}), asked: asked}
}

// Begin says which phone and session it is, and what has happened since.
func (s *Story) Begin(st runs.Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := st.Session.Device
	line := fmt.Sprintf(s.Session, st.Session.ID, text.Line(d.ID))
	if d.Model != "" {
		line += fmt.Sprintf(s.Model, text.Line(d.Model), text.Line(d.Android), d.Size)
	}
	s.line("", line)
	s.max, s.base = st.Run.MaxSteps, st.Session.Steps-st.Local
	close(s.begun)
	for _, e := range s.pending {
		s.tell(e)
	}
	s.pending = nil
}

// End erases the status line.
func (s *Story) End() { s.live.Show("") }

// Ask implements terminal.Lines.
func (s *Story) Ask(ctx context.Context, prompt string, secret bool) (string, error) {
	select {
	case <-s.begun: // the session comes first
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	s.mu.Lock()
	s.asked = true
	s.mu.Unlock()
	s.live.Show("")
	line, err := s.console.Ask(ctx, prompt, secret)
	if errors.Is(err, io.EOF) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.gone = true
	}
	return line, err
}

// Left reports whether the person has left a question to later.
func (s *Story) Left() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone
}

// Event implements the manager's observer.
func (s *Story) Event(e runs.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.begun:
		s.tell(e)
	default:
		s.pending = append(s.pending, e)
	}
}

func (s *Story) tell(e runs.Event) {
	w := s.Words
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
		s.present(e.Step, fmt.Sprintf(w.Act, actions.Brief(e.Step.Proposal.Action, w.Lang)))
	case agentloop.Stepped:
		s.live.Show("")
		s.step(e.Step)
	case agentloop.Asking, agentloop.Ended:
		s.live.Show("")
	case runs.PhoneAway:
		s.line("", w.Away)
		s.live.Show(w.Away)
	case runs.PhoneBusy:
		s.live.Show(w.Queue)
	case runs.StateChanged:
		s.state(e)
	}
}

// warn prints new warnings of the run. Earlier warnings were printed by earlier calls.
func (s *Story) warn(e runs.Event) {
	all := e.Progress.Warnings
	switch {
	case e.Kind == agentloop.Started:
		s.warned = len(all)
	case e.Kind == agentloop.Stepped:
		for _, w := range all[min(s.warned, len(all)):] {
			s.line(s.Warning, w.Text)
		}
		s.warned = len(all)
	}
}

func (s *Story) state(e runs.Event) {
	if e.State != store.Running {
		s.live.Show("")
		return
	}
	s.live.Show(s.Ready)
	if x := e.Progress.Exchanges; e.Progress.ReplyJustIn && len(x) > 0 {
		s.exchange(x[len(x)-1])
	}
}

// present shows the current phase of a step.
func (s *Story) present(st agentloop.Step, doing string) {
	s.live.Show(fmt.Sprintf(s.Now, st.Index-s.base, s.max) + doing)
}

// exchange says what came of a question, if there was one. What was asked and answered here is here
// already.
func (s *Story) exchange(x actions.Exchange) {
	known := s.asked && (x.Outcome == actions.Answered || x.Outcome == actions.Refused)
	if known || x.Question == "" {
		return
	}
	outcome := cmp.Or(s.Outcomes[x.Outcome], string(x.Outcome))
	said := fmt.Sprintf(s.Unanswered, text.Line(x.Question), outcome)
	if answer := text.Line(x.Answer); answer != "" {
		said = fmt.Sprintf(s.Exchange, text.Line(x.Question), outcome, answer)
	}
	s.line("         ", said)
}

// Mark is what came of a step: a tick, a cross, or the question that it asked.
func Mark(st agentloop.Step) tty.Span {
	_, gaveUp := st.Proposal.Action.(actions.Abort)
	switch {
	case st.Asks != "":
		return tty.Span{Tone: tty.Asks, Text: "?"}
	case st.Refusal != "" && !strings.HasPrefix(st.Refusal, agentloop.CutShort),
		st.Proposal.Action == nil, gaveUp:
		return tty.Span{Tone: tty.Bad, Text: "✗"}
	}
	return tty.Span{Tone: tty.Good, Text: "✓"}
}

// step says a step in one line: what was done or why, once, and how long it took.
func (s *Story) step(st agentloop.Step) {
	mark := Mark(st)
	mark.Text = fmt.Sprintf("%s %2d ", mark.Text, st.Index)
	s.paint.Line(s.out, mark, tty.Span{Text: s.Made(st)},
		tty.Span{Tone: tty.Faint, Text: s.Span(st.Timing.Total())})
	if st.Exchange != nil {
		s.exchange(*st.Exchange)
	}
}

// Repeated says that the reply was taken before.
func (s *Story) Repeated() { s.line("", s.Replayed) }

func (s *Story) line(label, said string) {
	s.paint.Line(s.out, tty.Span{Tone: tty.Faint, Text: label},
		tty.Span{Text: words.Phrase(s.Lang, said)})
}

// Ended says how the run ended, in one line, and why, if it is not done.
func (s *Story) Ended(st runs.Status) {
	fmt.Fprintln(s.out)
	tone, mark := tty.Bad, "✗ "
	said := fmt.Sprintf(s.Words.Ended, s.States[st.Run.State], s.spent(st.Usage))
	switch state := st.Run.State; {
	case state == store.Completed:
		tone, mark, said = tty.Good, "✓ ", fmt.Sprintf(s.Done, s.spent(st.Usage))
	case state.Waiting():
		tone, mark = tty.Asks, "? "
	}
	s.paint.Line(s.out, tty.Span{Tone: tone, Text: mark}, tty.Span{Tone: tty.Strong, Text: said})
	s.verified(&st.Run, s.line)
	if why := s.Reasons[st.Reason]; why != "" {
		s.line("  ", why)
		return
	}
	s.line("  ", s.InFront[string(st.Reason)])
	if st.Message != st.Run.Answer {
		s.line("  ", st.Message)
	}
	s.line("  "+s.Try, st.Hint)
}

// verified says what the end was held against, where that says something.
func (w *Words) verified(r *store.Run, line func(label, says string)) {
	v := r.Progress.Verification
	if v == nil || r.State != store.Completed {
		return
	}
	switch v.Verdict {
	case agentloop.IsVerified:
		line("  "+w.Verified, v.Evidence)
	case agentloop.Contradicted:
		line("  "+w.Contradicted, v.Evidence)
	}
	if v.Misfit != "" {
		line("  ", v.Misfit)
	}
}

// See names the command that shows the whole run.
func (s *Story) See(sessionID string) {
	s.paint.Line(s.out, tty.Span{Tone: tty.Faint, Text: s.Shows},
		tty.Span{Text: "taploop sessions show " + sessionID})
}
