package agentloop_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/device/devicetest"
)

// reading is a policy that opens the app of that name by what the phone lists of its screen.
type reading struct{ app string }

func (r reading) Next(ctx context.Context, s agentloop.Situation) (agentloop.Proposal, error) {
	decided := func(a actions.Action) (agentloop.Proposal, error) {
		return agentloop.Proposal{Decision: actions.Decision{Action: a}}, nil
	}
	list, err := s.Reader.Elements(ctx)
	if err != nil {
		return agentloop.Proposal{}, err
	}
	for _, e := range list {
		if e.Text == r.app {
			return decided(actions.Click{At: e.Bounds.Center()})
		}
	}
	return decided(actions.Complete{Report: "it is open"})
}

func TestAPolicyMayReadTheScreen(t *testing.T) {
	f := devicetest.NewFake()
	r := agentloop.Runner{Phone: f, Policy: reading{"Clock"}, Journal: &journal{},
		Limits: agentloop.Limits{Steps: 5, Settle: -1}}
	end, _, err := r.Run(t.Context(), agentloop.Progress{Task: "open the clock"}, 0)
	require.NoError(t, err)
	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, 2, end.Steps)
	require.Equal(t, "com.android.deskclock", f.Front())
}

// peering is a gate that reads the elements, and asks a person first.
type peering struct{}

func (peering) Check(
	ctx context.Context, s agentloop.Situation, _ actions.Decision,
) (agentloop.Verdict, error) {
	_, err := s.Reader.Elements(ctx)
	if s.Pending != nil && s.Pending.Answer != nil {
		return agentloop.Allow(), err
	}
	return approval, err
}

func TestAStepThatWaitsForAPersonHasItsElements(t *testing.T) {
	j := &journal{}
	r := agentloop.Runner{Phone: devicetest.NewFake(), Journal: j, Gate: peering{},
		Parker: &inbox{}, Policy: &script{actions: []actions.Action{actions.Home{},
			actions.Info{Question: "which?"}}}, Limits: agentloop.Limits{Settle: -1}}
	end, p, err := r.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)
	require.NoError(t, err)
	require.Equal(t, agentloop.ActionNeedsApproval, end.Reason)
	require.NotEmpty(t, j.intents[0].Proposal.Elements, "known with the question")
	require.NotEmpty(t, j.steps[0].Proposal.Elements)

	yes := actions.Exchange{Answer: "yes", Outcome: actions.Answered}
	_, _, err = r.Run(t.Context(), p.Answered(yes), p.Steps)
	require.NoError(t, err)
	require.NotEmpty(t, j.steps[1].Proposal.Elements, "once it is carried out")
}
