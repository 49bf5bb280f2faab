package runs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/store"
)

// errTakenByPerson is the cause of a take-over that a person began, which only people hand back.
var errTakenByPerson error = byPerson{agentloop.ErrTakeover}

type byPerson struct{ error }

func (p byPerson) Error() string { return "a person has taken the phone over" }

func (p byPerson) Unwrap() error { return p.error }

// handOverWords are what people are asked when the phone is handed over, and what the model is told
// when they say nothing themselves.
type handOverWords struct {
	locked, secure, wanted string
	handed                 string // wanted, by a program
	done, noReason         string
}

func wordsOfHandOver(lang string) handOverWords {
	if strings.HasPrefix(lang, "zh") {
		return handOverWords{
			locked: "手机已锁屏，请手动解锁。",
			secure: "当前页面禁止截屏，请手动完成这一步，并离开该页面。",
			wanted: "对方想亲自操作手机。",
			handed: "有程序请求由人来操作手机。",
			done:   "已完成", noReason: "没有说明原因",
		}
	}
	return handOverWords{
		locked: "The phone is locked. Please unlock it.",
		secure: "The app in front forbids pictures of its screen. Please do this part by hand, " +
			"and leave that screen.",
		wanted: "A person wanted to do something on the phone.",
		handed: "A program has asked for something to be done on the phone by hand.",
		done:   "done", noReason: "no reason was given",
	}
}

// asked is what people are asked when a person, or else a program, has taken the phone over.
func (w handOverWords) asked(person bool) string {
	if person {
		return w.wanted
	}
	return w.handed
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
	cause := agentloop.ErrTakeover
	if x.takenByPerson = errors.Is(context.Cause(ctx), errTakenByPerson); x.takenByPerson {
		cause = errTakenByPerson
	}
	asks := x.m.opts.HandOver && x.settings.ReplyMode != channel.NoReply
	switch {
	case x.run.State != store.Running && end.Reason == agentloop.TakeoverNeeded:
		end.Reason = agentloop.UserPaused // it had no phone yet: takeOver gives it to the person
	case x.run.State != store.Running:
	case end.Reason == agentloop.TakeoverNeeded && end.Question == nil:
		text = words.asked(x.takenByPerson)
	case end.Reason == agentloop.ScreenLocked && asks:
		text = words.locked
	case end.Reason == agentloop.SecureScreen && asks:
		text = words.secure
	}
	if text == "" {
		return end
	}
	ctx, cancel := detached(ctx)
	defer cancel()
	asked := x.parked
	q := agentloop.Question{Kind: agentloop.KindTakeover, Text: text, Task: x.run.Task}
	if err := x.Park(ctx, q); err != nil {
		x.m.log.ErrorContext(ctx, "handing the phone over", "run", x.run.ID, "err", err)
		end.Reason = agentloop.InternalError
		end.Err = fmt.Errorf("the phone could not be handed over: %w", err)
		return end
	}
	if asked != nil {
		x.m.withdrawFor(ctx, asked.ID, cause)
	}
	end.Reason, end.Question = agentloop.TakeoverNeeded, &q
	end.Err = nil
	return end
}

// withdrawFor withdraws a question of a run whose phone was taken over, as the cause says.
func (d *questioner) withdrawFor(ctx context.Context, questionID string, cause error) {
	if err := d.broker.Withdraw(ctx, questionID, cause.Error()); err != nil &&
		!inquiry.Late(err) {
		d.log.WarnContext(ctx, "withdrawing", "question", questionID, "err", err)
	}
}

