package agentloop_test

import (
	"context"
	"image"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

func TestAfterAGestureTheScreenIsWaitedFor(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrange func(r *rig)
		settle  time.Duration // of the second step
		looks   int           // of the second step
		scene   int           // that the second decision sees
	}{
		{name: "a screen that changes at once takes two looks", settle: 100 * time.Millisecond,
			looks: 2, scene: 1},
		{name: "a screen that moves is looked at until it rests",
			arrange: func(r *rig) { r.phone.moving = 700 * time.Millisecond },
			settle:  1075 * time.Millisecond, looks: 6, scene: 1},
		{name: "a screen that reacts late is not taken for one at rest",
			arrange: func(r *rig) { r.phone.lag = 550 * time.Millisecond },
			settle:  1075 * time.Millisecond, looks: 6, scene: 1},
		{name: "a screen that does not change is given its reaction time",
			arrange: func(r *rig) { r.phone.frozen = true },
			settle:  775 * time.Millisecond, looks: 5, scene: 0},
		{name: "a screen that never rests is taken as it is after the limit",
			arrange: func(r *rig) { r.phone.moving = time.Hour },
			settle:  3 * time.Second, looks: 13, scene: -1},
		{name: "without a limit nothing is waited for",
			arrange: func(r *rig) { r.runner.Limits.Settle = -1; r.phone.lag = time.Second },
			settle:  0, looks: 1, scene: 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(tap(1, 1), actions.Complete{})
			if c.arrange != nil {
				c.arrange(r)
			}

			run(t, r, "x")

			second := r.journal.steps[1]
			require.Equal(t, c.settle, second.Timing.Settle)
			require.Equal(t, c.looks+1, r.phone.looks)
			require.Zero(t, second.Timing.Look, "the settled look is the step's look")
			if c.scene >= 0 {
				require.Equal(t, scene(c.scene).Fingerprint(), second.Screen.Frame.Fingerprint())
			}
		})
	}
}

func TestAPhoneThatWasTouchedBeforeTheRunIsWaitedFor(t *testing.T) {
	r := newRig(actions.Complete{})
	r.runner.Moving = true

	run(t, r, "x")

	require.Equal(t, 5, r.phone.looks)
	require.Equal(t, 775*time.Millisecond, r.journal.steps[0].Timing.Settle)
}

// A phone that has just gone to its home screen is there as soon as that is in front and at rest.
func TestTheHomeScreenIsWaitedForUntilItIsInFrontAndAtRest(t *testing.T) {
	for _, c := range []struct {
		left   string
		moves  time.Duration
		settle time.Duration
		looks  int
	}{
		{left: "settings", moves: 180 * time.Millisecond, settle: 300 * time.Millisecond, looks: 2},
		{left: "settings", moves: 290 * time.Millisecond, settle: 450 * time.Millisecond, looks: 3},
		{left: "launcher", settle: 675 * time.Millisecond, looks: 4}, // it may not have begun
	} {
		r := newRig(actions.Complete{})
		r.runner.Moving, r.runner.Left = true, screen.State{On: true, App: c.left}
		r.phone.lookErr = func(n int) error {
			if n == 1 {
				r.phone.changed = time.Now().Add(-200 * time.Millisecond)
			}
			return nil
		}
		r.phone.moving = c.moves

		run(t, r, "x")

		require.Equal(t, c.settle, r.journal.steps[0].Timing.Settle, c)
		require.Equal(t, c.looks, r.phone.looks, c)
		require.Equal(t, scene(0).Fingerprint(), r.script.seen[0].Screen.Frame.Fingerprint())
	}
}

func TestAfterAWaitTheScreenIsLookedAtOnce(t *testing.T) {
	r := newRig(actions.Wait{For: 5 * time.Second}, actions.Complete{})

	run(t, r, "x")

	require.Equal(t, 2, r.phone.looks)
	require.Equal(t, 5*time.Second, r.journal.steps[0].Timing.Touch)
	require.Zero(t, r.journal.steps[1].Timing.Settle)
}

func TestAfterAStepWithoutAGestureTheScreenIsLookedAtOnce(t *testing.T) {
	r := newRig(tap(1, 1), actions.Note{Text: "x"}, actions.Complete{})

	run(t, r, "x")

	require.Equal(t, 1+2+1, r.phone.looks)
	require.Zero(t, r.journal.steps[2].Timing.Settle)
}

func TestCompletingAndAbortingDoNotWaitForTheScreen(t *testing.T) {
	for _, last := range []actions.Action{actions.Complete{}, actions.Abort{}} {
		r := newRig(last)

		end, _ := run(t, r, "x")

		require.Equal(t, 1, r.phone.looks)
		require.Zero(t, end.Took)
	}
}

func TestAnAppThatComesToTheFrontWithTheSamePictureIsWaitedFor(t *testing.T) {
	r := newRig(tap(1, 1), actions.Complete{})
	apps := map[int]string{1: "launcher", 2: "splash", 3: "splash", 4: "main", 5: "main"}
	r.phone.lookErr = func(n int) error { r.phone.state.App = apps[min(n, 5)]; return nil }

	run(t, r, "x")

	require.Equal(t, "main", r.script.seen[1].Screen.State.App)
	require.Equal(t, 5, r.phone.looks)
}

