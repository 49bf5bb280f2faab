package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// Stop returns once the phone is left alone: a gesture that has begun is finished, nothing else is
// done. A question that the run waits for is withdrawn by Cancel and by Takeover, and stays open
// under Pause. Stopping what has stopped changes nothing, but there has to be a run with a phone to
// take that over.
func (m *Manager) Stop(ctx context.Context, r StopRequest) (Status, error) {
	how, known := stopEffects[cmp.Or(r.Mode, Cancel)]
	if !known {
		return Status{}, invalid(fmt.Sprintf("use %q, %q or %q", Cancel, Pause, Takeover),
			"unknown mode %q", r.Mode)
	}
	sess, before, err := m.latest(ctx, r.SessionID)
	if err != nil {
		return Status{}, err
	}
	s, done := m.states.use(sess.ID)
	defer done()
	p := &stopCall{stopEffect: how, by: r.By, m: m, state: s, sess: sess}
	if p.to == store.WaitingTakeover {
		if err := p.canTakeOver(ctx, before); err != nil {
			return Status{}, err
		}
		if inquiry.IsPerson(p.by.Authority) {
			p.cause = errTakenByPerson
		}
	}
	if a := s.current(); a != nil {
		a.cancel(p.cause) // at once; the lock may be held by a call that waits for the phone
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	if err := p.carryOut(ctx, r); err != nil {
		return Status{}, err
	}
	// it is stopped: that is noted, although the caller may be gone by now
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	st, err := m.Status(ctx, sess.ID)
	if err == nil {
		err = p.note(ctx, before, st.Run)
	}
	return st, err
}

// carryOut returns once the phone is left alone, and the run is as it is to be. The caller has the
// session's lock.
func (p *stopCall) carryOut(ctx context.Context, r StopRequest) error {
	if a := p.state.current(); a != nil {
		a.cancel(p.cause)
		select {
		case <-a.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := p.halt(ctx)
	if err == nil && p.to == store.Cancelled {
		err = p.m.kindOf(p.sess.Kind()).stopped(ctx, r)
	}
	return err
}

// note writes into the audit who has stopped the run, if this did.
func (p *stopCall) note(ctx context.Context, before, now store.Run) error {
	if p.by == (Actor{}) || now.StopReason != p.reason ||
		before.ID == now.ID && before.State == now.State {
		return nil
	}
	e := p.by.entry()
	e.Event = p.event
	e.SessionID, e.RunID = now.SessionID, now.ID
	return p.m.store.Audit.Append(ctx, e)
}

// checkTakenOver refuses a program that would take the phone from a person who has taken it over.
func (p *stopCall) checkTakenOver(ctx context.Context, run store.Run) error {
	if run.State != store.WaitingTakeover || p.by == (Actor{}) ||
		inquiry.IsPerson(p.by.Authority) {
		return nil
	}
	q, err := p.m.broker.Get(ctx, run.QuestionID)
	if err != nil || !q.ForPeople() {
		return err
	}
	return Refuse(Forbidden, "wait until it is handed back, or have a person stop the run",
		"a person has taken the phone of session %s over, and only a person ends that",
		run.SessionID)
}

// halt moves a run that no goroutine of this Manager carries out. One that another process carries
// out finds itself superseded before its next gesture.
func (p *stopCall) halt(ctx context.Context) error {
	m := p.m
	run, err := m.currentRun(ctx, p.state, p.sess.ID)
	if err != nil {
		return err
	}
	if p.to == store.WaitingTakeover {
		return p.takeOver(ctx, run)
	}
	if err := p.checkTakenOver(ctx, run); err != nil {
		return err
	}
	// A pause that is meant is not picked up by who waits.
	if run.State.Terminal() || run.State == p.to && !pausedAlone(run) {
		return nil
	}
	now, err := m.store.Runs.Transition(ctx, run.ID,
		store.Change{To: p.to, Reason: p.reason, Err: p.cause.Error()})
	if superseded(err) { // it ended by itself meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	m.touches.Note(ctx, run.ID)
	m.desk.Cancel(ctx, run.QuestionID)
	m.lines.Release(ctx, p.sess.Serial, run.ID)
	if run.QuestionID != "" && p.to == store.Cancelled {
		// The store has withdrawn it with the change; this tells those who show it.
		if err := m.broker.Withdraw(ctx, run.QuestionID, "the run was stopped"); err != nil {
			m.log.WarnContext(ctx, "withdrawing", "question", run.QuestionID, "err", err)
		}
	}
	p.state.moved(now)
	return nil
}

// SayRequest says something to a session's run while it goes on, waits or is paused.
type SayRequest struct {
	SessionID string
	Text      string
	Mode      agentloop.MessageMode // "" means AsNote
	Key       string                // chosen by the sender: sent again it is not said twice
	By        Actor
}

const maxMessage = 2000 // characters

// Say keeps what is said, and returns. The run does not stop for it: its model is shown the words
// at its next step, or at the first one after a pause or an answer, and what it had decided before
// an instruction is not carried out. No run ends while there is something that it has not heard.
func (m *Manager) Say(ctx context.Context, r SayRequest) (Status, error) {
	if err := m.checkOpen(); err != nil {
		return Status{}, err
	}
	if r.Mode == "" {
		r.Mode = agentloop.AsNote
	}
	if err := checkMessage(r); err != nil {
		return Status{}, err
	}
	sess, run, err := m.latest(ctx, r.SessionID)
	switch {
	case err != nil:
		return Status{}, err
	case !run.State.Terminal():
		if err := m.kindOf(sess.Kind()).hears(sess); err != nil {
			return Status{}, err
		}
	}
	replayed, err := m.store.Runs.Say(ctx, run.ID,
		agentloop.Message{Mode: r.Mode, Text: r.Text}, r.Key, r.By.entry())
	if err != nil {
		return Status{}, messageRefusal(sess.ID, err)
	}
	st, err := m.Status(ctx, sess.ID)
	st.Replayed = replayed
	return st, err
}

func checkMessage(r SayRequest) error {
	switch n := utf8.RuneCountInString(r.Text); {
	case r.Mode != agentloop.AsNote && r.Mode != agentloop.AsInstruction:
		return invalid(fmt.Sprintf("use %q or %q", agentloop.AsNote, agentloop.AsInstruction),
			"unknown mode %q", r.Mode)
	case strings.TrimSpace(r.Text) == "":
		return invalid("say in a sentence or two what the agent should know or do",
			"the text is empty")
	case !utf8.ValidString(r.Text):
		return invalid("send the text as UTF-8", "the message is not text")
	case n > maxMessage:
		return invalid("say it in fewer words, or stop the run and start a new task",
			"the message has %d characters (want at most %d)", n, maxMessage)
	}
	return nil
}

// messageRefusal is why something could not be said.
func messageRefusal(sessionID string, err error) error {
	_, ended := errors.AsType[*store.StateError](err)
	switch {
	case ended:
		return Refuse(RunEnded, "continue the session with a new task",
			"the task of session %s has ended, or is just ending: nobody hears it", sessionID)
	case errors.Is(err, store.ErrMessageKey):
		return invalid("use a new key for a new message", "%w", store.ErrMessageKey)
	case errors.Is(err, store.ErrTooMuch):
		return Refuse(MessageLimit, "stop the run, and start a task that says it all", "%w",
			store.ErrTooMuch)
	}
	return err
}
