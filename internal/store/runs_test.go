package store_test

import (
	"fmt"
	"os"
	"path/filepath"
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
)

func TestOfFiftyWhoMoveARunOneWins(t *testing.T) {
	dir := t.TempDir()
	stores := []*store.Store{open(t, dir, nil), open(t, dir, nil)}
	r := started(t, stores[0])
	r, err := stores[0].Runs.Transition(t.Context(), r.ID,
		store.Change{To: store.Paused, Reason: agentloop.UserPaused})
	require.NoError(t, err)

	const n = 50
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			_, errs[i] = stores[i%2].Runs.Transition(t.Context(), r.ID,
				store.Change{From: []store.State{store.Paused}, To: store.Running})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		var lost *store.StateError
		require.ErrorAs(t, err, &lost)
		require.Equal(t, store.Running, lost.State)
		require.EqualError(t, err,
			fmt.Sprintf("moving the run to RUNNING: run %s is RUNNING (want PAUSED)", r.ID))
	}
	require.Equal(t, 1, won)
}

func TestARunKeepsWhatAChangeDoesNotName(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.Equal(t, s.Owner.ID, r.Owner)
	paused, err := s.Runs.Transition(t.Context(), r.ID,
		store.Change{To: store.Paused, Reason: agentloop.MaxStepsReached, MaxSteps: 30,
			Err: "tired"})
	require.NoError(t, err)
	want := r
	want.State, want.StopReason = store.Paused, agentloop.MaxStepsReached
	want.MaxSteps, want.Error = 30, "tired"
	want.UpdatedAt = paused.UpdatedAt
	require.Equal(t, want, paused)
	stored, err := s.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, want, stored)

	done, err := s.Runs.Transition(t.Context(), r.ID,
		store.Change{To: store.Completed, Reason: agentloop.TaskCompleted,
			Answer: "rings at 7"})
	require.NoError(t, err)
	require.Equal(t, "rings at 7", done.Answer)
	require.Empty(t, done.Error)
	require.Equal(t, done.UpdatedAt, done.EndedAt)
	var state *store.StateError
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
	require.ErrorAs(t, err, &state, "a terminal run never goes on")
	_, err = s.Runs.Transition(t.Context(), "nope", store.Change{To: store.Running})
	require.ErrorIs(t, err, store.ErrNotFound)
	r2, err := s.Runs.Create(t.Context(), store.Run{SessionID: r.SessionID, Task: "next"})
	require.NoError(t, err)
	_, err = s.Runs.Transition(t.Context(), r2.ID, store.Change{To: "DANCING"})
	require.ErrorContains(t, err, `unknown state "DANCING"`)
}

func TestASessionHasOneRunAtATime(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	_, err := s.Runs.Create(t.Context(), store.Run{SessionID: r.SessionID, Task: "another"})
	var busy *store.StateError
	require.ErrorAs(t, err, &busy)
	require.Equal(t, r.ID, busy.RunID)
	_, err = s.Runs.Create(t.Context(), store.Run{SessionID: "nope", Task: "another"})
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NotEmpty(t, hint.Of(err))

	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	next, err := s.Runs.Create(t.Context(), store.Run{SessionID: r.SessionID, Task: "another",
		Progress: agentloop.Progress{Remembered: []string{"x"}}})
	require.NoError(t, err)
	require.Equal(t, 2, next.Seq)
	require.Equal(t, agentloop.Progress{Task: "another", Remembered: []string{"x"}}, next.Progress)
	latest, err := s.LatestRun(t.Context(), r.SessionID)
	require.NoError(t, err)
	require.Equal(t, next, latest)
	all, err := s.Runs.Of(t.Context(), r.SessionID)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, next, all[1])
}

