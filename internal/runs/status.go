package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/inquiry/route"
	"github.com/taploop/taploop/internal/logs"
	"github.com/taploop/taploop/internal/runs/asking"
	"github.com/taploop/taploop/internal/store"
)

// Status is the status of a session and its latest run.
type Status struct {
	Session  store.Session // Steps is the index of the session's last step
	Run      store.Run
	Settings Settings             // of the run
	Reason   agentloop.StopReason // STILL_RUNNING while the run continues
	// the open question with its remaining channels, or nil
	Question *inquiry.Question
	// The channel whose turn it is to answer Question, or "". If the channel is OutOfBand, Reason
	// is STILL_RUNNING.
	Asking channel.Mode
	Steps  []store.StepRecord // of the present call, or after WaitRequest.SinceStep
	Last   *store.StepRecord  // of the session, or nil
	Local  int                // number of steps in the present call
	Ahead  int                // number of runs in front of a QUEUED one
	// The holder of the phone that a QUEUED run waits for, or nil. It has no ids if it belongs to
	// another client.
	Holder   *store.Hold
	Usage    store.Usage       // of the run
	Waited   time.Duration     // by this call of Wait. Usage has the run's total.
	Budget   time.Duration     // of this call of Wait
	Answered *inquiry.Question // by this call of Continue, or earlier under the same reply id
	Replayed bool              // the reply had been accepted before
	// the run waits for a store that does not respond
	Stalled bool
	// descriptions of standing permissions of people that may apply to the session
	Unasked []string
	Message string // why the run is blocked, or ""
	Hint    string // how to resolve that
}

// Session returns the owners' session whose id is, or begins with, id. For another client's
// session the error is the same as for an unknown one.
func (m *Manager) Session(ctx context.Context, id string, of store.Owners) (
	store.Session, error) {
	x, err := m.store.Find(ctx, id, of)
	return x, UnknownSession(id, err)
}

// latest returns a session and its latest run.
func (m *Manager) latest(ctx context.Context, id string) (store.Session, store.Run, error) {
	x, err := m.store.Session(ctx, id)
	if err != nil {
		return x, store.Run{}, UnknownSession(id, err)
	}
	r, err := m.store.LatestRun(ctx, x.ID)
	return x, r, UnknownSession(id, err)
}

// Status returns the status of a session's latest run. If the run's end could not be stored yet, it
// is PAUSED as INTERNAL_ERROR, and Message says why.
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
	logs.Learn(ctx, logs.Session, v.Session.ID, logs.Run, v.Run.ID, logs.Phone, v.Session.Serial)
	v.Run = m.Presented(v.Run)
	st := Status{Session: v.Session, Run: v.Run, Settings: s.Settings, Usage: v.Usage}
	st.Message, st.Hint = hint.Split(v.Run.Error)
	st.addReason(v.Question)
	st.Stalled = st.Reason == agentloop.StillRunning && m.store.Stalled()
	if q := v.Question; q != nil && q.Open() && atRest(v.Run) {
		st.addQuestion(q, m.desk)
	}
	if h := v.Holder; v.Run.State == store.Queued {
		st.Ahead = m.lines.Ahead(v.Session.Serial, v.Run.ID)
		if h != nil && h.RunID != v.Run.ID {
			seen := h.SeenBy(store.Owners{v.Session.Client})
			st.Holder = &seen
		}
	}
	st.addSteps(v.Steps, since, s.CallFrom)
	for _, g := range v.Grants {
		st.Unasked = append(st.Unasked, g.String())
	}
	return st, nil
}

// addReason sets the reason why the run has stopped, or that it is running.
func (st *Status) addReason(unused *inquiry.Question) {
	r := st.Run
	st.Reason = r.StopReason
	switch {
	case r.State == store.Queued, r.State == store.Running:
		st.Reason = agentloop.StillRunning
	case r.State.Waiting() && (unused == nil || !unused.Open()):
		st.Reason = agentloop.StillRunning // its question is settled and will be applied soon
	}
}

// addQuestion sets the open question of a run that waits or is paused.
func (st *Status) addQuestion(q *inquiry.Question, desk *asking.Desk) {
	asking := channel.Mode(route.Asking(*q, time.Now()))
	st.Question = q
	q.Channels = desk.Channels(*q)
	if !st.Run.State.Waiting() {
		return
	}
	if desk.Routed(*q) {
		st.Asking = asking
	}
	switch {
	case channel.Named(string(st.Asking)).OutOfBand:
		st.Reason = agentloop.StillRunning
	case q.Routing.Trouble != "":
		st.Message = q.Routing.Trouble
	}
}

// addSteps sets the steps after a given one, the last step, and the number of the present call's
// steps.
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

// Presented returns a stored run in the form that Status shows.
func (m *Manager) Presented(r store.Run) store.Run {
	if s := m.states.inUse(r.SessionID); s != nil {
		return s.presented(r)
	}
	return r
}
