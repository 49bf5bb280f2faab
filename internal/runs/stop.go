package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/wait"
)

// Stop stops a session's run. It returns once nothing touches the phone any longer. A gesture that
// has begun is finished first. Cancel and Takeover withdraw an open question. Pause leaves it open.
// Stopping a stopped run changes nothing. Takeover requires a run with a phone.
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
		a.cancel(p.cause) // at once, as a call that waits for the phone may hold the lock
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return Status{}, err
	}
	defer unlock()
	if err := p.carryOut(ctx, r); err != nil {
		return Status{}, err
	}
	// The run is stopped, so this is recorded even if the caller has gone.
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	st, err := m.Status(ctx, sess.ID)
	if err == nil {
		err = p.note(ctx, before, st.Run)
	}
	return st, err
}

// carryOut stops the run, and returns once nothing touches the phone and the new state is stored.
// The caller holds the session's lock.
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
	if err == nil && p.to == store.Cancelled && p.sess.Kind() == store.OfAgents {
		err = goalKind{p.m}.stopBelow(ctx, r)
	}
	return err
}

// note records in the audit who stopped the run, if this call did.
func (p *stopCall) note(ctx context.Context, before, now store.Run) error {
	if p.by == (Actor{}) || now.StopReason != p.reason ||
		before.ID == now.ID && before.State == now.State {
		return nil
	}
	e := p.by.Entry("")
	e.Event = p.event
	e.SessionID, e.RunID = now.SessionID, now.ID
	return p.m.store.Audit.Append(ctx, e)
}

// checkTakenOver returns an error if a program would take the phone from a person.
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

// halt changes the state of a run that no goroutine of this Manager carries out. Another process
// that does so notices before its next gesture.
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
	// A deliberate pause replaces one that would end by itself.
	endsAlone := pausedAlone(run) || parkedForPhone(run)
	if run.State.Terminal() || run.State == p.to && !endsAlone {
		return nil
	}
	now, err := m.store.Runs.Transition(ctx, run.ID,
		store.Change{To: p.to, Reason: p.reason, Err: p.cause.Error()})
	if superseded(err) { // it ended in the meantime
		return nil
	}
	if err != nil {
		return err
	}
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	m.touches.Note(ctx, run.ID)
	m.desk.Cancel(ctx, run.QuestionID)
	letGo(ctx, &m.store.Leases, p.sess.Serial, run.ID)
	m.lines.Release(ctx, p.sess.Serial, run.ID)
	if run.QuestionID != "" && p.to == store.Cancelled {
		// The store has already withdrawn the question. This notifies its channels.
		if err := m.broker.Withdraw(ctx, run.QuestionID, "the run was stopped"); err != nil {
			m.log.WarnContext(ctx, "withdrawing", "question", run.QuestionID, "err", err)
		}
	}
	p.state.moved(ctx, now)
	return nil
}

// letGo waits until the process that carried the run out touches the phone no longer, but not for
// one that hangs.
func letGo(ctx context.Context, phones *store.Leases, serial, runID string) {
	const each, most = otherProcessPoll / 10, 10 * otherProcessPoll
	for began := time.Now(); serial != "" && time.Since(began) < most; {
		h, held, err := phones.Holder(ctx, serial)
		if err != nil || !held || h.RunID != runID || wait.For(ctx, each) != nil {
			return
		}
	}
}

// SayRequest sends a message to a session's run that is queued, running, waiting or paused.
type SayRequest struct {
	SessionID string
	Text      string
	Mode      agentloop.MessageMode // "" for AsNote
	Key       string                // chosen by the sender, prevents duplicates
	By        Actor
}

const maxMessage = 2000 // characters

// Say stores a message for the run's model and returns. The model sees it at its next step, or at
// the first one after a pause or an answer. If the message is an instruction, what the model had
// decided before is discarded. A run does not end before the model has seen all messages.
func (m *Manager) Say(ctx context.Context, r SayRequest) (Status, error) {
	if err := m.checkOpen(); err != nil {
		return Status{}, err
	}
	r.Mode = cmp.Or(r.Mode, agentloop.AsNote)
	if err := checkMessage(r); err != nil {
		return Status{}, err
	}
	sess, run, err := m.latest(ctx, r.SessionID)
	switch {
	case err != nil:
		return Status{}, err
	case !run.State.Terminal() && sess.Kind() == store.OfAgents:
		return Status{}, invalid("pause it, and say it when it goes on (taploop continue "+sess.ID+
			" WORDS), or say it to the session of one of its phones", "session %s is one of "+
			"taploop host, whose agents cannot be spoken to in between", sess.ID)
	}
	replayed, err := m.store.Runs.Say(ctx, run.ID,
		agentloop.Message{Mode: r.Mode, Text: r.Text}, r.Key, r.By.Entry(""))
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

// messageRefusal converts the store's error about a message to one with a code.
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

// Stop ends the run that asks, for the person at the console.
func (a asker) Stop(q inquiry.Question) {
	m := a.m
	r := channel.ManualReply.Answer("")
	by := Actor{Channel: r.Channel, Authority: r.Authority}
	_, err := m.Stop(m.ctx, StopRequest{SessionID: q.SessionID, By: by})
	if err != nil && m.ctx.Err() == nil {
		m.log.Error("stopping from the console", "session", q.SessionID, "err", err)
	}
}

// stopBelow withdraws the agents' questions and stops their sessions on phones as r says.
func (k goalKind) stopBelow(ctx context.Context, r StopRequest) error {
	err := k.m.WithdrawAll(ctx, r.SessionID, "the run was stopped")
	below, failed := k.m.store.Sessions(ctx, store.Filter{Parent: r.SessionID})
	err = errors.Join(err, failed)
	for _, x := range below {
		r.SessionID = x.ID
		_, failed := k.m.Stop(ctx, r)
		err = errors.Join(err, failed)
	}
	return err
}