func TestSessionsAreListedWithTheirLatestRunNewestFirst(t *testing.T) {
	var clock atomic.Int64
	now := func() time.Time { return time.UnixMilli(1_700_000_000_000 + clock.Add(1000)) }
	s := open(t, t.TempDir(), &store.Options{Now: now})
	a, b := started(t, s), started(t, s)
	other, _, err := s.Begin(t.Context(), store.Session{Serial: "emu-2",
		Device: store.Device{ID: "emu-2"}}, store.Run{Task: "wait"})
	require.NoError(t, err)
	a, err = s.Runs.Transition(t.Context(), a.ID,
		store.Change{To: store.Completed, Reason: agentloop.TaskCompleted, Answer: "yes"})
	require.NoError(t, err)

	list := func(f store.Filter) (ids []string) {
		all, err := s.Sessions(t.Context(), f)
		require.NoError(t, err)
		for _, o := range all {
			ids = append(ids, o.Session.ID)
		}
		return ids
	}
	require.Equal(t, []string{a.SessionID, other.ID, b.SessionID}, list(store.Filter{}))
	require.Equal(t, []string{a.SessionID, other.ID}, list(store.Filter{Limit: 2}))
	require.Equal(t, []string{b.SessionID}, list(store.Filter{State: store.Running}))
	require.Equal(t, []string{a.SessionID}, list(store.Filter{Reason: a.StopReason,
		State: store.Completed}))
	require.Empty(t, list(store.Filter{Reason: "NO_SUCH", State: store.Completed}))
	all, err := s.Sessions(t.Context(), store.Filter{})
	require.NoError(t, err)
	require.Equal(t, &a, all[0].Latest)
	require.Equal(t, store.Queued, all[1].Latest.State)
}

func TestStoppingARunWithdrawsItsQuestionsInTheSameMoment(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	b := inquiry.NewBroker(s.Questions, nil)
	for range 20 {
		q, err := b.Open(t.Context(), inquiry.Question{SessionID: r.SessionID, RunID: r.ID,
			Fence: r.Fence, Text: "when?"})
		require.NoError(t, err)
		r, err = s.Runs.Transition(t.Context(), r.ID,
			store.Change{To: store.WaitingReply, Question: q.ID,
				Reason: agentloop.InfoNeedsReply})
		require.NoError(t, err)
		require.Equal(t, q.ID, r.QuestionID)

		var answered, stopped error
		var wg sync.WaitGroup
		wg.Go(func() {
			_, answered = b.Resolve(t.Context(), q.ID,
				inquiry.Reply{Response: "at 7", Channel: "http"})
		})
		wg.Go(func() {
			_, stopped = s.Runs.Transition(t.Context(), r.ID,
				store.Change{To: store.Cancelled})
		})
		wg.Wait()
		require.NoError(t, stopped)
		now, err := b.Get(t.Context(), q.ID)
		require.NoError(t, err)
		if answered == nil {
			require.Equal(t, inquiry.Answered, now.Status)
		} else {
			require.ErrorIs(t, answered, inquiry.ErrGone)
			require.Equal(t, inquiry.Withdrawn, now.Status)
		}
		_, err = s.Runs.Transition(t.Context(), r.ID,
			store.Change{To: store.Running, Apply: q.ID})
		var state *store.StateError
		require.ErrorAs(t, err, &state)
		ended, err := s.Runs.Get(t.Context(), r.ID)
		require.NoError(t, err)
		_, err = b.Apply(t.Context(), q.ID, ended.Fence)
		require.ErrorIs(t, err, inquiry.ErrFenced, "an answer that a stop overtook is not applied")

		r, err = s.Runs.Create(t.Context(), store.Run{SessionID: r.SessionID, Task: "again"})
		require.NoError(t, err)
		r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
		require.NoError(t, err)
	}
}

