package agentloop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/hint"
	"github.com/taploop/taploop/internal/screen"
)

// guard is a gate that gives one verdict after the other, and keeps what it was asked about.
type guard struct {
	verdicts []agentloop.Verdict
	err      error
	seen     []agentloop.Situation
	asked    []actions.Action
	took     time.Duration
}

func (g *guard) Check(
	ctx context.Context, s agentloop.Situation, d actions.Decision,
) (agentloop.Verdict, error) {
	g.seen, g.asked = append(g.seen, s), append(g.asked, d.Action)
	select {
	case <-time.After(g.took):
	case <-ctx.Done():
		return agentloop.Verdict{}, ctx.Err()
	}
	if g.err != nil {
		return agentloop.Verdict{}, g.err
	}
	return g.verdicts[(len(g.seen)-1)%len(g.verdicts)], nil
}

// approval is a question of a kind that the loop does not know.
var approval = agentloop.Ask(agentloop.Question{Kind: "approval", Text: "may it tap?",
	Options: []string{"yes", "no"}})

// guarded is a rig with a gate.
func guarded(g *guard, acts ...actions.Action) *rig {
	r := newRig(acts...)
	r.runner.Gate = g
	return r
}

// stored is p as it is read back from a store.
func stored(t *testing.T, p agentloop.Progress) (out agentloop.Progress) {
	t.Helper()
	b, err := json.Marshal(p)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

// goOn runs r from p.
func goOn(
	t *testing.T, r *rig, p agentloop.Progress) (end agentloop.Ending, out agentloop.Progress,
) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		end, out, err = r.runner.Run(t.Context(), stored(t, p), p.Steps)
		require.NoError(t, err)
	})
	return end, out
}

func TestTheGateIsAskedBeforeEveryTouchAndNothingElse(t *testing.T) {
	g := &guard{verdicts: []agentloop.Verdict{agentloop.Allow()}}
	r := guarded(g, tap(1, 1), tap(1200, 1), actions.Wait{For: time.Second},
		actions.Note{Text: "n"}, actions.Home{}, actions.Complete{})
	r.phone.touch = func(context.Context) error {
		require.Len(t, g.asked, len(r.phone.touches)+1)
		return nil
	}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, []actions.Action{tap(1, 1), actions.Home{}}, g.asked)
	require.Equal(t, r.script.seen[0].Screen, g.seen[0].Screen, "it sees what the model saw")
	require.Equal(t, 1, g.seen[0].Step)
	require.Equal(t, "x", g.seen[0].Task)
	require.Len(t, r.phone.touches, 2)
}

func TestARefusedActionIsNotCarriedOutAndTheModelIsToldWhy(t *testing.T) {
	g := &guard{verdicts: []agentloop.Verdict{agentloop.Refuse("no payments here")}}
	r := guarded(g, tap(1, 1), actions.Complete{})

	end, c := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Empty(t, r.phone.touches)
	require.Equal(t, []string{"done 1 CLICK", "done 2 COMPLETE"}, r.journal.entries)
	require.Equal(t, "not allowed: no payments here", r.journal.steps[0].Refusal)
	require.Contains(t, r.script.notesAt(2)[0],
		"was not allowed, and not carried out: no payments here")
	require.Nil(t, c.Pending)
}

