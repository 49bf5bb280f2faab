package agentloop_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

// verdicts is a Verifier that says these, one after the other, and the last one for ever.
type verdicts []agentloop.Verification

func (v *verdicts) Verify(context.Context, agentloop.Situation, string) (
	agentloop.Verification, error) {
	now := (*v)[0]
	if len(*v) > 1 {
		*v = (*v)[1:]
	}
	if now.Verdict == "error" {
		return now, errors.New("the model cannot be reached")
	}
	return now, nil
}

// What contradicts an end is told to the policy once. What it says then ends the run, with what was
// seen beside it, and an end that cannot be looked at is unverified and no failure.
func TestAnEndThatIsContradictedIsToldOnce(t *testing.T) {
	t.Parallel()
	done := actions.Complete{Report: "done"}
	no := agentloop.Verification{Verdict: agentloop.Contradicted, Evidence: "Wi-Fi is on"}
	misfit := agentloop.Verification{Verdict: agentloop.Unverified, Misfit: "it is no JSON"}
	for name, c := range map[string]struct {
		says  verdicts
		acts  []actions.Action
		notes []string // that the last decision was shown
		ends  agentloop.Verification
	}{
		"seen": {verdicts{{Verdict: agentloop.IsVerified, Evidence: "it is there"}},
			[]actions.Action{done}, nil, agentloop.Verification{
				Verdict: agentloop.IsVerified, Evidence: "it is there", Step: 1}},
		"mended": {verdicts{no, {Verdict: agentloop.IsVerified}},
			[]actions.Action{done, tap(1, 1), done}, nil,
			agentloop.Verification{Verdict: agentloop.IsVerified, Step: 3}},
		"insisted on": {verdicts{no}, []actions.Action{done, done},
			[]string{"You said that the task is done, but Wi-Fi is on. Look at the screen. If it " +
				"is not done, do what is missing; if it is, end the task again."},
			agentloop.Verification{Verdict: agentloop.Contradicted, Evidence: "Wi-Fi is on", Step: 2}},
		"not in its form": {verdicts{misfit}, []actions.Action{done, done},
			[]string{"The report with which you ended the task is not in the form that was asked " +
				"for: it is no JSON. End the task again, with JSON and nothing else as the report."},
			agentloop.Verification{Verdict: agentloop.Unverified, Misfit: "it is no JSON", Step: 2}},
		"not to be looked at": {verdicts{{Verdict: "error"}}, []actions.Action{done}, nil,
			agentloop.Verification{Verdict: agentloop.Unverified,
				Evidence: "the model cannot be reached", Step: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(c.acts...)
				r.runner.Verifier = &c.says
				end, p, err := r.runner.Run(t.Context(), agentloop.Progress{Task: "t"}, 0)
				require.NoError(t, err)
				require.Equal(t, agentloop.TaskCompleted, end.Reason)
				require.Equal(t, "done", end.Answer)
				require.Len(t, r.journal.steps, len(c.acts))
				require.Equal(t, c.notes, r.script.notesAt(len(c.acts)))
				require.Equal(t, &c.ends, stored(t, p).Verification)
			})
		})
	}
}
