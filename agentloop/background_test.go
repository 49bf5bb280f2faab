package agentloop_test

import (
	"context"
	"errors"
	"image"
	"image/draw"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
	"github.com/taploop/taploop/internal/wait"
)

// thinker is a policy that decides as a script does, in its time, and can be called off.
type thinker struct {
	*script
	thinks  time.Duration // until the reply begins to arrive
	replies time.Duration // until it is there
}

func (p *thinker) Next(
	ctx context.Context, s agentloop.Situation,
) (agentloop.Proposal, error) {
	off := agentloop.Proposal{Tries: []agentloop.Try{{Prompt: s.Task, Error: "called off"}}}
	select {
	case <-time.After(p.thinks):
	case <-ctx.Done():
		p.seen = append(p.seen, s)
		p.actions = append([]actions.Action{nil}, p.actions...)
		return off, context.Cause(ctx)
	}
	if s.Replying != nil {
		p.decided()
		s.Replying()
		s.Replying()
	}
	time.Sleep(p.replies)
	return p.script.Next(ctx, s)
}

// newEarlyRig asks early, a policy that thinks for a second.
func newEarlyRig(acts ...actions.Action) (*rig, *thinker) {
	r := newRig(acts...)
	p := &thinker{script: r.script, thinks: time.Second}
	r.runner.Policy, r.runner.Early, r.runner.EarlyAlways = p, true, true
	r.runner.Background = func(f func()) bool { go f(); return true }
	return r, p
}

func TestAStillScreenIsAskedAboutAtOnce(t *testing.T) {
	r, _ := newEarlyRig(tap(1, 1), tap(1, 1), actions.Complete{})

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	require.Equal(t, 3*time.Second, end.Took, "of thinking, and nothing else")
	require.Equal(t, 1+2+2, r.phone.looks)
	require.Len(t, r.script.seen, 3)
	for _, s := range r.journal.steps {
		require.Zero(t, s.Timing.Again)
		require.Zero(t, s.Timing.Settle)
	}
}

func TestAScreenThatMovesOnIsAskedAboutAgain(t *testing.T) {
	for _, thinks := range []time.Duration{0, 20 * time.Millisecond, time.Second} {
		r, p := newEarlyRig(tap(1, 1), actions.Complete{})
		p.thinks, r.phone.moving = thinks, 220*time.Millisecond
		if thinks < 100*time.Millisecond { // the dropped decision
			r.script.actions = []actions.Action{tap(1, 1), tap(9, 9), actions.Complete{}}
		}

		end, progress := run(t, r, "x")

		require.Equal(t, agentloop.TaskCompleted, end.Reason)
		require.Len(t, r.phone.touches, 1)
		require.Len(t, r.script.seen, 3)
		require.Equal(t, scene(1).Fingerprint(), r.script.seen[2].Screen.Frame.Fingerprint())
		require.Empty(t, r.script.seen[2].Notes)
		last := r.journal.steps[1]
		require.Equal(t, scene(1).Fingerprint(), last.Screen.Frame.Fingerprint())
		require.Len(t, last.Proposal.Tries, 2)
		require.True(t, last.Proposal.Tries[0].Again)
		require.Equal(t, "the screen moved on, and the model was asked again",
			last.Proposal.Tries[0].Error)
		require.False(t, last.Proposal.Tries[1].Again)
		require.Positive(t, last.Timing.Again)
		require.Equal(t, last.Timing.Again+thinks, last.Timing.Decide)
		require.Equal(t, 2, progress.Steps)
	}
}

func TestAScreenThatIsSlowToChangeIsWaitedFor(t *testing.T) {
	r, _ := newEarlyRig(tap(1, 1), actions.Complete{})
	r.phone.lag = 320 * time.Millisecond

	run(t, r, "x")

	require.Len(t, r.script.seen, 2)
	require.Equal(t, scene(1).Fingerprint(), r.script.seen[1].Screen.Frame.Fingerprint())
	require.Equal(t, 475*time.Millisecond, r.journal.steps[1].Timing.Settle)
}

func TestAScreenThatNeverChangesIsAskedAboutAfterTheReactionTime(t *testing.T) {
	r, _ := newEarlyRig(tap(1, 1), actions.Complete{})
	r.phone.frozen = true

	run(t, r, "x")

	require.Len(t, r.script.seen, 2)
	require.Equal(t, 600*time.Millisecond, r.journal.steps[1].Timing.Settle)
	require.Zero(t, r.journal.steps[1].Timing.Again)
}

