package agentloop_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// reviewed is what a gate asks with about a tap on one screen.
var reviewed = agentloop.Ask(agentloop.Question{Kind: agentloop.KindApproval, Text: "may it pay?",
	Review: &agentloop.Review{Severity: "critical", Bound: "the pay button"}})

func TestWhatADecisionMakesOfAnAction(t *testing.T) {
	for _, c := range []struct {
		name    string
		ruling  agentloop.Ruling
		outcome actions.Outcome
		asked   int      // the gate, both calls together
		touches []string // on the phone
		refusal string   // of the second step
		note    string   // to the model
		kept    []string // as rejected
	}{
		{name: "approved", ruling: agentloop.Ruling{Type: agentloop.Approve}, asked: 2,
			touches: []string{"tap (0.001,0.001)"}},
		{name: "edited", ruling: agentloop.Ruling{Type: agentloop.Edit,
			Edited: &actions.Decision{Action: actions.Home{}}}, asked: 2,
			touches: []string{"key home"}, note: "changed the action CLICK (tap (0.001,0.001)) " +
				"to: HOME (go to the home screen)"},
		{name: "rejected with a reason", ruling: agentloop.Ruling{Type: agentloop.Reject,
			Message: "too dear", Bound: "the pay button"}, asked: 1,
			refusal: "not carried out: rejected: too dear", note: `They say: "too dear"`,
			kept: []string{"the pay button"}},
		{name: "rejected", ruling: agentloop.Ruling{Type: agentloop.Reject}, asked: 1,
			refusal: "not carried out: rejected", note: "was rejected by the other side"},
		{name: "not decided in time", ruling: agentloop.Ruling{Type: agentloop.Reject},
			outcome: actions.Silence, asked: 1, refusal: "not carried out: nobody decided in time",
			note: "neither yes nor no"},
		{name: "answered", ruling: agentloop.Ruling{Type: agentloop.Respond,
			Message: "use the card"}, asked: 1,
			refusal: "not carried out: answered in words instead",
			note:    `the other side says: "use the card"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &guard{verdicts: []agentloop.Verdict{reviewed, agentloop.Allow()}}
			r := guarded(g, tap(1, 1), actions.Complete{})
			end, p := run(t, r, "x")
			require.Equal(t, agentloop.ActionNeedsApproval, end.Reason)
			require.Equal(t, tap(1, 1), end.Question.Action)

			end, p = goOn(t, r, stored(t, p.Ruled(
				actions.Exchange{Question: "may it pay?", Answer: c.ruling.Type,
					Outcome: c.outcome}, c.ruling)))

			require.Equal(t, agentloop.TaskCompleted, end.Reason)
			require.Len(t, g.asked, c.asked)
			require.Equal(t, c.touches, r.phone.touches)
			require.Equal(t, c.refusal, r.journal.steps[1].Refusal)
			require.Nil(t, p.Pending)
			require.Equal(t, c.kept, p.Rejected)
			require.Empty(t, p.Exchanges, "the model has asked nothing")
			if c.note == "" {
				require.Empty(t, r.script.notesAt(2))
			} else {
				require.Contains(t, r.script.notesAt(2)[0], c.note)
			}
		})
	}
}

func TestAnActionIsRuledOnOnce(t *testing.T) {
	r := guarded(&guard{verdicts: []agentloop.Verdict{reviewed}}, tap(1, 1))
	_, p := run(t, r, "x")
	once := p.Ruled(actions.Exchange{}, agentloop.Ruling{Type: agentloop.Reject})

	require.Equal(t, once,
		once.Ruled(actions.Exchange{}, agentloop.Ruling{Type: agentloop.Approve}))
	require.Nil(t, agentloop.Progress{}.Ruled(actions.Exchange{},
		agentloop.Ruling{Type: agentloop.Approve}).Pending, "nothing was pending")
}

func TestWhatWasRejectedIsNotAskedAgainInTheRun(t *testing.T) {
	g := &guard{verdicts: []agentloop.Verdict{reviewed}}
	r := guarded(g, slices.Repeat([]actions.Action{tap(1, 1)}, 9)...)
	_, p := run(t, r, "x")

	end, p := goOn(t, r, p.Ruled(actions.Exchange{},
		agentloop.Ruling{Type: agentloop.Reject, Bound: "the pay button"}))

	require.Equal(t, agentloop.ActionRejected, end.Reason)
	require.ErrorContains(t, end.Err, "although a person had rejected it")
	require.Len(t, r.inbox.parked, 1)
	require.Empty(t, r.phone.touches)
	require.Equal(t, "not allowed: it was rejected before, on the same screen",
		r.journal.steps[2].Refusal)
	require.Empty(t, p.NextTask("y", "given up").Rejected, "that was about the run")
}

func TestARunThatInsistsOnWhatIsDeniedStops(t *testing.T) {
	g := &guard{verdicts: []agentloop.Verdict{agentloop.Refuse("no payments here")}}
	r := guarded(g, slices.Repeat([]actions.Action{tap(1, 1)}, 9)...)

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.PolicyDenied, end.Reason)
	require.ErrorContains(t, end.Err, "although it is not allowed")
	require.Empty(t, r.phone.touches)
}
