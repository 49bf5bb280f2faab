package agentloop_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/taploop/taploop/actions"
	"github.com/taploop/taploop/agentloop"
	"github.com/taploop/taploop/internal/screen"
)

func repeat(a actions.Action, n int) []actions.Action {
	out := make([]actions.Action, n)
	for i := range out {
		out[i] = a
	}
	return out
}

func TestARunThatGoesInCirclesIsToldAndThenEnded(t *testing.T) {
	r := newRig(repeat(tap(500, 500), 20)...)
	r.phone.frozen = true

	end, _ := run(t, r, "x")

	require.Equal(t, agentloop.Stuck, end.Reason)
	require.ErrorContains(t, end.Err, "8 times in a row")
	require.Len(t, r.phone.touches, 7)
	require.Equal(t, 8, end.Steps)
	for n := 1; n <= 5; n++ {
		require.Empty(t, r.script.notesAt(n))
	}
	for n := 6; n <= 8; n++ {
		require.Contains(t, r.script.notesAt(n)[0], "changed nothing")
	}
}

func TestWhatCountsAsGoingInCircles(t *testing.T) {
	field := screen.Point{X: 0.5, Y: 0.5}
	jitter := []actions.Action{}
	for i := range 10 {
		jitter = append(jitter, tap(500+float64(i%3)*5, 500-float64(i%2)*5))
	}
	mixed, apart := []actions.Action{}, []actions.Action{}
	for i := range 10 {
		mixed = append(mixed, tap(500, 500), actions.Wait{For: time.Second})
		apart = append(apart, tap(500, float64(100+100*(i%2))))
	}
	for _, c := range []struct {
		name   string
		acts   []actions.Action
		frozen bool
		want   agentloop.StopReason
	}{
		{"a finger that trembles", jitter, true, agentloop.Stuck},
		{"waiting in between", mixed, true, agentloop.Stuck},
		{"remembering the same thing", repeat(actions.Note{Text: "x"}, 10), true, agentloop.Stuck},
		{"typing at a place", repeat(actions.Type{Text: "x", At: &field}, 10), true,
			agentloop.Stuck},
		{"two places in turn", apart, true, agentloop.MaxStepsReached},
		{"the screen changes", repeat(tap(1, 1), 10), false, agentloop.MaxStepsReached},
		{"only waiting", repeat(actions.Wait{For: time.Second}, 10), true,
			agentloop.MaxStepsReached},
		{"typing here and there", append(repeat(actions.Type{Text: "x"}, 4),
			repeat(actions.Type{Text: "x", At: &field}, 6)...), true, agentloop.MaxStepsReached},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(c.acts...)
			r.phone.frozen = c.frozen
			r.runner.Limits.Steps = 10
			if c.name == "waiting in between" {
				r.runner.Limits.Steps = 20
			}

			end, _ := run(t, r, "x")

			require.Equal(t, c.want, end.Reason)
		})
	}
}
