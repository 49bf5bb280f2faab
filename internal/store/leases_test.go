package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/storetest"
)

func TestOfManyWhoTakeAPhoneOneHasIt(t *testing.T) {
	dir := t.TempDir()
	stores := []*store.Store{open(t, dir, nil), open(t, dir, nil)}
	const n = 20
	var runs [n]store.Run
	for i := range runs {
		runs[i] = started(t, stores[i%2])
	}
	var errs [n]error
	var wg sync.WaitGroup
	for i := range runs {
		wg.Go(func() { errs[i] = stores[i%2].Leases.Take(t.Context(), "emu-1", runs[i].ID) })
	}
	wg.Wait()
	h, held, err := stores[0].Leases.Holder(t.Context(), "emu-1")
	require.NoError(t, err)
	require.True(t, held)
	for i, err := range errs {
		if runs[i].ID == h.RunID {
			require.NoError(t, err)
			continue
		}
		var busy *store.BusyError
		require.ErrorAs(t, err, &busy)
		require.Equal(t, h, busy.Hold)
		require.Contains(t, err.Error(), "is held by session "+h.SessionID+" (RUNNING) since ")
		require.NotEmpty(t, hint.Of(err))
	}
}

func TestASessionThatNeedsABusyPhoneIsNotStored(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	begin := func() (store.Session, store.Run, error) {
		return s.Begin(t.Context(), store.Session{Serial: "emu-1", Client: "c", StartKey: "once"},
			store.Run{Task: "tap", Leased: true})
	}
	x, r, err := begin()
	require.NoError(t, err)
	h, held, err := s.Leases.Holder(t.Context(), "emu-1")
	require.NoError(t, err)
	require.True(t, held)
	require.Equal(t, r.ID, h.RunID)

	_, _, err = s.Begin(t.Context(), store.Session{Serial: "emu-1", Client: "c", StartKey: "two"},
		store.Run{Task: "tap", Leased: true})
	var busy *store.BusyError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, h, busy.Hold)
	_, err = s.SessionByKey(t.Context(), "c", "two")
	require.ErrorIs(t, err, store.ErrNotFound)
	_, _, err = begin()
	var taken *store.KeyError
	require.ErrorAs(t, err, &taken)
	require.Equal(t, x.ID, taken.SessionID)
}

func TestWhoHasAClaimToAPhone(t *testing.T) {
	var clock atomic.Int64
	opts := &store.Options{
		Now: func() time.Time { return time.UnixMilli(1_700_000_000_000 + clock.Load()) }}
	dir := t.TempDir()
	s := open(t, dir, opts)
	for state, free := range map[store.State]bool{
		store.Queued: false, store.Running: false, store.WaitingReply: false,
		store.Paused: true, store.Completed: true, store.Cancelled: true,
	} {
		holder, taker := started(t, s), started(t, s)
		serial := "phone-" + string(state)
		require.NoError(t, s.Leases.Take(t.Context(), serial, holder.ID))
		require.NoError(t, s.Leases.Take(t.Context(), serial, holder.ID), "again")
		_, err := s.Runs.Transition(t.Context(), holder.ID, store.Change{To: state})
		require.NoError(t, err)
		err = s.Leases.Take(t.Context(), serial, taker.ID)
		require.Equal(t, free, err == nil, "%s: %v", state, err)
	}
	taker := started(t, s)
	require.NoError(t, s.Leases.Release(t.Context(), "phone-RUNNING", taker.ID),
		"somebody else's lease stays")
	require.Error(t, s.Leases.Take(t.Context(), "phone-RUNNING", taker.ID))

	clock.Add(store.WaitingLease.Milliseconds() - 1)
	require.Error(t, s.Leases.Take(t.Context(), "phone-WAITING_REPLY", taker.ID))
	clock.Add(1)
	_, held, err := s.Leases.Holder(t.Context(), "phone-WAITING_REPLY")
	require.NoError(t, err)
	require.False(t, held)
	require.NoError(t, s.Leases.Take(t.Context(), "phone-WAITING_REPLY", taker.ID),
		"it has waited for too long")

	require.NoError(t, s.Leases.Release(t.Context(), "phone-WAITING_REPLY", taker.ID))
	_, held, err = s.Leases.Holder(t.Context(), "phone-WAITING_REPLY")
	require.NoError(t, err)
	require.False(t, held)
	require.ErrorIs(t, s.Leases.Take(t.Context(), "x", "nope"), store.ErrNotFound)
}

