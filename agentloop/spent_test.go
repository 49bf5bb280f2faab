package agentloop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

// What the steps and the ending tell together is all that was spent, however the run ends.
func TestStepsAndEndingTellAllThatWasSpent(t *testing.T) {
	down := errors.New("503")
	cases := map[string]struct {
		acts    []actions.Action
		arrange func(r *rig, p *post, cancel context.CancelCauseFunc)
		want    agentloop.StopReason
		calls   int
	}{
		"done": {acts: []actions.Action{tap(1, 1), done}, want: agentloop.TaskCompleted, calls: 2},
		"out of steps": {acts: []actions.Action{tap(1, 1), tap(2, 2)}, calls: 2,
			want: agentloop.MaxStepsReached,
			arrange: func(r *rig, _ *post, _ context.CancelCauseFunc) {
				r.runner.Limits.Steps = 2
			}},
		"the endpoint goes down": {acts: []actions.Action{tap(1, 1)}, want: agentloop.ModelError,
			calls: 2, arrange: func(r *rig, _ *post, _ context.CancelCauseFunc) {
				r.script.err = func(n int) error { return []error{nil, nil, down}[n] }
			}},
		"down at the first question": {want: agentloop.ModelError, calls: 1,
			arrange: func(r *rig, _ *post, _ context.CancelCauseFunc) {
				r.script.err = func(int) error { return down }
			}},
		"paused while the model thinks": {acts: []actions.Action{tap(1, 1), tap(2, 2)}, calls: 2,
			want: agentloop.UserPaused,
			arrange: func(r *rig, _ *post, cancel context.CancelCauseFunc) {
				r.script.before = func(n int) {
					if n == 2 {
						cancel(agentloop.ErrPaused)
					}
				}
			}},
		"decided in vain, then stopped": {acts: []actions.Action{done, done}, calls: 2,
			want: agentloop.Cancelled,
			arrange: func(r *rig, p *post, cancel context.CancelCauseFunc) {
				r.script.before = func(n int) {
					p.say(agentloop.AsInstruction, fmt.Sprint(n))
					if n == 2 {
						cancel(agentloop.ErrStopped)
					}
				}
			}},
		"decided in vain, then done": {acts: []actions.Action{tap(1, 1), tap(2, 2), done}, calls: 3,
			want: agentloop.TaskCompleted,
			arrange: func(r *rig, p *post, _ context.CancelCauseFunc) {
				r.script.before = func(n int) {
					if n == 1 {
						p.say(agentloop.AsInstruction, "the other one")
					}
				}
			}},
		"the phone goes away": {acts: []actions.Action{tap(1, 1)}, calls: 1,
			want: agentloop.DeviceDisconnected,
			arrange: func(r *rig, _ *post, _ context.CancelCauseFunc) {
				r.phone.lookErr = func(n int) error {
					time.Sleep(time.Second)
					if n > 1 {
						return screen.ErrDisconnected
					}
					return nil
				}
			}},
		"the store is gone": {acts: []actions.Action{tap(1, 1), done}, calls: 2,
			want: agentloop.InternalError,
			arrange: func(r *rig, _ *post, _ context.CancelCauseFunc) {
				r.journal.fail = func(entry string) error {
					if entry == "done 2 COMPLETE" {
						return errors.New("locked")
					}
					return nil
				}
			}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				r, p := posted(c.acts...)
				r.script.took = 3 * time.Second
				r.phone.touch = func(context.Context) error { time.Sleep(time.Second); return nil }
				r.journal.on = func(string) { time.Sleep(time.Second) }
				if c.arrange != nil {
					c.arrange(r, p, cancel)
				}
				end, _, _ := r.runner.Run(ctx, agentloop.Progress{Task: "x"}, 0)
				require.Equal(t, c.want, end.Reason, "%v", end.Err)
				var took, asked time.Duration
				var tokens int
				for _, s := range append(r.journal.steps, end.Begun) {
					took, asked = took+s.Timing.Total(), asked+s.Timing.Model
					for _, try := range s.Proposal.Tries {
						tokens += try.PromptTokens
					}
				}
				require.Equal(t, end.Took, took)
				require.Equal(t, time.Duration(c.calls)*3*time.Second, asked)
				require.Equal(t, c.calls*10, tokens)
			})
		})
	}
}
