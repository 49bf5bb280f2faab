package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/store"
)

// approved is a run whose first step has asked about a gesture, and which runs again since that was
// approved.
func approved(t *testing.T, s *store.Store) (store.Run, agentloop.Step) {
	t.Helper()
	r := started(t, s)
	tap := step(t, 1, actions.Back{})
	tap.Asks, tap.Refusal, tap.Exchange = "approval", "not carried out yet", nil
	tap.Judging = agentloop.Spending{Calls: 1, PromptTokens: 5, CompletionTokens: 1}
	j := s.Journal(r)
	require.NoError(t, j.Intent(t.Context(), tap))
	b := inquiry.NewBroker(s.Questions, nil)
	q := ask(t, b, r, inquiry.Question{Kind: inquiry.KindApproval, Text: "sure?", Step: 1,
		Frame: r.FrameID(1), Body: &inquiry.Approval{
			ActionRequests: []inquiry.ActionRequest{{Name: "BACK"}},
			ReviewConfigs: []inquiry.ReviewConfig{{ActionName: "BACK",
				AllowedDecisions: []string{inquiry.Approve}}}}})
	require.NoError(t, j.Done(t.Context(), tap, agentloop.Progress{Steps: 1,
		Pending: &agentloop.Pending{Decision: tap.Proposal.Decision, Step: 1}}))
	_, err := b.Resolve(t.Context(), q.ID, inquiry.Reply{Type: inquiry.TypeDecisions,
		Decisions: []inquiry.Decision{{Type: inquiry.Approve}},
		Authority: inquiry.AuthorityLocalOperator})
	require.NoError(t, err)
	_, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Queued, Apply: q.ID,
		Exchange: actions.Exchange{Question: "sure?", Answer: "yes", Outcome: actions.Answered},
		Ruling:   &agentloop.Ruling{Type: agentloop.Approve}})
	require.NoError(t, err)
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Equal(t, "not carried out yet: it was approved", steps[0].Refusal)
	r, err = s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	tap = step(t, 1, actions.Back{})
	tap.Exchange, tap.Refusal, tap.Proposal.Tries = nil, "", nil
	return r, tap
}

func TestTheOutcomeOfAnApprovedGestureIsAddedToTheStepThatAsked(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	r, tap := approved(t, s)
	j := s.Journal(r)
	asked, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	before := usage(t, s, r.SessionID)[r.ID]

	require.NoError(t, j.Intent(t.Context(), tap))
	tap.Judging.Calls = 1
	require.NoError(t, j.Done(t.Context(), tap, agentloop.Progress{Steps: 1}))

	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	want := asked[0]
	want.Asks, want.Refusal, want.DoneAt = "", "", steps[0].DoneAt
	want.Timing = want.Timing.Plus(tap.Timing)
	require.Equal(t, []store.StepRecord{want}, steps)
	require.Equal(t, "yes", want.Exchange.Answer)
	now := usage(t, s, r.SessionID)[r.ID]
	require.Equal(t, []int{1, before.Calls + 1, before.PromptTokens, before.CompletionTokens},
		[]int{now.Steps, now.Calls, now.PromptTokens, now.CompletionTokens})
	require.Equal(t, before.Timing.Plus(tap.Timing), now.Timing)
	require.Error(t, j.Intent(t.Context(), tap), "it is settled once")
	require.NoError(t, j.Done(t.Context(), step(t, 2, actions.Home{}), agentloop.Progress{}))
}

// A crash between the intent and the outcome leaves one step of which nothing is known, and nothing
// to carry out.
func TestACrashWhileAnApprovedGestureIsCarriedOutIsNotRepeated(t *testing.T) {
	dir := t.TempDir()
	dying, s := open2(t, dir), open(t, dir, nil)
	r, tap := approved(t, dying)
	require.NoError(t, dying.Journal(r).Intent(t.Context(), tap))
	require.NoError(t, dying.Close())

	_, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)

	now, err := s.Runs.Get(t.Context(), r.ID)
	require.NoError(t, err)
	require.Nil(t, now.Progress.Pending)
	require.Equal(t, 1, now.Progress.Steps)
	require.Equal(t, agentloop.NoteOutcomeUnknown, now.Progress.Notes[0].Kind)
	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.Equal(t, store.Unknown, steps[0].State)
	require.Empty(t, steps[0].Refusal)
}

// The gate asks again, and the process dies before the question is stored: the gate is asked once
// more, in the same step.
func TestACrashBeforeAGateAsksAgainKeepsTheStep(t *testing.T) {
	dir := t.TempDir()
	dying, s := open2(t, dir), open(t, dir, nil)
	r, tap := approved(t, dying)
	asks := tap
	asks.Asks, asks.Refusal = "approval", "not carried out yet"
	require.NoError(t, dying.Journal(r).Intent(t.Context(), asks))
	require.NoError(t, dying.Close())
	_, err := s.Runs.Recover(t.Context())
	require.NoError(t, err)
	now, err := s.Runs.Transition(t.Context(), r.ID, store.Change{To: store.Running})
	require.NoError(t, err)
	require.Equal(t, 0, now.Progress.From(1))
	require.Equal(t, 1, now.Progress.Steps)

	j := s.Journal(now)
	require.NoError(t, j.Intent(t.Context(), tap))
	require.NoError(t, j.Done(t.Context(), tap, agentloop.Progress{Steps: 1}))

	steps, err := s.Steps(t.Context(), r.SessionID, 0)
	require.NoError(t, err)
	require.Len(t, steps, 1)
	require.Equal(t, store.Done, steps[0].State)
	require.Equal(t, r.FrameID(1), steps[0].FrameID, "of the last question")
	first := r
	first.Fence--
	_, err = s.Frame(t.Context(), first.FrameID(1))
	require.NoError(t, err, "the picture of the first question")
}