func TestTheNextRunOfASessionInheritsThePhone(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", r.ID))
	_, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Completed})
	require.NoError(t, err)
	next, err := s.Runs.Create(t.Context(), store.Run{SessionID: r.SessionID, Task: "next"})
	require.NoError(t, err)
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", next.ID))
	require.NoError(t, s.Leases.Release(t.Context(), "emu-1", r.ID),
		"the old run has nothing to give back")
	h, held, err := s.Leases.Holder(t.Context(), "emu-1")
	require.NoError(t, err)
	require.True(t, held)
	require.Equal(t, next.ID, h.RunID)
}

func TestARunOfADeadOwnerEndsAsItLeftWordOf(t *testing.T) {
	dir := t.TempDir()
	dying, s := open2(t, dir), open(t, dir, nil)
	ended, taken := started(t, dying), started(t, dying)
	_, holds, err := dying.Begin(t.Context(), store.Session{Serial: "emu-2"},
		store.Run{Task: "taploop test: s.yaml", State: store.Running})
	require.NoError(t, err)
	for _, r := range []store.Run{ended, taken} {
		require.NoError(t, dying.Owner.LeaveEnd(r.ID, store.Cancelled, agentloop.Cancelled, "over"))
	}
	dying.Owner.TakeEnd(taken.ID)
	require.NoError(t, dying.Leases.Take(t.Context(), "emu-1", ended.ID))
	require.NoError(t, dying.Close())
	for range 2 { // the second time there is nothing to recover
		_, err := s.Runs.HandOver(t.Context(), func(store.Run) bool { return false })
		require.NoError(t, err)
	}
	got, err := s.Runs.Get(t.Context(), ended.ID)
	require.NoError(t, err)
	require.Equal(t, store.Cancelled, got.State)
	require.Equal(t, "over", got.Error)
	require.False(t, got.EndedAt.IsZero())
	got, err = s.Runs.Get(t.Context(), taken.ID)
	require.NoError(t, err)
	require.Equal(t, store.Queued, got.State)
	got, err = s.Runs.Get(t.Context(), holds.ID)
	require.NoError(t, err)
	require.Equal(t, store.Cancelled, got.State, "it is no task for another machine")
	_, held, err := s.Leases.Holder(t.Context(), "emu-1")
	require.NoError(t, err)
	require.False(t, held)
}

