package agentloop_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
)

func TestTheCauseOfACancellationIsTheReason(t *testing.T) {
	for cause, want := range map[error]agentloop.StopReason{
		agentloop.ErrPaused:       agentloop.UserPaused,
		agentloop.ErrStopped:      agentloop.Cancelled,
		agentloop.ErrDetached:     agentloop.ClientDetached,
		agentloop.ErrClosing:      agentloop.ServerRestarted,
		errors.New("out of here"): agentloop.Cancelled,
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		r := newRig(tap(1, 1))

		end, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, want, end.Reason)
		require.ErrorIs(t, end.Err, cause)
		require.Zero(t, r.phone.looks,
			"a run that is cancelled before it starts leaves the phone alone")
		require.Empty(t, r.journal.entries)
	}
}

// TestCancelledInEachPhase cancels before, during and after each phase of the second step, and
// looks at what the phone and the journal have seen of it.
func TestCancelledInEachPhase(t *testing.T) {
	type point struct {
		name    string
		arrange func(r *rig, stop func())
		touches int
		entries []string
		note    agentloop.NoteKind
	}
	at := func(kind agentloop.EventKind, step int) func(r *rig, stop func()) {
		return func(r *rig, stop func()) {
			observe := r.runner.Observe
			r.runner.Observe = func(e agentloop.Event) {
				observe(e)
				if e.Kind == kind && e.Step.Index == step {
					stop()
				}
			}
		}
	}
	one := []string{"intent 1 CLICK", "done 1 CLICK"}
	two := append(one[:2:2], "intent 2 CLICK", "done 2 CLICK")
	points := []point{
		{"after the step before", at(agentloop.Stepped, 1), 1, one, ""},
		{"while the screen settles", func(r *rig,
			stop func()) {
			r.phone.moving = time.Hour
			time.AfterFunc(300*time.Millisecond,
				stop)
		}, 1, one, ""},
		{"after looking", at(agentloop.Settled, 2), 1, one, ""},
		{"while the model thinks", func(r *rig, stop func()) {
			r.script.before = func(n int) {
				if n == 2 {
					stop()
				}
			}
		}, 1, one, ""},
		{"before the intent is written", at(agentloop.Decided, 2), 1, one, ""},
		{"while the intent is written", func(r *rig, stop func()) {
			r.journal.on = func(e string) {
				if e == "intent 2 CLICK" {
					stop()
				}
			}
		}, 1, two, agentloop.NoteNotDone},
		{"as the gesture begins", at(agentloop.Acting, 2), 2, two, ""},
		{"during the gesture", func(r *rig, stop func()) {
			r.phone.touch = func(context.Context) error {
				if len(r.phone.touches) == 1 {
					stop()
				}
				return nil
			}
		}, 2, two, ""},
		{"after the gesture", at(agentloop.Acted, 2), 2, two, ""},
		{"after the step", at(agentloop.Stepped, 2), 2, two, ""},
	}
	for _, p := range points {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tap(1, 1), tap(500, 500), tap(900, 900), actions.Complete{})
				r.phone.took = 100 * time.Millisecond
				ctx, cancel := context.WithCancelCause(t.Context())
				p.arrange(r, func() { cancel(agentloop.ErrPaused) })

				end, c, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

				require.NoError(t, err)
				require.Equal(t, agentloop.UserPaused, end.Reason)
				require.Len(t, r.phone.touches, p.touches)
				require.Equal(t, p.entries, r.journal.entries, "an intent always gets its outcome")
				if p.note == "" {
					require.Empty(t, c.Notes)
				} else {
					require.Equal(t, p.note, c.Notes[0].Kind)
					require.Equal(t, "not carried out: the run was paused",
						r.journal.steps[1].Refusal)
				}
				require.Equal(t, len(r.journal.steps), c.Steps)
			})
		})
	}
}

func TestADecisionThatComesAfterTheStopIsNotActedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(tap(1, 1), actions.Complete{})
		r.script.took = 20 * time.Second // and does not heed its context
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { cancel(agentloop.ErrStopped) })

		end, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, agentloop.Cancelled, end.Reason)
		require.Empty(t, r.phone.touches)
		require.Empty(t, r.journal.entries)
	})
}

func TestWhatADroppedDecisionWasToldIsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(tap(1, 1))
		ctx, cancel := context.WithCancelCause(t.Context())
		observe := r.runner.Observe
		r.runner.Observe = func(e agentloop.Event) {
			observe(e)
			if e.Kind == agentloop.Decided {
				cancel(agentloop.ErrPaused)
			}
		}
		c := agentloop.Progress{Task: "x", Summary: "before", ReplyJustIn: true,
			Notes: []agentloop.Note{{Kind: agentloop.NoteResumed}}}

		_, got, err := r.runner.Run(ctx, c, 0)

		require.NoError(t, err)
		require.Equal(t, c, got)
	})
}

func TestALateReportDoesNotCompleteAStoppedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(actions.Complete{Report: "done"})
		ctx, cancel := context.WithCancelCause(t.Context())
		r.script.before = func(int) { cancel(agentloop.ErrStopped) }

		end, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, agentloop.Cancelled, end.Reason)
		require.Empty(t, end.Answer)
	})
}

func TestAGestureUnderWayIsFinished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(actions.Slide{From: tap(1, 1).At, To: tap(1, 900).At})
		r.phone.took = 1500 * time.Millisecond
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(200*time.Millisecond, func() { cancel(agentloop.ErrStopped) })
		began := time.Now()

		_, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, 1500*time.Millisecond, time.Since(began))
		require.Len(t, r.phone.touches, 1)
		require.Empty(t, r.journal.steps[0].Refusal)
	})
}

func TestAWaitIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(actions.Wait{For: time.Minute})
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(agentloop.ErrPaused) })
		began := time.Now()

		end, c, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, agentloop.UserPaused, end.Reason)
		require.Equal(t, time.Second, time.Since(began))
		require.Equal(t, "cut short: the run was paused", r.journal.steps[0].Refusal)
		require.Empty(t, c.Notes)
	})
}

func TestAnInterruptionWhileAQuestionIsParkedKeepsTheQuestion(t *testing.T) {
	for cause, want := range map[error]agentloop.StopReason{
		agentloop.ErrPaused:  agentloop.UserPaused,
		agentloop.ErrStopped: agentloop.Cancelled,
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(actions.Info{Question: "which one?"})
			ctx, cancel := context.WithCancelCause(t.Context())
			r.inbox.on = func() { cancel(cause) }

			end, c, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

			require.NoError(t, err)
			require.Equal(t, want, end.Reason)
			require.Equal(t, 1, c.Questions)
			require.Empty(t, c.Notes)
			require.Empty(t, r.journal.steps[0].Refusal)
			require.Equal(t, []string{"intent 1 INFO", "done 1 INFO"}, r.journal.entries)
		})
	}
}

func TestAnInterruptionBeforeAQuestionIsStoredAsksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(actions.Info{Question: "which one?"})
		ctx, cancel := context.WithCancelCause(t.Context())
		r.inbox.on, r.inbox.err = func() { cancel(agentloop.ErrPaused) }, context.Canceled

		end, c, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

		require.NoError(t, err)
		require.Equal(t, agentloop.UserPaused, end.Reason)
		require.Zero(t, c.Questions)
		require.Equal(t, agentloop.NoteNotDone, c.Notes[0].Kind)
	})
}
