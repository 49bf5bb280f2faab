package store_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/guard"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// behind says behind which step the steps of a snapshot begin.
func behind(n int) func(store.Run) (int, error) {
	return func(store.Run) (int, error) { return n, nil }
}

func TestASnapshotIsWhatTheSingleReadsSay(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	require.NoError(t, s.Leases.Take(t.Context(), "emu-1", r.ID))
	for i := range 3 {
		st := step(t, i+1, actions.Home{})
		st.Timing.Again = time.Duration(i/2) * time.Second
		require.NoError(t, s.Journal(r).Done(t.Context(), st, agentloop.Progress{Steps: i + 1}))
	}

	for _, g := range []guard.Grant{{Scope: guard.ForAll}, {Scope: guard.ForSession,
		Name: r.SessionID}, {Scope: guard.ForSession, Name: "another"}} {
		g.Until = time.Now().Add(time.Hour)
		require.NoError(t, s.Grants.Give(t.Context(), g, store.AuditEntry{}))
	}

	got, err := s.Snapshot(t.Context(), r.SessionID, func(now store.Run) (int, error) {
		require.Equal(t, r.ID, now.ID)
		return 1, nil
	})

	require.NoError(t, err)
	var want store.Snapshot
	want.Session, err = s.Session(t.Context(), r.SessionID)
	require.NoError(t, err)
	want.Run, err = s.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	want.Usage = store.Usage{Steps: 3, Calls: 6, Again: 1, PromptTokens: 66, CompletionTokens: 15,
		Timing: agentloop.Timing{Settle: 9 * time.Millisecond, Look: 3 * time.Millisecond,
			Decide: 9 * time.Second, Model: 6 * time.Second, Touch: 6 * time.Millisecond}}
	want.Steps, err = s.Steps(t.Context(), r.SessionID, 1)
	require.NoError(t, err)
	h, held, err := s.Leases.Holder(t.Context(), "emu-1")
	require.NoError(t, err)
	require.True(t, held)
	want.Holder = &h
	want.Grants, err = s.Grants.List(t.Context(), nil)
	require.NoError(t, err)
	want.Grants = want.Grants[:2]
	require.Equal(t, want, got)
	require.Len(t, got.Steps, 2)

	got, err = s.Snapshot(t.Context(), r.SessionID, behind(3))
	require.NoError(t, err)
	require.Len(t, got.Steps, 1, "the last step is always there")
}

func TestASnapshotHasTheQuestionWhoseAnswerIsNotUsedYet(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	b := inquiry.NewBroker(s.Questions, nil)
	r := started(t, s)
	shown := func() *inquiry.Question {
		v, err := s.Snapshot(t.Context(), r.SessionID, behind(0))
		require.NoError(t, err)
		return v.Question
	}
	require.Nil(t, shown())
	earlier := r
	earlier.Fence--
	ask(t, b, earlier, inquiry.Question{Text: "of a former life"})
	require.Nil(t, shown())

	q := ask(t, b, r, inquiry.Question{Text: "when?"})
	require.Equal(t, &q, shown())
	_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeAnswer,
		Response: "at 7"})
	require.NoError(t, err)
	require.Equal(t, inquiry.Answered, shown().Status)
	_, err = b.Apply(t.Context(), q.ID, r.Fence)
	require.NoError(t, err)
	require.Nil(t, shown())

	ask(t, b, r, inquiry.Question{Text: "never mind"})
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Cancelled})
	require.NoError(t, err)
	require.Nil(t, shown(), "withdrawn with its run")
}

func TestASnapshotOfNothing(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	_, err := s.Snapshot(t.Context(), "nope", behind(0))
	require.ErrorIs(t, err, store.ErrNotFound)
	failed := errors.New("settings of a newer program")
	r := started(t, s)
	_, err = s.Snapshot(t.Context(), r.SessionID,
		func(store.Run) (int, error) { return 0, failed })
	require.ErrorIs(t, err, failed)
}

func TestRecoverWritesNothingWhenThereIsNothingToRecover(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	started(t, s)
	db, err := sql.Open("sqlite", filepath.Join(dir, "taploop.db")+"?_txlock=immediate")
	require.NoError(t, err)
	defer db.Close()
	writer, err := db.BeginTx(context.Background(), nil) // nobody else can write now
	require.NoError(t, err)
	defer writer.Rollback()

	left, err := s.Runs.Recover(t.Context())

	require.NoError(t, err)
	require.Empty(t, left)
}

// What is added up as steps are written is what they come to when they are read.
func TestTheUsageOfARunIsThatOfItsSteps(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r := started(t, s)
	j := s.Journal(r)
	for i := 1; i <= 3; i++ {
		st := step(t, i, actions.Home{})
		st.Proposal.Tries = st.Proposal.Tries[:1]
		require.NoError(t, j.Intent(t.Context(), st))
		if i == 3 {
			break // it has no outcome
		}
		full := step(t, i, actions.Home{})
		full.Timing = agentloop.Timing{Done: 1, Settle: 2, Look: 3, Decide: 4, Model: 5, Ask: 6,
			Intent: 7, Check: 8, Touch: 9}
		require.NoError(t, j.Done(t.Context(), full, agentloop.Progress{Steps: i}))
	}
	other := started(t, s)
	require.NoError(t, s.Journal(other).Done(t.Context(), step(t, 1, actions.Home{}),
		agentloop.Progress{}))
	var want store.Usage
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	for _, st := range steps {
		want.Steps++
		for _, try := range st.Proposal.Tries {
			want.Calls++
			want.PromptTokens += try.PromptTokens
			want.CompletionTokens += try.CompletionTokens
		}
		sum, add := &want.Timing, st.Timing
		sum.Done, sum.Settle = sum.Done+add.Done, sum.Settle+add.Settle
		sum.Look += add.Look
		sum.Decide, sum.Model = sum.Decide+add.Decide, sum.Model+add.Model
		sum.Ask, sum.Intent = sum.Ask+add.Ask, sum.Intent+add.Intent
		sum.Check, sum.Touch = sum.Check+add.Check, sum.Touch+add.Touch
	}
	got := usage(t, s, r.SessionID)[r.ID]
	require.Equal(t, want, got)
	require.Equal(t, 5, got.Calls)

	begun := step(t, 4, actions.Home{})
	begun.Timing = agentloop.Timing{Ready: 1, Decide: 20, Model: 10, Again: 30}
	ends := store.Change{To: store.Paused, Fence: r.Fence, Begun: begun}
	_, err = s.Runs.Transition(t.Context(), r.ID, ends)
	require.NoError(t, err)
	ends.Fence++
	_, err = s.Runs.Transition(t.Context(), r.ID, ends)
	require.ErrorIs(t, err, store.ErrFenced)
	for range 2 { // what was spent is spent, also when another has ended that life
		for _, try := range begun.Proposal.Tries {
			want.Calls++
			want.PromptTokens += try.PromptTokens
			want.CompletionTokens += try.CompletionTokens
		}
		want.Timing.Ready += 1
		want.Timing.Decide += 20
		want.Timing.Model += 10
	}
	require.Equal(t, want, usage(t, s, r.SessionID)[r.ID])
}
