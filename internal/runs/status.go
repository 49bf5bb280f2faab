package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/store"
)

// Status is how a session's latest run stands.
type Status struct {
	Session  store.Session // Steps is the index of the session's last step
	Run      store.Run
	Settings Settings             // of the run
	Reason   agentloop.StopReason // STILL_RUNNING while it goes on by itself
	// the open one, with the channels that are left; nil when there is none
	Question *inquiry.Question
	// the channel that is in turn with Question; "" when none has. Under one that is OutOfBand
	// the Reason is STILL_RUNNING
	Asking channel.Mode
	Steps  []store.StepRecord // those of the present call, or after WaitRequest.SinceStep
	Last   *store.StepRecord  // the session's last step, nil when there is none
	Local  int                // steps of the present call
	Ahead  int                // runs in front of a QUEUED one in the line for the phone
	// under a QUEUED run: who has the phone, nil when it is free; without ids when that is another
	// client's session
	Holder   *store.Hold
	Usage    store.Usage       // of the run
	Waited   time.Duration     // by this call of Wait; what the run has waited is in Usage
	Budget   time.Duration     // of this call of Wait
	Answered *inquiry.Question // by this call of Continue, or under its reply id before
	Replayed bool              // the reply had been accepted before
	// the data folder does not answer, and a run that goes on waits for it
	Stalled bool
	// what a person lets be carried out without asking, and may concern the session, in words
	Unasked []string
	Message string // what is in the way of the run, "" when nothing is
	Hint    string // what can be done about it
}

// Session gives the client's session with the id, or the only one whose id begins with it. For one
// that belongs to somebody else the error is the same as for one that is not there.
func (m *Manager) Session(ctx context.Context, id, client string) (store.Session, error) {
	x, err := m.store.Find(ctx, id, &client)
	return x, UnknownSession(id, err)
}

// latest is a session with its latest run.
func (m *Manager) latest(ctx context.Context, id string) (store.Session, store.Run, error) {
	x, err := m.store.Session(ctx, id)
	if err != nil {
		return x, store.Run{}, UnknownSession(id, err)
	}
	r, err := m.store.LatestRun(ctx, x.ID)
	return x, r, UnknownSession(id, err)
}

// Status tells how a session's latest run stands. One that has ended, while the store did not take
// that yet, is PAUSED as INTERNAL_ERROR, and Message says why.
func (m *Manager) Status(ctx context.Context, sessionID string) (Status, error) {
	return m.status(ctx, sessionID, 0)
}

func (m *Manager) status(ctx context.Context, sessionID string, since int) (Status, error) {
	var s storedSettings
	v, err := m.store.Snapshot(ctx, sessionID, func(r store.Run) (after int, err error) {
		if s, err = settingsOf(r); since <= 0 {
			since = s.CallFrom
		}
		return since, err
	})
	if err != nil {
		return Status{}, UnknownSession(sessionID, err)
	}
	v.Run = m.Presented(v.Run)
	st := Status{Session: v.Session, Run: v.Run, Settings: s.Settings, Usage: v.Usage}
	st.Message, st.Hint = ErrorParts(v.Run.Error)
	st.addReason(v.Question)
	st.Stalled = st.Reason == agentloop.StillRunning && m.store.Stalled()
	if q := v.Question; q != nil && q.Open() && atRest(v.Run) {
		m.addQuestion(&st, q)
	}
	if h := v.Holder; v.Run.State == store.Queued {
		st.Ahead = m.lines.Ahead(v.Session.Serial, v.Run.ID)
		if h != nil && h.RunID != v.Run.ID {
			seen := h.SeenBy(v.Session.Client)
			st.Holder = &seen
		}
	}
	st.addSteps(v.Steps, since, s.CallFrom)
	for _, g := range v.Grants {
		st.Unasked = append(st.Unasked, g.String())
	}
	return st, nil
}

// AskedMeanwhile returns the questions that wait although the run continues by itself: those of
// agents and of their phones.
func (m *Manager) AskedMeanwhile(ctx context.Context, st Status) ([]inquiry.Question, error) {
	if st.Reason != agentloop.StillRunning {
		return nil, nil
	}
	return m.kindOf(st.Session.Kind()).asks(ctx, st.Session)
}

// addReason fills in why the run stands still, or that it does not.
func (st *Status) addReason(unused *inquiry.Question) {
	r := st.Run
	st.Reason = r.StopReason
	switch {
	case r.State == store.Queued, r.State == store.Running:
		st.Reason = agentloop.StillRunning
	case r.State.Waiting() && (unused == nil || !unused.Open()):
		st.Reason = agentloop.StillRunning // its question is settled, and about to be applied
	}
}

// addQuestion fills in the open question of a run that waits or is paused.
func (m *Manager) addQuestion(st *Status, q *inquiry.Question) {
	asking := channel.Mode(route.Asking(*q, time.Now()))
	st.Question = q
	q.Channels = m.desk.Channels(*q)
	if !st.Run.State.Waiting() {
		return
	}
	if m.desk.Routed(*q) {
		st.Asking = asking
	}
	switch {
	case channel.Named(string(st.Asking)).OutOfBand:
		st.Reason = agentloop.StillRunning
	case q.Routing.Trouble != "":
		st.Message = q.Routing.Trouble
	}
}

// addSteps fills in the steps after one, the last one, and how many the present call has had.
func (st *Status) addSteps(list []store.StepRecord, after, callFrom int) {
	for i, r := range list {
		if r.Index > after {
			st.Steps = append(st.Steps, r)
		}
		if r.Index > callFrom {
			st.Local = r.Index - callFrom
		}
		st.Last = &list[i]
	}
}