func TestAfterAStopNobodyCanAnswer(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	b := inquiry.NewBroker(s.Questions, nil)
	q, err := b.Open(t.Context(), inquiry.Question{SessionID: r.SessionID, RunID: r.ID,
		Fence: r.Fence, Text: "when?"})
	require.NoError(t, err)
	other, err := b.Open(t.Context(), inquiry.Question{RunID: "another", Text: "when?"})
	require.NoError(t, err)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "at 7", Channel: "http"})
	require.ErrorIs(t, err, inquiry.ErrGone)
	require.ErrorContains(t, err, "the run has ended: CANCELLED")
	_, err = b.Resolve(t.Context(), other.ID, inquiry.Reply{Response: "at 7", Channel: "http"})
	require.NoError(t, err, "other questions stay")
}

func TestAnAnswerIsAppliedWithTheChangeThatUsesItOnce(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	b := inquiry.NewBroker(s.Questions, nil)
	q, err := b.Open(t.Context(), inquiry.Question{SessionID: r.SessionID, RunID: r.ID, Step: 1,
		Fence: r.Fence, Text: "when?"})
	require.NoError(t, err)
	st := step(t, 1, actions.Info{Question: "when?"})
	st.Exchange = nil
	require.NoError(t, s.Journal(r).Done(t.Context(), st,
		agentloop.Progress{Steps: 1, Questions: 1}))
	r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.WaitingReply,
		Question: q.ID})
	require.NoError(t, err)
	exchange := actions.Exchange{Question: "when?", Answer: "at 7", Outcome: actions.Answered}
	resume := store.Change{From: []store.State{store.WaitingReply}, To: store.Running,
		Fence: r.Fence, Apply: q.ID, Exchange: exchange, Progress: agentloop.Progress.Resumed}
	_, err = s.Runs.Transition(t.Context(), r.ID, resume)
	require.ErrorIs(t, err, inquiry.ErrPending)
	_, err = b.Resolve(t.Context(), q.ID, inquiry.Reply{Response: "at 7", Channel: "http"})
	require.NoError(t, err)

	other := resume
	other.Fence++
	_, err = s.Runs.Transition(t.Context(), r.ID, other)
	require.ErrorIs(t, err, store.ErrFenced)
	resumed, err := s.Runs.Transition(t.Context(), r.ID, resume)
	require.NoError(t, err)
	want := agentloop.Progress{Steps: 1, Questions: 1, Exchanges: []actions.Exchange{exchange},
		ReplyJustIn: true, Notes: []agentloop.Note{{Kind: agentloop.NoteResumed}}}
	require.Equal(t, want, resumed.Progress)
	require.Empty(t, resumed.QuestionID)
	require.Equal(t, r.Fence+1, resumed.Fence)
	q, err = b.Get(t.Context(), q.ID)
	require.NoError(t, err)
	require.False(t, q.AppliedAt.IsZero())
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Equal(t, &exchange, steps[0].Exchange, "the step that asked shows the answer")
	_, err = b.Apply(t.Context(), q.ID, q.Fence)
	require.ErrorIs(t, err, inquiry.ErrApplied)
}

func TestAFailedChangeChangesNothing(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	_, err := s.Runs.Transition(t.Context(), r.ID,
		store.Change{To: store.Completed, Apply: "nope"})
	require.ErrorIs(t, err, inquiry.ErrNotFound)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused,
		Settings: []byte("{")})
	require.ErrorContains(t, err, "the settings are not JSON")
	now, err := s.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, r, now)
}

func TestAWriterFromAFormerLifeIsRefused(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	r := started(t, s)
	old := s.Journal(r)
	first := step(t, 1, actions.Home{})
	require.NoError(t, old.Intent(t.Context(), first))

	r2, err := other.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	require.Greater(t, r2.Fence, r.Fence)
	err = old.Done(t.Context(), first, agentloop.Progress{Summary: "late"})
	require.ErrorIs(t, err, store.ErrFenced)
	require.Contains(t, err.Error(), "CANCELLED")
	require.ErrorIs(t, old.Intent(t.Context(), step(t, 2, actions.Home{})), store.ErrFenced)
	require.ErrorIs(t, old.Done(t.Context(), step(t, 2, actions.Info{}), agentloop.Progress{}),
		store.ErrFenced)

	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.Equal(t, store.Done, steps[0].State, "what the phone did is known")
	now, err := s.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Equal(t, r2, now, "its progress is not")
}