// canTakeOver refuses to take over the phone of a run that has ended, and one that another session
// has.
func (p *stopCall) canTakeOver(ctx context.Context, r store.Run) error {
	if p.sess.Phoneless() {
		return Refuse(NothingToTakeOver, "take over the session of one of its phones, or pause it",
			"session %s is one of taploop host, and has no phone of its own", p.sess.ID)
	}
	if r.State.Terminal() {
		return Refuse(NothingToTakeOver, "give the session a new task, or use the phone as it is",
			"the session's last task has ended (%s): there is no run to hand the phone back to",
			r.State)
	}
	return p.m.queues.free(ctx, p.sess.Serial, p.sess.ID, p.sess.Client)
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
	ctx, cancel := detached(ctx)
	defer cancel()
	if err := m.store.Leases.Take(ctx, p.sess.Serial, run.ID); err != nil {
		return err
	}
	change := store.Change{From: []store.State{run.State}, Fence: run.Fence,
		To: store.WaitingTakeover, Reason: agentloop.TakeoverNeeded}
	if asked != nil && !asked.Open() {
		change.Apply, change.Exchange = asked.ID, exchangeOf(*asked, m.opts.Lang)
	}
	q, err := m.openQuestion(ctx, inquiry.Question{SessionID: p.sess.ID, RunID: run.ID,
		Fence: run.Fence, Kind: inquiry.KindTakeover, Task: run.Task,
		Body: &inquiry.Takeover{PeopleOnly: person}, Text: wordsOfHandOver(m.opts.ConsoleLang).asked(person)},
		personalMode(set.ReplyMode))
	if err != nil {
		return err
	}
	change.Question = q.ID
	now, err := m.store.Runs.Transition(ctx, run.ID, change)
	if err != nil {
		m.withdrawFor(ctx, q.ID, p.cause)
		return err
	}
	if asked != nil {
		m.cancelRouting(ctx, asked.ID)
		if asked.Open() {
			m.withdrawFor(ctx, asked.ID, p.cause)
		}
	}
	m.router.Route(q.ID)
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
	if m.touches.count(touchKey{run.ID, h.SessionID, r.By}, r.What) {
		m.touches.note(ctx, run.ID)
	}
	return nil
}

// touches counts what people do on phones that they have taken over. How often is in the audit, and
// what it was is nowhere.
type touches struct {
	audit store.Audit
	log   *slog.Logger

	mu     sync.Mutex
	counts map[touchKey]map[string]int
	since  map[string]time.Time // of the first touch of a run that is not in the audit yet
}

// touchKey is whose touches belong together.
type touchKey struct {
	runID, sessionID string
	by               Actor
}

// noteAfter is how long touches are counted before they are in the audit, at most: what is counted
// when the process is killed is lost.
const noteAfter = time.Minute

// count adds a touch, and reports whether it is time to note those of the run.
func (t *touches) count(who touchKey, what string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts, t.since = map[touchKey]map[string]int{}, map[string]time.Time{}
	}
	if t.counts[who] == nil {
		t.counts[who] = map[string]int{}
	}
	t.counts[who][what]++
	if t.since[who.runID].IsZero() {
		t.since[who.runID] = time.Now()
	}
	return time.Since(t.since[who.runID]) >= noteAfter
}

// take takes the counts of a run, of all when runID is "".
func (t *touches) take(runID string) (list []store.AuditEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for who, counts := range t.counts {
		if runID != "" && who.runID != runID {
			continue
		}
		var words []string
		for _, what := range slices.Sorted(maps.Keys(counts)) {
			words = append(words, fmt.Sprintf("%s %d", what, counts[what]))
		}
		e := who.by.entry()
		e.Event = store.AuditByHand
		e.SessionID, e.RunID = who.sessionID, who.runID
		e.Text = strings.Join(words, ", ")
		list = append(list, e)
		delete(t.counts, who)
		delete(t.since, who.runID)
	}
	return list
}

// note writes the counts of a run's touches into the audit, those of all runs for "".
func (t *touches) note(ctx context.Context, runID string) {
	for _, e := range t.take(runID) {
		if err := t.audit.Append(ctx, e); err != nil {
			t.log.ErrorContext(ctx, "noting what was touched by hand", "run", e.RunID, "err", err)
		}
	}
}

func notTakenOver(serial string) error {
	return Refuse(NothingToTakeOver,
		"take it over first: on the inbox page, or with POST /v1/sessions/{id}/takeover",
		"no person has phone %q: it can be touched only while it is taken over", serial)
}