func TestAnActionThatWasApprovedIsCarriedOutOnceWithoutTheModel(t *testing.T) {
	g := &guard{verdicts: []agentloop.Verdict{approval, agentloop.Allow()}}
	r := guarded(g, tap(1, 1), actions.Complete{})

	end, c := run(t, r, "x")

	want := agentloop.Question{Kind: "approval", Text: "may it tap?",
		Options: []string{"yes", "no"}, Action: tap(1, 1),
		Task: "x", Screen: r.script.seen[0].Screen, Step: 1, Round: 1}
	require.Equal(t, []agentloop.Question{want}, r.inbox.parked)
	require.Equal(t, &want, end.Question)
	require.Equal(t, agentloop.ActionNeedsApproval, end.Reason)
	require.Empty(t, r.phone.touches)
	require.Zero(t, c.Questions, "the model has not asked")
	require.Equal(t, "approval", r.journal.intents[0].Asks)
	require.Equal(t, "not carried out yet: it waits for an answer", r.journal.steps[0].Refusal)

	yes := actions.Exchange{Question: "may it tap?", Answer: "yes", Outcome: actions.Answered}
	end, c = goOn(t, r, c.Answered(yes))

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, []actions.Action{tap(1, 1), tap(1, 1)}, g.asked)
	require.Equal(t, &yes, g.seen[1].Pending.Answer)
	require.Equal(t, 4, r.phone.looks, "afresh for the gate, and twice to see the screen at rest")
	require.Equal(t, []string{"tap (0.001,0.001)"}, r.phone.touches)
	require.Len(t, r.script.seen, 2, "the model is asked next when the action is done")
	require.Nil(t, r.script.seen[1].Pending)
	require.Empty(t, r.script.seen[1].Exchanges)
	require.Equal(t, []string{"intent 1 CLICK", "done 1 CLICK", "intent 1 CLICK", "done 1 CLICK",
		"done 2 COMPLETE"}, r.journal.entries, "in the step that asked")
	require.Nil(t, c.Pending)
	require.Equal(t, 2, c.Steps)
}

func TestWhatAPendingActionComesTo(t *testing.T) {
	no := actions.Exchange{Question: "may it tap?", Answer: "no", Outcome: actions.Answered}
	silence := actions.Exchange{Question: "may it tap?", Outcome: actions.Silence}
	for _, c := range []struct {
		name    string
		verdict agentloop.Verdict
		resume  func(agentloop.Progress) agentloop.Progress
		arrange func(*rig)
		want    agentloop.StopReason
		asked   int // the gate, both calls together
		touches int
		note    string
	}{
		{name: "refused after the answer", verdict: agentloop.Refuse("the person said no"),
			resume: func(p agentloop.Progress) agentloop.Progress { return p.Answered(no) },
			want:   agentloop.TaskCompleted, asked: 2, note: "not carried out: the person said no"},
		{name: "asked about once more", verdict: approval,
			resume: func(p agentloop.Progress) agentloop.Progress { return p.Answered(silence) },
			want:   agentloop.ActionNeedsApproval, asked: 2},
		{name: "answered while the run was paused", verdict: agentloop.Allow(),
			resume: func(p agentloop.Progress) agentloop.Progress {
				return p.Answered(no).Resumed()
			},
			want: agentloop.TaskCompleted, asked: 2, touches: 1, note: "goes on after a pause"},
		{name: "resumed without an answer", verdict: agentloop.Allow(),
			resume: agentloop.Progress.Resumed,
			want:   agentloop.TaskCompleted, asked: 1, note: "was stopped before the action CLICK"},
		{name: "followed by another task", verdict: agentloop.Allow(),
			resume: func(p agentloop.Progress) agentloop.Progress {
				return p.NextTask("y",
					"given up")
			},
			want: agentloop.TaskCompleted, asked: 1, note: "used for another one: x"},
		{name: "killed while it was carried out", verdict: agentloop.Allow(),
			resume: func(p agentloop.Progress) agentloop.Progress {
				return p.Answered(no).Interrupted(agentloop.Step{
					Proposal: agentloop.Proposal{Decision: p.Pending.Decision}}, false)
			},
			want: agentloop.TaskCompleted, asked: 1, note: "Whether it took effect is unknown"},
		{name: "on a screen that has changed", verdict: agentloop.Allow(),
			resume:  func(p agentloop.Progress) agentloop.Progress { return p.Answered(no) },
			arrange: func(r *rig) { r.phone.state.On = false },
			want:    agentloop.ManualStop, asked: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &guard{verdicts: []agentloop.Verdict{approval, c.verdict}}
			r := guarded(g, tap(1, 1), actions.Complete{})
			_, p := run(t, r, "x")
			if c.arrange != nil {
				c.arrange(r)
			}

			end, p := goOn(t, r, c.resume(p))

			require.Equal(t, c.want, end.Reason)
			require.Len(t, g.asked, c.asked)
			require.Len(t, r.phone.touches, c.touches)
			require.Equal(t, c.want != agentloop.TaskCompleted, p.Pending != nil)
			if c.note != "" {
				notes := r.script.notesAt(2)
				require.Contains(t, notes[len(notes)-1], c.note)
			}
		})
	}
}

