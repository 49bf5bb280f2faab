package runs

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
)

// canTakeOver refuses to take over the phone of a run that has ended, and one that another session
// has.
func (p *stopCall) canTakeOver(ctx context.Context, r store.Run) error {
	if err := p.m.kindOf(p.sess.Kind()).takesOver(p.sess); err != nil {
		return err
	}
	if r.State.Terminal() {
		return Refuse(NothingToTakeOver, "give the session a new task, or use the phone as it is",
			"the session's last task has ended (%s): there is no run to hand the phone back to",
			r.State)
	}
	return p.m.free(ctx, p.sess)
}

// takeOver hands the phone of a run over that no goroutine of this Manager carries out. What the
// run had asked is withdrawn; an answer that was taken is applied. What a person takes over, only
// people hand back. The caller has the session's lock.
func (p *stopCall) takeOver(ctx context.Context, run store.Run) error {
	m, person := p.m, inquiry.IsPerson(p.by.Authority)
	if run.State == store.WaitingTakeover {
		if person {
			return m.broker.Claim(ctx, run.QuestionID)
		}
		return nil
	}
	if err := p.canTakeOver(ctx, run); err != nil {
		return err
	}
	if !atRest(run) { // in another process
		return Refuse(RunInProgress, "stop it there",
			"the run is carried out by another process, which has to be asked")
	}
	return p.takePhone(ctx, run, person)
}

// takePhone is takeOver of a run that is at rest.
func (p *stopCall) takePhone(ctx context.Context, run store.Run, person bool) error {
	m := p.m
	set, err := settingsOf(run)
	if err != nil {
		return err
	}
	asked, err := m.store.Runs.Unused(ctx, run)
	if err != nil {
		return err
	}
	ctx, cancel := asking.Detached(ctx)
	defer cancel()
	if err := m.store.Leases.Take(ctx, p.sess.Serial, run.ID); err != nil {
		return err
	}
	change := store.Change{From: []store.State{run.State}, Fence: run.Fence,
		To: store.WaitingTakeover, Reason: agentloop.TakeoverNeeded}
	if asked != nil && !asked.Open() {
		change.Apply, change.Exchange = asked.ID, exchangeOf(*asked, m.opts.Lang)
	}
	q, err := m.desk.Open(ctx, inquiry.Question{SessionID: p.sess.ID, RunID: run.ID,
		Fence: run.Fence, Kind: inquiry.KindTakeover, Task: run.Task,
		Body: &inquiry.Takeover{PeopleOnly: person},
		Text: textsIn(m.opts.ConsoleLang).asked(person)},
		personalMode(set.ReplyMode))
	if err != nil {
		return err
	}
	change.Question = q.ID
	now, err := m.store.Runs.Transition(ctx, run.ID, change)
	if err != nil {
		m.desk.Withdraw(ctx, q.ID, p.cause)
		return err
	}
	if asked != nil {
		m.desk.Cancel(ctx, asked.ID)
		if asked.Open() {
			m.desk.Withdraw(ctx, asked.ID, p.cause)
		}
	}
	m.desk.Route(q.ID)
	p.state.moved(now)
	return nil
}

// ByHand is what a person does on a phone that was taken over.
type ByHand struct {
	Serial string
	Client *string // whose session has to have the phone; nil is anybody's
	By     Actor
	What   string // the kind of touch, which is counted; nothing else is kept of it
}

// HeldBy says which run has the phone; false when it is free, or when a session of another client
// has it.
func (m *Manager) HeldBy(
	ctx context.Context, serial string, client *string,
) (h store.Hold, held bool, err error) {
	h, held, err = m.store.Leases.Holder(ctx, serial)
	if err != nil || !held || client != nil && h.Client != *client {
		return store.Hold{}, false, err
	}
	return h, true, nil
}

// Touch lets do touch the phone while a person has it: the run that holds it waits in
// WAITING_TAKEOVER, and does not go on before do has returned. Otherwise the error is
// NothingToTakeOver.
func (m *Manager) Touch(ctx context.Context, r ByHand, do func(context.Context) error) error {
	h, held, err := m.HeldBy(ctx, r.Serial, r.Client)
	if err != nil {
		return err
	}
	if !held || h.State != store.WaitingTakeover {
		return notTakenOver(r.Serial)
	}
	s, done := m.states.use(h.SessionID)
	defer done()
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	run, err := m.store.LatestRun(ctx, h.SessionID)
	if err != nil {
		return err
	}
	if run.State != store.WaitingTakeover || run.ID != h.RunID {
		return notTakenOver(r.Serial)
	}
	if err := do(ctx); err != nil {
		return err
	}
	m.touches.Add(ctx, touches.By{RunID: run.ID, SessionID: h.SessionID, Channel: r.By.Channel,
		Authority: r.By.Authority, Name: r.By.Name}, r.What)
	return nil
}

func notTakenOver(serial string) error {
	return Refuse(NothingToTakeOver,
		"take it over first: on the inbox page, or with POST /v1/sessions/{id}/takeover",
		"no person has phone %q: it can be touched only while it is taken over", serial)
}

// stopEffect is what a StopMode does to a run.
type stopEffect struct {
	cause  error // of the end of its life
	to     store.State
	reason agentloop.StopReason
	event  store.AuditEvent
}

var stopEffects = map[StopMode]stopEffect{
	Cancel: {agentloop.ErrStopped, store.Cancelled, agentloop.Cancelled, store.AuditStopped},
	Pause:  {agentloop.ErrPaused, store.Paused, agentloop.UserPaused, store.AuditPaused},
	Takeover: {agentloop.ErrTakeover, store.WaitingTakeover, agentloop.TakeoverNeeded,
		store.AuditTakenOver},
}

// stopCall is one call of Stop.
type stopCall struct {
	stopEffect
	by    Actor
	m     *Manager
	state *sessionState
	sess  store.Session
}