func TestWhatIsFoundWhileThePolicyThinksEndsTheRun(t *testing.T) {
	for _, c := range []struct {
		name string
		now  func(s *screen.State) error
		want agentloop.StopReason
	}{
		{"locked", func(s *screen.State) error { s.Locked = true; return nil },
			agentloop.ScreenLocked}, // with another picture
		{"off", func(s *screen.State) error { s.On = false; return nil }, agentloop.ManualStop},
		{"lost", func(*screen.State) error { return screen.ErrDisconnected },
			agentloop.DeviceDisconnected},
		{"secure", func(*screen.State) error { return screen.ErrSecure }, agentloop.SecureScreen},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, p := newEarlyRig(tap(1, 1), tap(2, 2))
			p.thinks = time.Hour
			r.runner.Limits.Time = 3 * time.Hour
			r.phone.lookErr = func(n int) error {
				if n < 3 {
					return nil
				}
				r.phone.scene = 7
				return c.now(&r.phone.state)
			}

			end, _ := run(t, r, "x")

			require.Equal(t, c.want, end.Reason)
			require.Len(t, r.phone.touches, 1)
			require.Less(t, end.Took, 61*time.Minute, "the policy is called off")
		})
	}
}

func TestAModelThatFailsIsNotWaitedForWithTheScreen(t *testing.T) {
	r, p := newEarlyRig(tap(1, 1))
	p.thinks, r.phone.moving = 0, time.Hour
	r.script.err = func(n int) error {
		if n == 2 {
			return errors.New("no route")
		}
		return nil
	}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.ModelError, end.Reason)
	require.Zero(t, end.Took)
}

func TestAStopWhileTheScreenIsLookedAtBesideThePolicy(t *testing.T) {
	for _, after := range []time.Duration{1, 50 * time.Millisecond, 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			r, _ := newEarlyRig(tap(1, 1), tap(2, 2))
			ctx, cancel := context.WithCancelCause(t.Context())
			r.phone.moving = 300 * time.Millisecond
			time.AfterFunc(time.Second+after, func() { cancel(agentloop.ErrPaused) })

			end, _, err := r.runner.Run(ctx, agentloop.Progress{}, 0)

			require.NoError(t, err)
			require.Equal(t, agentloop.UserPaused, end.Reason)
			require.Len(t, r.phone.touches, 1)
		})
	}
}

func TestAskingEarlyEndsWhereItIsInVain(t *testing.T) {
	var acts []actions.Action
	for i := range 10 {
		acts = append(acts, tap(float64(100*i), 1))
	}
	r, p := newEarlyRig(append(acts, actions.Complete{})...)
	p.thinks, r.phone.moving = 300*time.Millisecond, 220*time.Millisecond

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	again := 0
	for _, s := range r.journal.steps {
		again += len(s.Proposal.Tries) - 1
	}
	require.Equal(t, 1, again)
}

// tailed is a phone on which something small in the middle moves on a bit after a touch.
type tailed struct{ *phone }

func (p tailed) Look(ctx context.Context) (screen.Observation, error) {
	look, err := p.phone.Look(ctx)
	if time.Since(p.changed) < 50*time.Millisecond {
		img := image.NewRGBA(look.Frame.Image().Rect)
		draw.Draw(img, img.Rect, look.Frame.Image(), image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(25, 60, 29, 62), image.White, image.Point{}, draw.Src)
		look.Frame, err = screen.NewFrame(img)
	}
	return look, err
}

func (p tailed) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := p.Look(ctx)
	return look.Frame, err
}

// What moves a bit longer than the rest of a screen is no other screen, but the place of a touch.
func TestARequestWhoseTouchCameTooEarlyWasInVain(t *testing.T) {
	acts := slices.Repeat([]actions.Action{tap(500, 500)}, 10)
	r, p := newEarlyRig(append(acts, actions.Complete{})...)
	p.thinks, r.runner.Limits.Repeats = 300*time.Millisecond, 20
	r.runner.Phone = tailed{r.phone}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.TaskCompleted, end.Reason)
	refused := 0
	for _, s := range r.journal.steps {
		if s.Refusal != "" {
			refused++
		}
	}
	require.Equal(t, 1, refused)
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// lister is a phone whose captures take a while, and whose elements do.
type lister struct {
	*phone
	captures, reads time.Duration
}

func (p lister) Look(ctx context.Context) (screen.Observation, error) {
	at := time.Now()
	if err := wait.For(ctx, p.captures); err != nil {
		return screen.Observation{}, err
	}
	look, err := p.phone.Look(ctx)
	look.At = at
	return look, err
}

func (p lister) Frame(ctx context.Context) (*screen.Frame, error) {
	look, err := p.Look(ctx)
	return look.Frame, err
}

func (p lister) Elements(ctx context.Context) ([]screen.Element, error) {
	return nil, wait.For(ctx, p.reads)
}

