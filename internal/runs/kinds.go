package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/runs/queue"
	"github.com/taploop/taploop/internal/store"
)

// plan is what a call requests for a new life of a run.
type plan struct {
	task     string
	maxSteps int // 0 means the configured maximum
	settings Settings
	home     bool   // go to the home screen first
	fresh    bool   // restart the first app that is opened
	handed   bool   // someone has just used the phone
	said     string // a message to the agents
	by       Actor
	wish     string // see storedSettings
	turn     Turn
}

// kind implements the runs of one kind of session.
type kind interface {
	// plan checks the request and sets the work of x. It acquires nothing.
	plan(x *execution, p plan) error
	// busy returns the error for a run that cannot start because of h.
	busy(h store.Hold, client string) error
	// continues returns an error if the call does not fit the run. fresh reports whether the call
	// starts a new run.
	continues(r ContinueRequest, run store.Run) (fresh bool, err error)
}

// yet is the plan of a run that has yet to begin as b says, or of one that has begun if b is nil.
func (p plan) yet(b *beginning) plan {
	if b != nil {
		p.home, p.fresh, p.turn = p.home || b.Home, b.Fresh, b.Turn
		p.handed, p.said = p.handed || b.Handed, cmp.Or(p.said, b.Said)
	}
	return p
}

func (m *Manager) kindOf(k store.Kind) kind {
	if k == store.OfAgents {
		return goalKind{m}
	}
	return phoneKind{m}
}

// free returns an error if a run of the session would have to queue.
func (m *Manager) free(ctx context.Context, x store.Session) error {
	h, held, err := m.lines.Holder(ctx, x.Serial, x.ID)
	if err == nil && held {
		err = m.kindOf(x.Kind()).busy(h, x.Client)
	}
	return err
}

// taken returns the error for a client whose phone h has: that of the store, if the run has ended
// and the store does not take it.
func taken(m *Manager, h store.Hold, client string) error {
	if s := m.states.inUse(h.SessionID); s != nil {
		if e := s.notStored(); e != nil {
			return fmt.Errorf("phone %q is not free yet: %w", h.Serial, e.asError())
		}
	}
	return busy(h.SeenBy(store.Owners{client}))
}

// phoneKind implements tasks on phones.
type phoneKind struct{ m *Manager }

func (k phoneKind) plan(x *execution, p plan) error {
	var err error
	if x.run.MaxSteps, err = k.m.opts.steps(p.maxSteps); err != nil {
		return err
	}
	s, err := p.settings.checked(k.m.desk)
	if err != nil {
		return err
	}
	x.settings.Settings, x.run.ReplyMode = s, string(s.ReplyMode)
	policy, err := k.m.opts.NewPolicy(s)
	if err == nil && k.m.opts.NewVerifier != nil {
		_, err = k.m.opts.NewVerifier(s)
	}
	x.work = &phoneWork{opts: &k.m.opts, desk: k.m.desk, spawn: k.m.spawn, settings: s,
		policy: policy, home: p.home, fresh: p.fresh,
		handed: p.handed}
	return err
}

func (k phoneKind) busy(h store.Hold, client string) error { return taken(k.m, h, client) }

func (phoneKind) continues(r ContinueRequest, run store.Run) (fresh bool, err error) {
	another := r.Task != "" && !sameTask(r.Task, run.Task)
	if r.Reply != nil && another {
		return false, invalid(
			"answer first, and leave the task out; send a new task once this one has ended",
			"%w", ErrReplyWithTask)
	}
	return another || r.Task != "" && run.State.Terminal(), nil
}

// goalKind implements goals of agents, which call tools of MCP servers and start sessions on
// phones.
type goalKind struct{ m *Manager }

// ErrOwnQuestions is returned for a reply to a session of agents, whose questions are separate.
var ErrOwnQuestions = errors.New(
	"agents have questions of their own, which no answer to a session is for")

