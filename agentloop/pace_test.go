package agentloop_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// pacedRun is a run of so many taps on a phone that moves for so long after each.
func pacedRun(
	t *testing.T, n int, moves time.Duration, p agentloop.Pace,
) (*rig, agentloop.Ending) {
	var acts []actions.Action
	for i := range n {
		acts = append(acts, tap(float64(i*900/n), 1))
	}
	r, thinker := newEarlyRig(append(acts, actions.Complete{})...)
	thinker.thinks, r.runner.EarlyAlways, r.runner.Pace = 300*time.Millisecond, false, p
	r.runner.Limits.Steps = 2 * n
	r.phone.touch = func(context.Context) error { r.phone.moving = moves; return nil }
	end, _ := run(t, r, "x")
	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	return r, end
}

func TestARunKnowsThePaceThatTheOneBeforeHasSeen(t *testing.T) {
	moves := 250 * time.Millisecond
	first, end := pacedRun(t, 6, moves, agentloop.Pace{})
	require.Greater(t, first.journal.steps[2].Timing.Settle, 300*time.Millisecond)
	kept, err := json.Marshal(end.Pace)
	require.NoError(t, err)
	var known agentloop.Pace
	require.NoError(t, json.Unmarshal(kept, &known))
	require.Equal(t, end.Pace, known)

	next, end := pacedRun(t, 3, moves, known)

	for _, s := range next.journal.steps[1:3] {
		require.LessOrEqual(t, s.Timing.Settle, 300*time.Millisecond, s.Index)
		require.Len(t, s.Proposal.Tries, 1)
	}
	require.Greater(t, end.Pace.Asked, known.Asked)
}

// The first look comes ever closer to when the screens are at rest, and seldom before.
func TestTheRestAfterATouchIsFoundOut(t *testing.T) {
	for _, moves := range []time.Duration{30, 120, 250, 330} {
		moves *= time.Millisecond
		var p agentloop.Pace
		sooner, requests, late := 0, 0, 0
		for i := range 12 {
			r, end := pacedRun(t, 20, moves, p)
			for _, s := range r.journal.steps {
				requests += len(s.Proposal.Tries)
				sooner += len(s.Proposal.Tries) - 1
				if i > 3 && s.Timing.Settle > moves+140*time.Millisecond {
					late++ // more than the first look, or that much too late
				}
			}
			p = end.Pace
		}
		require.GreaterOrEqual(t, p.Enough, moves)
		require.LessOrEqual(t, p.Enough, moves+40*time.Millisecond, moves)
		require.LessOrEqual(t, sooner*20, requests, moves)
		require.LessOrEqual(t, late, 6, moves)
	}
}

// A phone whose screens have become slower is not asked about in vain for long.
func TestAPaceThatDoesNotHoldAnyMoreIsLearntAnew(t *testing.T) {
	_, end := pacedRun(t, 20, 100*time.Millisecond, agentloop.Pace{})
	in, requests := 0, 0
	for range 4 {
		var r *rig
		r, end = pacedRun(t, 20, 280*time.Millisecond, end.Pace)
		for _, s := range r.journal.steps {
			in += len(s.Proposal.Tries) - 1
			requests += len(s.Proposal.Tries)
		}
	}
	require.Positive(t, in)
	require.LessOrEqual(t, in*20, requests)
	require.GreaterOrEqual(t, end.Pace.Rest, 280*time.Millisecond)
}
