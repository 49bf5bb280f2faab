package runs

import (
	"context"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/runs/touches"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/words"
)

// canTakeOver returns an error if the run has ended or another session holds its phone.
func (p *stopCall) canTakeOver(ctx context.Context, r store.Run) error {
	if p.sess.Kind() == store.OfAgents {
		return Refuse(NothingToTakeOver, "take over the session of one of its phones, or pause it",
			"session %s is one of taploop host, and has no phone of its own", p.sess.ID)
	}
	if r.State.Terminal() {
		return Refuse(NothingToTakeOver, "give the session a new task, or use the phone as it is",
			"the session's last task has ended (%s): there is no run to hand the phone back to",
			r.State)
	}
	return p.m.free(ctx, p.sess)
}

// takeOver hands over the phone of a run that no goroutine of this Manager carries out. It
// withdraws an open question, and applies an answer that was already accepted. Only people can hand
// back a phone that a person took over. The caller holds the session's lock.
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
	if !atRest(run) { // another process carries it out
		return Refuse(RunInProgress, "stop it there",
			"the run is carried out by another process, which has to be asked")
	}
	return p.takePhone(ctx, run, person)
}

// takePhone is takeOver for a run that is at rest.
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
		change.Apply, change.Exchange = asked.ID,
			exchangeOf(*asked, words.For(m.opts.Lang, run.Task))
	}
	q, err := m.desk.Open(ctx, inquiry.Question{SessionID: p.sess.ID, RunID: run.ID,
		Fence: run.Fence, Kind: inquiry.KindTakeover, Task: run.Task,
		Body: &inquiry.Takeover{PeopleOnly: person, Says: words.Each(saysOf(person))},
		Text: saysOf(person)(m.opts.ConsoleLang)},
		personalMode(set.Settings))
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
	p.state.moved(ctx, now)
	return nil
}

// ByHand describes a touch by a person of a phone that was taken over.
type ByHand struct {
	Serial string
	Owners store.Owners // whose session must hold the phone
	By     Actor
	What   string // the kind of touch, for counting only
}

// HeldBy returns the run that holds the phone. It returns false if the phone is free or held by
// another owner's session.
func (m *Manager) HeldBy(
	ctx context.Context, serial string, of store.Owners,
) (h store.Hold, held bool, err error) {
	h, held, err = m.store.Leases.Holder(ctx, serial)
	if err != nil || !held || !of.Has(h.Client) {
		return store.Hold{}, false, err
	}
	return h, true, nil
}

// Touch calls do while a person has the phone. The run that holds the phone is in WAITING_TAKEOVER
// then, and cannot resume before do returns. Otherwise the error is NothingToTakeOver.
func (m *Manager) Touch(ctx context.Context, r ByHand, do func(context.Context) error) error {
	h, held, err := m.HeldBy(ctx, r.Serial, r.Owners)
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

// stopEffect is the effect of a StopMode on a run.
type stopEffect struct {
	cause  error // with which the run's life is cancelled
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
