package runs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/inquiry/channel"
	"github.com/taploop/taploop/session"
)

// errTakenByPerson is the cause of a take-over that a person began, which only people hand back.
var errTakenByPerson error = byPerson{agentloop.ErrTakeover}

type byPerson struct{ error }

func (p byPerson) Unwrap() error { return p.error }

// handOverWords are what people are asked when the phone is handed over, and what the model is told
// when they say nothing themselves.
type handOverWords struct {
	locked, secure, wanted string
	done, noReason         string
}

func wordsOfHandOver(lang string) handOverWords {
	if strings.HasPrefix(lang, "zh") {
		return handOverWords{
			locked: "手机已锁屏，请手动解锁。",
			secure: "当前页面禁止截屏，请手动完成这一步，并离开该页面。",
			wanted: "对方想亲自操作手机。",
			done:   "已完成", noReason: "没有说明原因",
		}
	}
	return handOverWords{
		locked: "The phone is locked. Please unlock it.",
		secure: "The app in front forbids pictures of its screen. Please do this part by hand, " +
			"and leave that screen.",
		wanted: "A person wanted to do something on the phone.",
		done:   "done", noReason: "no reason was given",
	}
}

// personalMode is how people are asked in a run of this reply mode for what no model can do or
// decide: at its steps where a person answers, or through the client.
func personalMode(mode channel.Mode) channel.Mode {
	steps, err := mode.Steps()
	steps = slices.DeleteFunc(steps, func(s channel.Step) bool { return !s.Person })
	if err != nil || len(steps) == 0 {
		return channel.PassToClient
	}
	return channel.Of(steps)
}

// handOver parks the question of a take-over when a life of the run has ended for one: because a
// person has taken the phone over, or, when people are asked then, because the screen is locked or
// forbids capture.
func (x *execution) handOver(ctx context.Context, end *agentloop.Ending) *agentloop.Ending {
	words, text := wordsOfHandOver(x.m.opts.ConsoleLang), ""
	asks := x.m.opts.HandOver && x.settings.ReplyMode != channel.NoReply
	switch {
	case x.run.State != session.Running && end.Reason == agentloop.TakeoverNeeded:
		end.Reason = agentloop.UserPaused // it had no phone yet: takeOver gives it to the person
	case x.run.State != session.Running:
	case end.Reason == agentloop.TakeoverNeeded && end.Question == nil:
		text = words.wanted
	case end.Reason == agentloop.ScreenLocked && asks:
		text = words.locked
	case end.Reason == agentloop.SecureScreen && asks:
		text = words.secure
	}
	if text == "" {
		return end
	}
	cause := context.Cause(ctx)
	ctx, cancel := detached(ctx)
	defer cancel()
	asked := x.parked
	x.taken = errors.Is(cause, errTakenByPerson)
	q := agentloop.Question{Kind: agentloop.KindTakeover, Text: text, Task: x.run.Task}
	if err := x.Park(ctx, q); err != nil {
		x.m.log.ErrorContext(ctx, "handing the phone over", "run", x.run.ID, "err", err)
		return &agentloop.Ending{Reason: agentloop.InternalError, Steps: end.Steps, Last: end.Last,
			Begun: end.Begun, Err: fmt.Errorf("the phone could not be handed over: %w", err)}
	}
	if asked != nil {
		x.m.withdrawFor(ctx, asked.ID)
	}
	return &agentloop.Ending{Reason: agentloop.TakeoverNeeded, Question: &q, Steps: end.Steps,
		Last: end.Last, Begun: end.Begun, Took: end.Took}
}

// withdrawFor withdraws a question of a run whose phone a person has taken over.
func (m *Manager) withdrawFor(ctx context.Context, questionID string) {
	if err := m.broker.Withdraw(ctx, questionID, agentloop.ErrTakeover.Error()); err != nil &&
		!inquiry.Late(err) {
		m.log.WarnContext(ctx, "withdrawing", "question", questionID, "err", err)
	}
}

// canTakeOver refuses to take over the phone of a run that has ended, and one that another session
// has.
func (m *Manager) canTakeOver(ctx context.Context, sess session.Session, r session.Run) error {
	if sess.Phoneless() {
		return Refuse(NothingToTakeOver, "take over the session of one of its phones, or pause it",
			"session %s is one of taploop host, and has no phone of its own", sess.ID)
	}
	if r.State.Terminal() {
		return Refuse(NothingToTakeOver, "give the session a new task, or use the phone as it is",
			"the session's last task has ended (%s): there is no run to hand the phone back to",
			r.State)
	}
	return m.free(ctx, sess.Serial, sess.ID, sess.Client)
}

// takeOver hands the phone of a run over that no goroutine of this Manager carries out. What the
// run had asked is withdrawn; an answer that was taken is applied. What a person takes over, only
// people hand back. The caller has the session's lock.
func (m *Manager) takeOver(
	ctx context.Context, s *sessionState, sess session.Session, run session.Run, person bool,
) error {
	if run.State == session.WaitingTakeover {
		if person {
			return m.broker.Claim(ctx, run.QuestionID)
		}
		return nil
	}
	if err := m.canTakeOver(ctx, sess, run); err != nil {
		return err
	}
	if !atRest(run) { // in another process
		return Refuse(RunInProgress, "stop it there",
			"the run is carried out by another process, which has to be asked")
	}
	set, err := settingsOf(run)
	if err != nil {
		return err
	}
	asked, err := m.store.Unused(ctx, run)
	if err != nil {
		return err
	}
	ctx, cancel := detached(ctx)
	defer cancel()
	if err := m.store.Lease(ctx, sess.Serial, run.ID); err != nil {
		return err
	}
	change := session.Change{From: []session.State{run.State}, Fence: run.Fence,
		To: session.WaitingTakeover, Reason: agentloop.TakeoverNeeded}
	if asked != nil && !asked.Open() {
		change.Apply, change.Exchange = asked.ID, exchangeOf(*asked, m.opts.Lang)
	}
	q, err := m.openQuestion(ctx, inquiry.Question{SessionID: sess.ID, RunID: run.ID,
		Fence: run.Fence, Kind: inquiry.Takeover, Task: run.Task,
		PeopleOnly: person, Text: wordsOfHandOver(m.opts.ConsoleLang).wanted},
		personalMode(set.ReplyMode))
	if err != nil {
		return err
	}
	change.Question = q.ID
	now, err := m.store.Transition(ctx, run.ID, change)
	if err != nil {
		m.withdrawFor(ctx, q.ID)
		return err
	}
	if asked != nil {
		m.cancelRouting(ctx, asked.ID)
	}
	if asked != nil && asked.Open() {
		m.withdrawFor(ctx, asked.ID)
	}
	m.router.Route(q.ID)
	m.moved(s, now)
	return nil
}