func (k goalKind) plan(x *execution, p plan) error {
	if k.m.opts.Goals == nil {
		return Refuse(InvalidArgument, "taploop host works on goals, and taploop serve does with "+
			"the setting host.enabled", "this process works on no goals of agents")
	}
	x.settings.Settings = p.settings
	x.settings.DetachedOK = true
	var err error
	x.work, err = k.m.opts.Goals.Work(&Goal{Runs: k.m, Settings: &x.settings.Settings,
		Said: p.said, By: p.by})
	return err
}

func (goalKind) busy(store.Hold, string) error {
	return Refuse(RunInProgress, "wait for one of them, or stop it",
		"%d goals are being worked on, and no more are at the same time", queue.Goals)
}

func (goalKind) continues(r ContinueRequest, run store.Run) (fresh bool, err error) {
	switch {
	case r.Reply != nil:
		err = invalid("answer each of their questions by itself", "%w", ErrOwnQuestions)
	case run.State.Terminal() && r.Task == "":
		err = Refuse(RunEnded, "say what is to be reached next, or taploop sessions show "+
			run.SessionID, "the work has ended: %s", run.State)
	case run.State.Terminal(): // the agents know what was said before
		return true, nil
	case r.Task != "" && !atRest(run):
		err = InProgress(run.SessionID)
	}
	return false, err
}

// InProgress returns the error for continuing a session of agents that is still working.
func InProgress(sessionID string) *Error {
	return Refuse(RunInProgress, "taploop stop "+sessionID+" --pause pauses it there",
		"it is being worked on at this moment")
}

// WithdrawAll withdraws the session's open questions.
func (m *Manager) WithdrawAll(ctx context.Context, sessionID, why string) error {
	open, err := m.broker.List(ctx,
		inquiry.Filter{Status: inquiry.Pending, SessionID: sessionID})
	for _, q := range open {
		err = errors.Join(err, inquiry.UnlessLate(m.broker.Withdraw(ctx, q.ID, why)))
	}
	return err
}

// Asked returns the open questions of a session and of the sessions that it has started.
func (m *Manager) Asked(ctx context.Context, s store.Session) ([]inquiry.Question, error) {
	open, err := m.broker.List(ctx, inquiry.Filter{Status: inquiry.Pending})
	if err != nil {
		return nil, err
	}
	below, err := m.store.Sessions(ctx, store.Filter{Parent: s.ID})
	ours := map[string]bool{s.ID: true}
	for _, x := range below {
		ours[x.ID] = true
	}
	return slices.DeleteFunc(open, func(q inquiry.Question) bool { return !ours[q.SessionID] }), err
}

// plan checks a request before anything is touched, and returns a new life of a run.
func (m *Manager) plan(k store.Kind, p plan) (*execution, error) {
	if err := m.checkOpen(); err != nil {
		return nil, err
	}
	if err := CheckTask(p.task); err != nil {
		return nil, err
	}
	x := &execution{m: m, run: store.Run{Task: p.task,
		Attended: int64(min(m.opts.DetachGrace, 1))}}
	x.settings.Wish = p.wish
	x.begin = beginning{Home: p.home, Fresh: p.fresh, Handed: p.handed, Said: p.said,
		Turn: p.turn}
	x.settings.Begin = &x.begin // whoever carries it out begins like that
	return x, m.kindOf(k).plan(x, p)
}

const maxTask = 20_000 // characters

// CheckTask returns an error for a task that no run begins with: it is empty, too long, or no text.
func CheckTask(task string) error {
	switch n := utf8.RuneCountInString(task); {
	case strings.TrimSpace(task) == "":
		return invalid("say in one or two sentences what is to be done, and in which app",
			"the task is empty")
	case !utf8.ValidString(task):
		return invalid("send the task as UTF-8", "the task is not text")
	case n > maxTask:
		return invalid("break the goal down into simpler tasks",
			"the task has %d characters (want at most %d)", n, maxTask)
	}
	return nil
}

// AskedMeanwhile returns the open questions of agents and of their phones, for which the run does
// not stop.
func (m *Manager) AskedMeanwhile(ctx context.Context, st Status) ([]inquiry.Question, error) {
	if st.Reason != agentloop.StillRunning || st.Session.Kind() != store.OfAgents {
		return nil, nil
	}
	return m.Asked(ctx, st.Session)
}