func TestWhatADeadOwnerLeftIsPausedAndItsPhoneIsFree(t *testing.T) {
	dir := t.TempDir()
	dying, s := open2(t, dir), open(t, dir, nil)
	var runs [6]store.Run
	for i := range runs {
		runs[i] = started(t, dying)
	}
	interrupted, clean, unstarted := runs[0], runs[1], runs[5]
	waiting, asked, paused := runs[2], runs[3], runs[4]
	j := dying.Journal(interrupted)
	require.NoError(t, j.Intent(t.Context(), step(t, 1, actions.Home{})))
	require.NoError(t, j.Done(t.Context(), step(t, 1, actions.Home{}),
		agentloop.Progress{Steps: 1, Summary: "went home"}))
	require.NoError(t, j.Intent(t.Context(), step(t, 2, actions.Type{Text: "pay 100"})))
	require.NoError(t, dying.Journal(clean).Done(t.Context(), step(t, 1, actions.Home{}),
		agentloop.Progress{Steps: 1}))
	b := inquiry.NewBroker(dying.Questions, nil)
	q, err := b.Open(t.Context(), inquiry.Question{RunID: waiting.ID, SessionID: waiting.SessionID,
		Fence: waiting.Fence, Text: "when?"})
	require.NoError(t, err)
	waiting, err = dying.Runs.Transition(t.Context(), waiting.ID,
		store.Change{To: store.WaitingReply, Question: q.ID})
	require.NoError(t, err)
	q2, err := b.Open(t.Context(), inquiry.Question{RunID: asked.ID, SessionID: asked.SessionID,
		Fence: asked.Fence, Text: "when?"})
	require.NoError(t, err)
	paused, err = dying.Runs.Transition(t.Context(), paused.ID,
		store.Change{To: store.Paused, Reason: agentloop.UserPaused})
	require.NoError(t, err)
	require.NoError(t, dying.Leases.Take(t.Context(), "emu-1", interrupted.ID))

	alive := started(t, s)
	left, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)
	require.Empty(t, left, "all owners are alive")
	require.Error(t, s.Leases.Take(t.Context(), "emu-1", alive.ID))

	require.NoError(t, dying.Close())
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", alive.ID))
	left, err = s.Runs.Recover(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 4)
	got := map[string]store.Run{}
	for _, r := range left {
		got[r.ID] = r
		stored, err := s.Runs.Get(t.Context(), r.ID)
		require.NoError(t, err)
		require.Equal(t, r, stored)
	}
	for _, r := range []store.Run{interrupted, clean, unstarted} {
		require.Equal(t, store.Paused, got[r.ID].State)
		require.Equal(t, agentloop.ServerRestarted, got[r.ID].StopReason)
		require.Greater(t, got[r.ID].Fence, r.Fence)
	}
	require.Equal(t, agentloop.Progress{Steps: 2, Summary: "went home",
		Notes: []agentloop.Note{{Kind: agentloop.NoteOutcomeUnknown,
			Action: `type "pay 100"`}}}, got[interrupted.ID].Progress)
	require.Equal(t, agentloop.Progress{Steps: 1}, got[clean.ID].Progress)
	require.Equal(t, store.WaitingReply, got[asked.ID].State, "its question is not lost")
	require.Equal(t, q2.ID, got[asked.ID].QuestionID)
	for _, r := range []store.Run{waiting, paused, alive} {
		now, err := s.Runs.Get(t.Context(), r.ID)
		require.NoError(t, err)
		require.Equal(t, r, now)
	}
	steps, err := s.Steps(t.Context(), interrupted.SessionID, 0)
	require.NoError(t, err)
	require.Equal(t, store.Unknown, steps[1].State)
	x, err := s.Session(t.Context(), interrupted.SessionID)
	require.NoError(t, err)
	require.Equal(t, 2, x.Steps, "the next step is another one")

	left, err = s.Runs.Recover(t.Context())
	require.NoError(t, err)
	require.Empty(t, left, "once")
}

// open2 is a store that the test closes by itself.
func open2(t testing.TB, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, storetest.On(t, dir, nil))
	require.NoError(t, err)
	return s
}

func TestResumingARunWhoseOutcomeWasLostTellsTheModel(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.NoError(t, s.Journal(r).Intent(t.Context(), step(t, 1, actions.Back{})))
	_, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused})
	require.NoError(t, err)
	r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running,
		Progress: agentloop.Progress.Resumed})
	require.NoError(t, err)
	require.Equal(t, []agentloop.Note{{Kind: agentloop.NoteResumed},
		{Kind: agentloop.NoteOutcomeUnknown, Action: "go back"}}, r.Progress.Notes)
	require.Equal(t, 1, r.Progress.Steps)
}

