package actions_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/internal/screen"
)

// pad writes down the touches that it takes, with the time since the first; the touch numbered
// refuse (from 1) is refused, those numbered done leave something behind.
type pad struct {
	touches []string
	refuse  int
	done    []int
	begun   time.Time
}

var errRefused = errors.New("the phone refused")

func (p *pad) take(format string, v ...any) error {
	if p.begun.IsZero() {
		p.begun = time.Now()
	}
	touch := fmt.Sprintf(format, v...)
	if d := time.Since(p.begun); d > 0 {
		touch += fmt.Sprintf(" +%v", d)
	}
	p.touches = append(p.touches, touch)
	if len(p.touches) == p.refuse {
		return errRefused
	}
	if slices.Contains(p.done, len(p.touches)) {
		return actions.Done(fmt.Errorf("what %d leaves", len(p.touches)))
	}
	return nil
}

func (p *pad) Tap(_ context.Context, at screen.Point) error       { return p.take("tap %v", at) }
func (p *pad) DoubleTap(_ context.Context, at screen.Point) error { return p.take("double %v", at) }
func (p *pad) LongPress(_ context.Context, at screen.Point, hold time.Duration) error {
	return p.take("press %v %v", at, hold)
}
func (p *pad) Swipe(_ context.Context, from, to screen.Point, took time.Duration) error {
	return p.take("swipe %v %v %v", from, to, took)
}
func (p *pad) Drag(_ context.Context, from, to screen.Point) error {
	return p.take("drag %v %v", from, to)
}
func (p *pad) Type(_ context.Context, text string) error    { return p.take("type %q", text) }
func (p *pad) Clear(context.Context) error                  { return p.take("clear") }
func (p *pad) Key(_ context.Context, key actions.Key) error { return p.take("key %s", key) }
func (p *pad) Launch(_ context.Context, app string) error   { return p.take("launch %q", app) }

func TestAScrollWithoutADirectionTouchesNothing(t *testing.T) {
	var p pad
	require.ErrorContains(t, actions.Scroll{At: middle}.Do(t.Context(), &p), "unknown direction")
	require.Empty(t, p.touches)
}

func TestARefusedTouchEndsTheGestureAndSaysHowFarItCame(t *testing.T) {
	all := actions.Type{Text: "a", At: &middle, Clear: true, Submit: true}
	for refuse, want := range map[int]string{
		1: "nothing was typed, tapping the field: the phone refused",
		2: "the point was tapped, but then: nothing was typed, emptying the field: " +
			"the phone refused",
		3: "the point was tapped, the field was emptied, but then: the phone refused",
		4: "the point was tapped, the field was emptied, the text was typed, but then: " +
			"pressing Enter: the phone refused",
	} {
		synctest.Test(t, func(t *testing.T) {
			p := pad{refuse: refuse}
			err := all.Do(t.Context(), &p)
			require.EqualError(t, err, want)
			require.ErrorIs(t, err, errRefused)
			require.Equal(t, refuse > 1, errors.Is(err, actions.ErrPartial))
			require.Len(t, p.touches, refuse)
		})
	}
	for _, a := range actions.Vocabulary() {
		g, ok := a.(actions.Gesture)
		if _, waits := a.(actions.Wait); !ok || waits {
			continue
		}
		if _, ok := a.(actions.Type); ok {
			g = actions.Type{Text: "a"}
		}
		if _, ok := a.(actions.Scroll); ok {
			g = actions.Scroll{Direction: actions.Up}
		}
		require.ErrorIs(t, g.Do(t.Context(), &pad{refuse: 1}), errRefused, g.Verb())
	}
}

func TestWhatIsDoneAllTheSameDoesNotEndTheGesture(t *testing.T) {
	all := actions.Type{Text: "a", At: &middle, Clear: true, Submit: true}
	for _, c := range []struct {
		pad  pad
		want string
	}{
		{pad{done: []int{2}}, "what 2 leaves"},
		{pad{done: []int{2, 3}}, "what 3 leaves"},
		{pad{done: []int{3}, refuse: 4}, "the point was tapped, the field was emptied, the text " +
			"was typed, but then: pressing Enter: the phone refused"},
	} {
		synctest.Test(t, func(t *testing.T) {
			err := all.Do(t.Context(), &c.pad)
			require.EqualError(t, err, c.want)
			require.Equal(t, c.pad.refuse == 0, errors.Is(err, actions.ErrDone))
			require.Equal(t, c.pad.refuse > 0, errors.Is(err, actions.ErrPartial))
			require.Len(t, c.pad.touches, 4)
		})
	}
}

func TestWaitingTakesItsTimeAtMostAMinuteAndEndsWithItsContext(t *testing.T) {
	for asked, want := range map[time.Duration]time.Duration{
		3 * time.Second: 3 * time.Second, time.Hour: time.Minute,
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			require.NoError(t, actions.Wait{For: asked}.Do(t.Context(), nil))
			require.Equal(t, want, time.Since(start))
		})
	}
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stopped by hand")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		start := time.Now()
		require.ErrorIs(t, actions.Wait{For: time.Minute}.Do(ctx, nil), stop)
		require.Equal(t, time.Second, time.Since(start))

		var p pad
		require.ErrorIs(t, actions.Type{Text: "a", At: &middle}.Do(ctx, &p), stop,
			"stopped between tap and typing")
		require.Equal(t, []string{"tap (0.500,0.500)"}, p.touches)
	})
}
