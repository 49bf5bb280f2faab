package runs_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/inquiry"
	"github.com/taploop/taploop/internal/inquiry/channel"
	"github.com/taploop/taploop/internal/runs"
	"github.com/taploop/taploop/internal/store"
	"github.com/taploop/taploop/internal/store/export"
)

// steps lists the stored steps of the run's session, and holds all counts of them against the list.
func (w *fixture) steps(st runs.Status) []store.StepRecord {
	w.t.Helper()
	list, err := w.store.Steps(w.ctx(), st.Session.ID, 0)
	require.NoError(w.t, err)
	now, err := w.manager.Status(w.ctx(), st.Session.ID)
	require.NoError(w.t, err)
	require.Equal(w.t, []int{len(list), len(list), len(list)}, []int{now.Usage.Steps,
		now.Session.Steps, now.Run.Progress.Steps}, "of usage, session and run")
	for i, s := range list {
		require.Equal(w.t, i+1, s.Index)
	}
	return list
}

// exported is the session's page.
func (w *fixture) exported(id string) string {
	w.t.Helper()
	var page strings.Builder
	require.NoError(w.t, export.HTML(w.ctx(), &page, w.store, id))
	return page.String()
}

func TestAnActionThatWasAskedAboutIsOneStep(t *testing.T) {
	for name, c := range map[string]struct {
		decision inquiry.Decision
		verb     string
		refusal  string
	}{
		"approve": {yes, "CLICK", ""},
		"edit":    {edited("TYPE", map[string]any{"text": "7.30"}), "TYPE", ""},
		"reject":  {no, "CLICK", "not carried out: rejected: too dear"},
		"respond": {inquiry.Decision{Type: inquiry.Respond, Message: "paid already"}, "CLICK",
			"not carried out: answered in words instead"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *fixture) {
				asks := guarded(w)
				parked := w.steps(asks)
				require.Len(t, parked, 1)
				require.Contains(t, w.exported(asks.Session.ID), `"refusal":"not carried out`)

				st := w.decide(asks.Session.ID, c.decision)

				require.Equal(t, store.Completed, st.Run.State, st.Message)
				list := w.steps(st)
				require.Len(t, list, 3, "the action, a note and the end")
				act := list[0]
				require.Equal(t, c.verb, act.Proposal.Action.Verb())
				require.Equal(t, c.refusal, act.Refusal)
				require.Equal(t, store.Done, act.State)
				require.Equal(t, "may it tap?", act.Exchange.Question)
				require.Equal(t, parked[0].Proposal.Tries, act.Proposal.Tries)
				require.Equal(t, parked[0].FrameID, act.FrameID, "what was decided on")
				require.Equal(t, asks.Question.Frame, act.FrameID)
				require.Equal(t, parked[0].StartedAt, act.StartedAt)
				require.GreaterOrEqual(t, act.Timing.Total(), parked[0].Timing.Total())
				_, err := w.store.Frame(t.Context(), act.FrameID)
				require.NoError(t, err)
				require.Equal(t, c.refusal != "",
					strings.Contains(w.exported(st.Session.ID), `"refusal":"not carried out`))
				require.Equal(t, list, st.Steps, "the call that answers begins with it")
				require.Equal(t, 3, st.Local)
			})
		})
	}
}

// The last step that a call has is carried out after its question was answered.
func TestAnApprovedActionIsTheCallsLastStep(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		w.again(func(o *runs.Options) { o.NewGate = gateOf("consent") })
		st, err := w.manager.Start(w.ctx(), runs.StartRequest{Task: "tap consent", MaxSteps: 1,
			KeepEnvironment: true, Settings: runs.Settings{ReplyMode: channel.PassToClient}})
		require.NoError(t, err)
		require.Equal(t, store.WaitingApproval, w.wait(st.Session.ID).Run.State)

		st = w.decide(st.Session.ID, yes)

		require.Equal(t, agentloop.MaxStepsReached, st.Reason)
		require.Equal(t, []string{"tap"}, w.phones.phones["A"].done())
		list := w.steps(st)
		require.Len(t, list, 1)
		require.Empty(t, list[0].Refusal)
	})
}

// twice is a gate that asks once more after the first answer, as when the screen is another one.
type twice struct{ checks *int }

func (g twice) Check(
	ctx context.Context, s agentloop.Situation, d actions.Decision,
) (agentloop.Verdict, error) {
	if *g.checks++; *g.checks <= 2 {
		s.Pending = nil
	}
	return consent{}.Check(ctx, s, d)
}

func TestAnActionThatIsAskedAboutAgainIsOneStep(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		g := twice{new(int)}
		w.again(func(o *runs.Options) {
			o.NewGate = func(store.Session, store.Run) agentloop.Gate { return g }
		})
		first := withMode(w, channel.PassToClient, "tap consent")

		again := w.decide(first.Session.ID, yes)

		require.Equal(t, store.WaitingApproval, again.Run.State, again.Message)
		list := w.steps(again)
		require.Len(t, list, 1)
		require.Nil(t, list[0].Exchange, "the new question has no answer")
		require.Contains(t, list[0].Refusal, "it waits for an answer")
		require.Equal(t, again.Question.Frame, list[0].FrameID)
		require.NotEqual(t, first.Question.Frame, again.Question.Frame)
		require.Empty(t, w.phones.phones["A"].done())

		st := w.decide(first.Session.ID, yes)

		require.Equal(t, store.Completed, st.Run.State, st.Message)
		list = w.steps(st)
		require.Len(t, list, 3)
		require.Empty(t, list[0].Refusal)
		require.Len(t, w.questions(st.Session.ID), 2)
		require.Equal(t, []string{"tap"}, w.phones.phones["A"].done())
	})
}

// An action that is dropped with its question does not wait any more.
func TestAnActionThatIsNotCarriedOutAnyMoreDoesNotWait(t *testing.T) {
	bubble(t, func(t *testing.T, w *fixture) {
		id := guarded(w).Session.ID
		_, err := w.manager.Stop(w.ctx(), runs.StopRequest{SessionID: id})
		require.NoError(t, err)

		list := w.steps(w.wait(id))
		require.Len(t, list, 1)
		require.Equal(t, "not carried out: the run has ended: CANCELLED", list[0].Refusal)
	})
}
