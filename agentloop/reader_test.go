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