func TestWhatTheStatusBarShowsIsNoMovement(t *testing.T) {
	for _, early := range []bool{false, true} {
		for _, untold := range []bool{false, true} {
			r, _ := newEarlyRig(tap(1, 1), actions.Complete{})
			r.runner.Early, r.phone.bar, r.phone.untold = early, 0.04, untold

			run(t, r, "x")

			spent := r.journal.steps[1].Timing
			if untold {
				require.GreaterOrEqual(t, spent.Settle+spent.Again, 3*time.Second)
				continue
			}
			require.LessOrEqual(t, spent.Settle, 100*time.Millisecond)
			require.Zero(t, spent.Again)
		}
	}
}

// A spinner, or a video in a corner, goes on moving for ever.
func TestSomethingSmallThatMovesKeepsNoScreenFromBeingAtRest(t *testing.T) {
	for _, early := range []bool{false, true} {
		for name, c := range map[string]struct {
			moves       image.Rectangle
			least, most time.Duration
		}{
			"a spinner":          {image.Rect(9, 20, 15, 30), time.Second, 1500 * time.Millisecond},
			"half of the screen": {image.Rect(0, 60, 54, 120), 3 * time.Second, 7 * time.Second},
		} {
			t.Run(name, func(t *testing.T) {
				r, p := newEarlyRig(tap(1, 1), actions.Complete{})
				r.runner.Early, r.phone.spinner, p.thinks = early, c.moves, 0
				r.runner.Moving = true              // so that what moves is known before the first touch
				if early && c.least > time.Second { // the one that is dropped
					r.script.actions = []actions.Action{tap(1, 1), tap(9, 9), actions.Complete{}}
				}

				end, _ := run(t, r, "x")

				require.Equal(t, agentloop.TaskCompleted, end.Reason)
				spent := r.journal.steps[1].Timing
				waited := spent.Settle + spent.Decide
				require.GreaterOrEqual(t, waited, c.least)
				require.LessOrEqual(t, waited, c.most)
				require.Equal(t, early && c.least > time.Second, spent.Again > 0)
			})
		}
	}
}

// What goes on growing is not at rest, however small each of its steps is.
func TestAScreenThatBuildsUpBitByBitIsWaitedFor(t *testing.T) {
	r := newRig(tap(1, 1), actions.Complete{})
	r.phone.lookErr = func(n int) error {
		r.phone.spinner = image.Rect(0, 5*n, 54, 5*n+5).Intersect(image.Rect(0, 0, 54, 120))
		return nil
	}

	run(t, r, "x")

	require.Equal(t, 3*time.Second, r.journal.steps[1].Timing.Settle)
}

// The first look after a touch comes when the screens of this phone were at rest: not later because
// an app has started or a page has loaded once.
func TestTheFirstLookIsAsLateAsTheScreensMove(t *testing.T) {
	const slow = 250 * time.Millisecond
	moves := slices.Concat(make([]time.Duration, 1), slices.Repeat([]time.Duration{slow}, 3),
		make([]time.Duration, 20))
	script := slices.Repeat([]actions.Action{tap(1, 1)}, len(moves))
	r := newRig(append(script, actions.Complete{})...)
	r.runner.Limits.Steps = 2 * len(moves)
	touched := 0
	r.phone.touch = func(context.Context) error {
		r.phone.moving = moves[touched]
		touched++
		if touched == 1 {
			r.phone.state.App = "shop"
		}
		return nil
	}

	run(t, r, "x")

	var settled []time.Duration
	for _, s := range r.journal.steps[1:] {
		settled = append(settled, s.Timing.Settle)
	}
	ms := time.Millisecond
	require.Equal(t, []time.Duration{250 * ms, 475 * ms, 350 * ms, 350 * ms}, settled[:4])
	require.Equal(t, 350*ms, settled[4])
	require.Less(t, settled[len(settled)-1], 300*ms)
}

// uneven is a phone whose captures take a while and show the end of it. Not only the first one
// after a touch, its looks are asked in vain whether anything has moved, which takes longer.
type uneven struct {
	*phone
	captures, asked time.Duration
}

func (p uneven) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := lister{phone: p.phone, captures: p.captures}.Look(ctx)
	return look.Frame, err
}

func (p uneven) Look(ctx context.Context) (screen.Observation, error) {
	return lister{phone: p.phone, captures: p.captures + p.asked}.Look(ctx)
}

// A look that was asked for long before it showed the screen at rest says nothing of a first one.
func TestTheFirstLookIsNotSoonerThanItsCaptureNeeds(t *testing.T) {
	r := newRig(append(slices.Repeat([]actions.Action{tap(1, 1)}, 5), actions.Complete{})...)
	r.runner.Limits.Repeats = 10
	r.runner.Phone = uneven{r.phone, milliseconds(100), milliseconds(60)}
	r.phone.moving = milliseconds(250)

	run(t, r, "x")

	for _, s := range r.journal.steps[2:] {
		require.Equal(t, milliseconds(160+100+160), s.Timing.Settle, s.Index)
	}
}