func TestAGateThatCannotDecideStopsTheRun(t *testing.T) {
	for name, g := range map[string]*guard{
		"an error":   {err: errors.New("the rules cannot be read")},
		"no verdict": {verdicts: []agentloop.Verdict{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := guarded(g, tap(1, 1))

				end, c, err := r.runner.Run(t.Context(), agentloop.Progress{}, 0)

				require.ErrorContains(t, err, "step 1: asking the gate: the ")
				require.Equal(t, agentloop.InternalError, end.Reason)
				require.NotEmpty(t, hint.Of(err))
				require.Empty(t, r.phone.touches)
				require.Equal(t, agentloop.NoteNotDone, c.Notes[0].Kind)
			})
		})
	}
}

// What the gate has to read may be in the store: the run can go on when that is back, and the model
// has nothing to be told.
func TestAGateWhoseStoreIsAwayLeavesTheStepToTheNextLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := guarded(&guard{err: errDisk}, tap(1, 1))

		end, c, err := r.runner.Run(t.Context(), agentloop.Progress{Task: "x"}, 0)

		require.ErrorContains(t, err, "step 1: asking the gate: disk full")
		require.Equal(t, agentloop.StoreUnavailable, end.Reason)
		require.Empty(t, r.phone.touches)
		require.Empty(t, r.journal.entries, "it is no refusal")
		require.Empty(t, c.Notes)
	})
}

func TestAnInterruptionWhileTheGateDecides(t *testing.T) {
	for want, arrange := range map[agentloop.StopReason]func(*rig, context.CancelCauseFunc){
		agentloop.UserPaused: func(_ *rig, cancel context.CancelCauseFunc) {
			time.AfterFunc(time.Minute, func() { cancel(agentloop.ErrPaused) })
		},
		agentloop.TimeLimitReached: func(r *rig, _ context.CancelCauseFunc) {
			r.runner.Limits.Time = time.Minute
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := guarded(&guard{took: time.Hour}, tap(1, 1))
			ctx, cancel := context.WithCancelCause(t.Context())
			arrange(r, cancel)
			began := time.Now()

			end, c, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

			require.NoError(t, err)
			require.Equal(t, want, end.Reason)
			require.Equal(t, time.Minute, time.Since(began))
			require.Empty(t, r.journal.entries, "a decision that was not acted on is dropped")
			require.Equal(t, agentloop.Progress{}, c)
		})
	}
}

func TestAPhoneThatWasPickedUpWhileTheGateDecidedIsLeftAlone(t *testing.T) {
	g := &guard{verdicts: []agentloop.Verdict{agentloop.Allow()}, took: 2 * time.Second}
	r := guarded(g, tap(1, 1), actions.Complete{})
	r.runner.Phone = &teller{phone: r.phone, now: func(s *screen.State) error {
		s.App = "dialer"
		return nil
	}}

	run(t, r, "x")

	require.Empty(t, r.phone.touches)
	require.Contains(t, r.script.notesAt(2)[0], "dialer came to the front")
}

// Leave that ends between the gate's word and the intent lets nothing be touched: the gate is asked
// about the next decision.
func TestLeaveThatHasEndedLetsNothingBeTouched(t *testing.T) {
	l := &agentloop.Leave{ID: 3}
	g := &guard{verdicts: []agentloop.Verdict{agentloop.Allow().Under(l), approval}}
	r := guarded(g, tap(1, 1), tap(1, 1))
	touches := 0
	r.phone.touch = func(context.Context) error { touches++; return nil }
	r.journal.fail = func(entry string) error {
		if entry == "intent 1 CLICK" {
			return fmt.Errorf("journaling: %w", agentloop.ErrNoLeave)
		}
		return nil
	}
	end, _ := goOn(t, r, agentloop.Progress{Task: "x"})
	require.NotNil(t, end.Question, "it is asked")
	require.Zero(t, touches)
	require.True(t, r.journal.steps[0].Dropped())
	require.Nil(t, r.journal.steps[0].Leave)

	g = &guard{verdicts: []agentloop.Verdict{agentloop.Allow().Under(l)}}
	r = guarded(g, tap(1, 1), actions.Complete{})
	end, _ = goOn(t, r, agentloop.Progress{Task: "x"})
	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, l, r.journal.intents[0].Leave)
	require.False(t, r.journal.steps[0].Dropped())
}