// The question is stored while its step is under way: who answers it finds a run that has asked
// it.
func TestACrashBetweenAQuestionAndItsStepKeepsBoth(t *testing.T) {
	dir := t.TempDir()
	dying, s := open2(t, dir), open(t, dir, nil)
	asked, early := started(t, dying), started(t, dying)
	asks := step(t, 1, actions.Info{Question: "when?"})
	asks.Asks = agentloop.KindInfo
	require.NotEmpty(t, asks.Proposal.Summary)
	require.NoError(t, dying.Journal(asked).Intent(t.Context(), asks))
	q, err := inquiry.NewBroker(dying.Questions, nil).Open(t.Context(),
		inquiry.Question{RunID: asked.ID, SessionID: asked.SessionID, Fence: asked.Fence,
			Text: "when?"})
	require.NoError(t, err)
	require.NoError(t, dying.Journal(early).Intent(t.Context(), asks))
	require.NoError(t, dying.Close())

	_, err = s.Runs.Recover(t.Context())
	require.NoError(t, err)
	now, err := s.Runs.Get(t.Context(), asked.ID)
	require.NoError(t, err)
	require.Equal(t, store.WaitingReply, now.State)
	require.Equal(t, q.ID, now.QuestionID)
	require.Equal(t, agentloop.Progress{Task: asked.Task, Steps: 1, Questions: 1,
		Summary: asks.Proposal.Summary}, now.Progress, "as if it had come a moment later")
	steps, err := s.Steps(t.Context(), asked.SessionID, 0)
	require.NoError(t, err)
	require.Equal(t, store.Done, steps[0].State)

	// Before the question was stored nobody knew of it: it is asked again, and there is nothing to
	// warn the model of.
	now, err = s.Runs.Get(t.Context(), early.ID)
	require.NoError(t, err)
	require.Equal(t, store.Paused, now.State)
	require.Equal(t, agentloop.Progress{Task: early.Task, Steps: 1}, now.Progress)
}

// A gate's question is about a gesture: after the crash that is still pending, and nothing is said
// to have been done.
func TestACrashWhileAGateParksItsQuestionKeepsTheActionPending(t *testing.T) {
	dir := t.TempDir()
	dying, s := open2(t, dir), open(t, dir, nil)
	asked, early, again := started(t, dying), started(t, dying), started(t, dying)
	tap := step(t, 1, actions.Back{})
	tap.Asks = "approval"
	pending := func(step int) *agentloop.Pending {
		return &agentloop.Pending{Decision: tap.Proposal.Decision, Step: step}
	}
	yes := actions.Exchange{Question: "sure?", Answer: "yes", Outcome: actions.Answered}
	answered := agentloop.Progress{Task: "t",
		Notes:   []agentloop.Note{{Kind: agentloop.NoteResumed}},
		Pending: &agentloop.Pending{Decision: tap.Proposal.Decision, Answer: &yes}}
	require.NoError(t, dying.Journal(again).Done(t.Context(), step(t, 1, actions.Home{}), answered))
	second := tap
	second.Index = 2
	for _, r := range []store.Run{asked, early} {
		require.NoError(t, dying.Journal(r).Intent(t.Context(), tap))
	}
	require.NoError(t, dying.Journal(again).Intent(t.Context(), second))
	b := inquiry.NewBroker(dying.Questions, nil)
	back := &inquiry.Approval{ActionRequests: []inquiry.ActionRequest{{Name: "BACK"}},
		ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "BACK",
			AllowedDecisions: []string{inquiry.Approve}}}}
	ask(t, b, asked, inquiry.Question{Kind: inquiry.KindApproval, Text: "sure?",
		Body: back})
	ask(t, b, again, inquiry.Question{Kind: inquiry.KindApproval, Text: "still sure?",
		Body: back})
	require.NoError(t, dying.Close())

	_, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)

	for _, c := range []struct {
		run   store.Run
		state store.State
		want  agentloop.Progress
	}{
		{asked, store.WaitingApproval,
			agentloop.Progress{Task: asked.Task, Steps: 1, Summary: "began", Pending: pending(1)}},
		{early, store.Paused, agentloop.Progress{Task: early.Task, Steps: 1}},
		{again, store.WaitingApproval, agentloop.Progress{Task: "t", Steps: 1,
			Notes: answered.Notes, Pending: pending(2)}},
	} {
		now, err := s.Runs.Get(t.Context(), c.run.ID)
		require.NoError(t, err)
		require.Equal(t, c.state, now.State)
		require.Equal(t, c.want, now.Progress)
	}
}