// A phone whose pages move for a while after each touch: at first it is looked at until it is at
// rest, and then once when it should be, and once more before the touch.
func TestAskingEarlyBeginsWhereItIsNotInVain(t *testing.T) {
	for name, c := range map[string]struct{ thinks, captures, reads, more int }{
		"a model that thinks":        {thinks: 300},
		"elements read meanwhile":    {thinks: 300, reads: 200},
		"elements read a bit longer": {captures: 110, reads: 40},
		"captures that take long":    {captures: 230, reads: 30},
		"pages of two kinds":         {thinks: 300, more: 100},
	} {
		t.Run(name, func(t *testing.T) {
			var acts []actions.Action
			for i := range 12 {
				acts = append(acts, tap(float64(80*i), 1))
			}
			r, p := newEarlyRig(append(acts, actions.Complete{})...)
			p.thinks = milliseconds(c.thinks)
			r.runner.EarlyAlways = false
			r.phone.touch = func(context.Context) error { // every fourth page takes longer
				r.phone.moving = 250 * time.Millisecond
				if len(r.phone.touches)%4 == 2 {
					r.phone.moving += milliseconds(c.more)
				}
				return nil
			}
			if c.reads > 0 {
				r.runner.Phone, r.runner.ReadAhead = lister{r.phone, milliseconds(c.captures),
					milliseconds(c.reads)}, true
			}
			var captures []int // until each touch was done: at the end it may still be looked at
			r.journal.on = func(entry string) {
				if strings.HasPrefix(entry, "done") && len(captures) < 12 {
					captures = append(captures, r.phone.looks+r.phone.checks)
				}
			}

			end, _ := run(t, r, "x")

			require.Equal(t, agentloop.TaskCompleted, end.Reason)
			require.Len(t, r.phone.touches, 12)
			require.Len(t, r.script.seen, 13, "no request was in vain")
			tried := 0 // earlier
			for i, s := range r.journal.steps {
				require.Empty(t, s.Refusal)
				if (i > 6 || i > 5 && c.more == 0) && i < 12 {
					most := milliseconds(300 + c.captures + c.more)
					if s.Timing.Settle > most && tried == 0 {
						tried++
						continue
					}
					require.LessOrEqual(t, s.Timing.Settle, most, i)
					require.LessOrEqual(t, s.Timing.Decide, 400*time.Millisecond, i)
					require.Equal(t, 2, captures[i]-captures[i-1], i)
				}
			}
			if c.more == 0 {
				require.LessOrEqual(t, float64(captures[11]-captures[1])/10, 2.5)
			}
		})
	}
}

func TestWithoutAnAsideTheScreenIsWaitedFor(t *testing.T) {
	r, _ := newEarlyRig(tap(1, 1), actions.Complete{})
	r.runner.Background = func(func()) bool { return false }
	r.phone.moving = 220 * time.Millisecond

	run(t, r, "x")

	require.Len(t, r.script.seen, 3, "the second is called off before it begins")
	require.Equal(t, scene(1).Fingerprint(), r.script.seen[2].Screen.Frame.Fingerprint())
	require.Len(t, r.phone.touches, 1)
}

// The state is read while the reply arrives, so that the touch waits for nothing but the intent.
func TestTheStateIsReadWhileTheReplyArrives(t *testing.T) {
	for _, c := range []struct {
		name  string
		slow  time.Duration // the journal's intent
		asked int
	}{{name: "at once", asked: 1}, {name: "slow", slow: 300 * time.Millisecond, asked: 2}} {
		t.Run(c.name, func(t *testing.T) {
			r, p := newEarlyRig(tap(1, 1), actions.Complete{})
			r.runner.Early, p.replies = false, 50*time.Millisecond
			var at []time.Time
			phone := &teller{phone: r.phone, now: func(*screen.State) error {
				at = append(at, time.Now())
				time.Sleep(40 * time.Millisecond)
				return nil
			}}
			r.runner.Phone = phone
			r.journal.on = func(entry string) {
				if entry == "intent 1 CLICK" {
					time.Sleep(c.slow)
				}
			}
			var decided, acting time.Time
			r.runner.Observe = func(e agentloop.Event) {
				r.observe(e)
				switch {
				case e.Kind == agentloop.Decided && e.Step.Index == 1:
					decided = e.At
				case e.Kind == agentloop.Acting:
					acting = e.At
					require.Equal(t, c.asked, phone.checks)
				}
			}

			end, _ := run(t, r, "x")

			require.Equal(t, agentloop.TaskCompleted, end.Reason)
			if c.slow == 0 {
				require.Equal(t, 50*time.Millisecond, decided.Sub(at[0]))
				require.Equal(t, decided, acting)
				return
			}
			require.Equal(t, 40*time.Millisecond, acting.Sub(at[1]), "the first one was too old")
		})
	}
}

func TestADisplayThatIsSwitchedOffWhileTheReplyArrivesStopsTheRun(t *testing.T) {
	r, p := newEarlyRig(tap(1, 1))
	p.replies = 50 * time.Millisecond
	r.runner.Phone = dark(r)

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.ManualStop, end.Reason)
	require.Empty(t, r.phone.touches)
}

func TestADisplayThatIsOnAgainBeforeTheTouchStopsTheRunToo(t *testing.T) {
	r, p := newEarlyRig(tap(1, 1))
	r.runner.Early, p.replies = false, 50*time.Millisecond
	looks := 0
	r.runner.Phone = &teller{phone: r.phone, now: func(s *screen.State) error {
		looks++
		s.On = looks > 1
		return nil
	}}
	r.journal.on = func(entry string) {
		if entry == "intent 1 CLICK" {
			time.Sleep(300 * time.Millisecond) // the look of while the reply arrived is an old one
		}
	}

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.ManualStop, end.Reason)
	require.Empty(t, r.phone.touches)
}
