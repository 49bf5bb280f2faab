package runs

import (
	"context"
	"time"

	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/inquiry"
	"github.com/taploop/taploop/session"
)

// Status is how a session's latest run stands.
type Status struct {
	Session  session.Session // Steps is the index of the session's last step
	Run      session.Run
	Settings Settings             // of the run
	Reason   agentloop.StopReason // STILL_RUNNING while it goes on by itself
	Question *inquiry.Question    // the open one, with the doors that are left; nil when there is none
	Door     ReplyMode            // that has its turn to ask Question; "" when none has. Under one that is Elsewhere the Reason is STILL_RUNNING
	Steps    []session.StepRecord // those of the present call, or after WaitRequest.SinceStep
	Last     *session.StepRecord  // the session's last step, nil when there is none
	Local    int                  // steps of the present call
	Ahead    int                  // runs in front of a QUEUED one in the line for the phone
	Holder   *session.Hold        // under a QUEUED run: who has the phone, nil when nobody has; without ids when that is another client's session
	Usage    session.Usage        // of the run
	Took     time.Duration        // since the run was created, until it ended or now
	Waited   time.Duration        // by this call of Wait
	Budget   time.Duration        // of this call of Wait
	Begun    bool                 // by this call of Start; false when the session had been begun under its key before
	Answered *inquiry.Question    // by this call of Continue, or under its reply id before
	Replayed bool                 // the reply had been accepted before
	Message  string               // what is in the way of the run, "" when nothing is
	Mend     string               // what can be done about it
}

// Session gives a session that belongs to the client. For one that belongs to somebody else the error is the same as for one
// that is not there.
func (f *Manager) Session(ctx context.Context, id, client string) (session.Session, error) {
	sess, err := f.store.Session(ctx, id)
	switch {
	case err != nil:
		return session.Session{}, unknown(id, err)
	case sess.Client != client:
		return session.Session{}, unknown(id, session.ErrNotFound)
	}
	return sess, nil
}

// Status tells how a session's latest run stands.
func (f *Manager) Status(ctx context.Context, sessionID string) (Status, error) {
	return f.status(ctx, sessionID, 0)
}

func (f *Manager) status(ctx context.Context, sessionID string, since int) (st Status, err error) {
	asked, door, trouble := f.desk(sessionID).routing() // before the question is read: it may be settled meanwhile
	if st.Session, err = f.store.Session(ctx, sessionID); err != nil {
		return st, unknown(sessionID, err)
	}
	if st.Run, err = f.store.LatestRun(ctx, sessionID); err != nil {
		return st, unknown(sessionID, err)
	}
	st.Reason, st.Took = st.Run.StopReason, time.Since(st.Run.CreatedAt)
	switch {
	case st.Run.State == session.Queued, st.Run.State == session.Running:
		st.Reason = agentloop.StillRunning
	case st.Run.State.Terminal():
		st.Took = st.Run.EndedAt.Sub(st.Run.CreatedAt)
	default:
		st.Took = st.Run.UpdatedAt.Sub(st.Run.CreatedAt)
	}
	st.Message, st.Mend = errorParts(st.Run.Error)
	if st.Run.State == session.Queued {
		if err := f.addPlace(ctx, &st); err != nil {
			return st, err
		}
	}
	if st.Question, err = f.openQuestion(ctx, st.Run); err != nil {
		return st, err
	}
	if st.Run.State == session.WaitingReply && st.Question == nil {
		st.Reason = agentloop.StillRunning // its question is settled, and about to be applied
	}
	if q := st.Question; q != nil && st.Run.State == session.WaitingReply && q.ID == asked {
		if st.Door = door; door.Elsewhere() {
			st.Reason = agentloop.StillRunning
		} else if trouble != "" {
			st.Message = trouble
		}
	}
	if q := st.Question; q != nil {
		q.Doors = f.Doors(*q)
	}
	if st.Usage, err = f.store.Usage(ctx, sessionID, st.Run.ID); err != nil {
		return st, err
	}
	return st, f.addSteps(ctx, &st, since)
}

// addPlace fills in where a run stands in the line for its phone.
func (f *Manager) addPlace(ctx context.Context, st *Status) error {
	st.Ahead = f.ahead(st.Session.Serial, st.Run.ID)
	h, held, err := f.store.Holder(ctx, st.Session.Serial)
	if err != nil || !held || h.RunID == st.Run.ID {
		return err
	}
	h = f.seenBy(ctx, h, st.Session.Client)
	st.Holder = &h
	return nil
}

// addSteps fills in the steps, the last one, and how many the present call has had.
func (f *Manager) addSteps(ctx context.Context, st *Status, since int) error {
	s, err := settingsOf(st.Run)
	if err != nil {
		return err
	}
	st.Settings = s.Settings
	from := s.CallFrom
	if since > 0 {
		from = since
	}
	// One more than asked for, so that the last step is there even when none is new.
	list, err := f.store.StepsAfter(ctx, st.Session.ID, min(from, max(st.Session.Steps-1, 0)))
	if err != nil {
		return err
	}
	for i, r := range list {
		if r.Index > from {
			st.Steps = append(st.Steps, r)
		}
		if r.Index > s.CallFrom {
			st.Local = r.Index - s.CallFrom
		}
		st.Last = &list[i]
		st.Session.Steps = max(st.Session.Steps, r.Index) // the step may have come since the session was read
	}
	return nil
}