func TestAWriterIsRefusedWhenTheRunGoesOnElsewhere(t *testing.T) {
	dir := t.TempDir()
	s, other := open(t, dir, nil), open(t, dir, nil)
	r := started(t, s)
	old := s.Journal(r)
	_, err := other.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Paused})
	require.NoError(t, err)
	r2, err := other.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	require.Equal(t, other.Owner.ID, r2.Owner)
	require.ErrorIs(t, old.Intent(t.Context(), step(t, 1, actions.Home{})), store.ErrFenced)
	require.ErrorIs(t, old.Done(t.Context(), step(t, 1, actions.Home{}), agentloop.Progress{}),
		store.ErrFenced)
	require.NoError(t, other.Journal(r2).Intent(t.Context(), step(t, 1, actions.Home{})))
}

func TestAPausedRunTouchesNothingMore(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	j := s.Journal(r)
	require.NoError(t, j.Intent(t.Context(), step(t, 1, actions.Home{})))
	_, err := s.Runs.Transition(t.Context(), r.ID,
		store.Change{To: store.Paused, Reason: agentloop.UserPaused})
	require.NoError(t, err)
	require.NoError(t, j.Done(t.Context(), step(t, 1, actions.Home{}),
		agentloop.Progress{Steps: 1}), "the action that was under way is noted")
	require.ErrorIs(t, j.Intent(t.Context(), step(t, 2, actions.Home{})), store.ErrFenced)
}

func TestAStepIsWrittenOnce(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	j := s.Journal(started(t, s))
	require.NoError(t, j.Done(t.Context(), step(t, 1, actions.Home{}), agentloop.Progress{}))
	require.ErrorContains(t, j.Done(t.Context(), step(t, 1, actions.Home{}), agentloop.Progress{}),
		"has a step 1 already")
	require.ErrorContains(t, j.Intent(t.Context(), step(t, 1, actions.Home{})),
		"has a step 1 already")
}

func TestAStepWithoutActionOrFrameIsWritten(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	st := agentloop.Step{Index: 1, Local: 1,
		Proposal: agentloop.Proposal{Tries: []agentloop.Try{{Reply: "???", Error: "no action"}}}}
	require.NoError(t, s.Journal(r).Done(t.Context(), st, agentloop.Progress{}))
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Nil(t, steps[0].Proposal.Action)
	require.Empty(t, steps[0].FrameID)
	require.Equal(t, st.Proposal.Tries, steps[0].Proposal.Tries)
	steps, err = s.Steps(t.Context(), r.SessionID, 1)
	require.NoError(t, err)
	require.Empty(t, steps)
}

func TestAFrameThatIsNotThereIsNotFound(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "other"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other", "1.1.jpeg"), []byte("x"), 0o600))
	for _, id := range []string{"", "abc.1.1", "../../etc/passwd", "../other.1.1", "..1.1"} {
		_, err := s.Frame(t.Context(), id)
		require.ErrorIs(t, err, store.ErrNotFound, id)
	}
}

// A state that no run is in counts as zero: a gauge that vanishes keeps its last value.
func TestTheLoadHasEveryStateOfWorkUnderWay(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	none, err := s.Load(t.Context())
	require.NoError(t, err)
	require.Len(t, none.Runs, 6)
	started(t, s)
	load, err := s.Load(t.Context())
	require.NoError(t, err)
	for state, n := range load.Runs {
		require.Zero(t, none.Runs[state])
		require.False(t, state.Terminal())
		require.Equal(t, state == store.Running, n == 1, state)
	}
	require.Len(t, load.Runs, 6)
}
